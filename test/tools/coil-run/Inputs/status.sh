# Runs a command, with its messages on the standard output, and fails unless it
# exits with the given status.
expected=$1
shift
"$@" 2>&1
status=$?
if [ $status -ne "$expected" ]; then
  echo "status $status, expected $expected"
  exit 1
fi
