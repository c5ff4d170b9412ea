#!/usr/bin/env bash
# fuzz.sh [TIME [PATTERN]]: run every fuzz target whose name matches PATTERN
# (a regular expression, default all) for TIME each (default 20s). What a
# target finds stays below its package's testdata/fuzz: commit it with the
# mend, it is a test from then on. Exit status 1 when any target found anything.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
pattern=${2:-.}
if [[ ! $time =~ ^[0-9]+(s|m|h|x)$ ]]; then
	echo "$0: TIME $time: give a time for each target, such as 20s, 10m or 1h, or 1000x for so many inputs" >&2
	exit 2
fi
export CGO_ENABLED=0
found=0 targets=0
while read -r file; do
	package=$(dirname "$file")
	while read -r target; do
		[[ $target =~ $pattern ]] || continue
		targets=$((targets + 1))
		printf '\n== %s %s\n' "./$package" "$target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$package" || found=1
	done < <(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file")
done < <(git ls-files --cached --others --exclude-standard '*_test.go' | xargs grep -l '^func Fuzz' | sort)
if [ "$targets" = 0 ]; then
	echo "$0: no fuzz target matches $pattern" >&2
	exit 2
fi
printf '\n%d targets, %s each\n' "$targets" "$time"
exit "$found"
