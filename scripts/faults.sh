#!/usr/bin/env bash
# faults.sh [--count N] [--seed S] [--only NAME,...] [--list]: injects faults
# into runs of memtest and prints a Markdown table of what came of them. Exit
# status 1 when a check failed. Root is needed for some of them; without it
# they are named as left out. docs/reliability.md says what is checked.
set -eu
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
mkdir -p build
go build -o build/memtest ./cmd/memtest
go build -o build/faults ./scripts/faults
exec build/faults --memtest build/memtest "$@"
