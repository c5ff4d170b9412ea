#!/bin/sh
# Compares what rsswatch and its peers cost, in one interleaved run:
#   scripts/bench-watch.sh [PROCESSES...]     default: 2000 10000
# Prints Markdown tables; docs/performance.md says how to read them.
# Wants root (for the descriptor limit), procps, sysstat and, for the floor, gcc.
set -eu
cd "$(dirname "$0")/.."
build=build/benchwatch
mkdir -p "$build"
for tool in top ps pidstat; do
	command -v "$tool" >/dev/null || echo "bench-watch: $tool is not installed, its rows will be missing" >&2
done
export CGO_ENABLED=0
go build -o "$build/rsswatch" ./cmd/rsswatch
go build -o "$build/gopsutil" scripts/benchwatch/gopsutil.go
go build -o "$build/bench" scripts/benchwatch/bench.go scripts/benchwatch/herd.go scripts/benchwatch/pty.go
if command -v gcc >/dev/null; then
	gcc -O2 -Wall -o "$build/floor" scripts/benchwatch/floor.c
else
	echo "bench-watch: gcc is not installed, there will be no floor" >&2
fi
[ $# -gt 0 ] || set -- 2000 10000
for processes; do
	"$build/bench" -dir "$build" -processes "$processes" -rounds "${ROUNDS:-7}"
done
