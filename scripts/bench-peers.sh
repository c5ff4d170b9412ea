#!/usr/bin/env bash
# bench-peers.sh [--suite write|stream|latency|all] [--rounds R] [--mb MB] [--seconds S]
# [--preload T] [--stream STREAM.C] [--tinymembench BINARY] [--chaser COMMAND] [--keep K]: run likwid-bench,
# sysbench, mbw, stress-ng, STREAM, tinymembench and memtest in turn on the same
# sizes, with one and with two processes, and print Markdown tables of medians,
# spreads and ratios. Installs the Debian packages that are missing, which needs
# root. STREAM and tinymembench are left out unless their paths are given.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
missing=
for pair in likwid-bench:likwid sysbench:sysbench mbw:mbw stress-ng:stress-ng; do
	command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
done
case " $* " in
*"--suite write "*) ;;
*) command -v gcc >/dev/null || missing="$missing gcc libc6-dev" ;;
esac
if [ -n "$missing" ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "$0: missing:$missing; as root: apt-get install$missing" >&2
		exit 1
	fi
	apt-get update -qq >&2
	# shellcheck disable=SC2086 # a list of names
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >&2
fi
(
	cd "$root"
	CGO_ENABLED=0 go build -o build/memtest ./cmd/memtest
	CGO_ENABLED=0 go build -o build/benchpeers ./scripts/benchpeers
)
exec "$root/build/benchpeers" --memtest "$root/build/memtest" "$@"
