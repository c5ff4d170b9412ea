#!/usr/bin/env bash
# ci.sh: what decides whether the examples are in order: formatting, vet and
# build for 386 and amd64, the tests (of the 386 build where it runs), and each
# example's script once, at its smallest. Needs Go and shellcheck; takes under a
# minute and needs no root.
set -euo pipefail
cd "$(dirname "$0")"
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "gofmt would change:"; echo "$unformatted"; exit 1; }
shellcheck -x ./*.sh ./*/run.sh recipes/*.sh

export CGO_ENABLED=0 GOOS=linux
for arch in amd64 386; do
	GOARCH=$arch go vet ./...
	GOARCH=$arch go build -o /dev/null ./...
done
unset GOOS
go run "$staticcheck" ./...
go test ./...

# Nothing may be left in the scripts' temporary folder, nor a process that was
# started from it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
if [ -z "${RSSWATCH:-}" ]; then
	(cd .. && go build -o "$work/rsswatch" ./cmd/rsswatch)
	export RSSWATCH=$work/rsswatch
fi
small() { # small SCRIPT FLAG...: status 3 is that a build does not run on this kernel
	local rc=0
	echo "$*"
	TMPDIR=$work/tmp "$@" >"$work/out" 2>&1 || rc=$?
	case $rc in 0) ;; 3) can_386= ;; *) cat "$work/out" && exit 1 ;; esac
	local left
	left=$(ls -A "$work/tmp")
	[ -z "$left" ] || { echo "left in the temporary folder: $left"; exit 1; }
	# The brackets keep grep from finding itself.
	left=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep "${work%?}[${work: -1}]/tmp/" || true)
	[ -z "$left" ] || { echo "still running: $left"; exit 1; }
}
can_386=1
small upper/run.sh --conns 20 --idle 100ms --busy 400ms --pause 10ms
small prefork/run.sh --workers 2 --pages 300 --warm 200 --requests 100 --settle 0.1
small comet/run.sh --conns 50 --messages 1 --settle 0.1
small sendrecv/run.sh --duration 300ms
[ -z "$can_386" ] || GOARCH=386 go test ./...
