# Prints what a completion script (its file, its function) offers for the words of a command line.
complete() { :; }
compopt() { :; }
source "$1"
function=$2
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"$function"
printf '%s\n' "${COMPREPLY[@]}"
