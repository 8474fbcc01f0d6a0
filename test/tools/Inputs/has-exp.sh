#!/bin/sh
# Interesting (status 1), for coil-reduce, is a valid program that takes an
# exponential: has-exp.sh <coil-opt> <file>
"$1" "$2" 2>/dev/null | grep -q '\.exp' && exit 1
exit 0
