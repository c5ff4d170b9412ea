#!/usr/bin/env bash
# whatif-truth.sh [flags]: run pairs of programs, 64 and 32 bits, to the same
# stage, and compare what rsswatch whatif says of the one with what the other
# takes. --help lists the flags, docs/whatif-truth.md has a table and how it is
# made. Needs Go; gcc and apt for the programs that are not Go's.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$root/build"
cd "$root"
unset GOOS GOARCH
CGO_ENABLED=0 go build -o build/whatiftruth ./scripts/whatiftruth
case " $* " in
*" --rsswatch"* | *" --truth-only "* | *" --list "* | *" --hold"*) ;;
*) CGO_ENABLED=0 go build -o build/rsswatch ./cmd/rsswatch ;;
esac
exec build/whatiftruth --repo "$root" "$@"
