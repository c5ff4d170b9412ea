#!/usr/bin/env bash
# cross-arch.sh N T MB [memtest flags]: run the 386 and the amd64 build of
# memtest with the same arguments, keep both records, print both tables.
#
# Exit status: memtest's own when one of the runs fails, 3 when this kernel
# cannot execute 386 binaries (the amd64 record is kept), 2 for usage.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build

if [ $# -lt 3 ] || [ "${1#-}" != "$1" ]; then
	echo "usage: $0 N T MB [memtest flags]; such as: $0 4 10 1500" >&2
	exit 2
fi
mkdir -p "$build" || exit 1
stamp=$(date -u +%Y%m%dT%H%M%SZ).$$
for arch in amd64 386; do
	(cd "$root" && CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -o "$build/memtest-$arch" ./cmd/memtest) || exit 1
done

# can_run BINARY: 0 when the kernel executes it, 126 when it refuses the format.
can_run() {
	local err
	err=$("$1" --version 2>&1 >/dev/null)
	local rc=$?
	case $err in *"xec format error"*) return 126 ;; esac
	return $rc
}

run() {
	local arch=$1
	shift
	local record=$build/memtest-$arch-$stamp.json
	echo "== $arch build"
	"$build/memtest-$arch" "$@" -o "$record"
	local rc=$?
	[ -f "$record" ] && echo "Record: $record"
	return $rc
}

run amd64 "$@" || exit $?
echo
can_run "$build/memtest-386"
case $? in
0) run 386 "$@" || exit $? ;;
126)
	echo "== 386 build"
	echo "This kernel cannot execute 386 binaries (Exec format error): IA32 emulation is off (boot with"
	echo "ia32_emulation=on) or not built in (CONFIG_IA32_EMULATION). The amd64 record is kept."
	exit 3
	;;
*)
	echo "memtest-386 cannot be started here:" >&2
	"$build/memtest-386" --version >&2
	exit 1
	;;
esac
