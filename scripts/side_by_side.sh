#!/bin/sh
# Runs commands at once and shows what each said when all have ended; fails if one failed.
# Usage: side_by_side.sh COMMAND...
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A command in the background takes no notice of Ctrl-C.
trap 'trap - TERM; kill 0' INT TERM
number=0
for command in "$@"; do
    number=$((number + 1))
    echo "$command ..."
    { sh -c "$command" > "$folder/$number" 2>&1; echo $? > "$folder/$number.ended"; } &
done
wait
failed=0
for number in $(seq "$number"); do
    cat "$folder/$number"
    read -r code < "$folder/$number.ended"
    [ "$code" -eq 0 ] || failed=$code
done
exit "$failed"
