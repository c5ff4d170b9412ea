#!/usr/bin/env bash
# cross-arch.sh N T MB [flags]: run the 32-bit and the 64-bit build of memtest
# with the same arguments, interleaved, and print one verdict; cross-arch.sh
# footprint and cross-arch.sh chase do so with these subcommands. --help lists
# the flags and exit statuses. Needs Go; with --vm also what scripts/vm needs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
mkdir -p "$build"

# What of the arguments the shell has to know: the pair, which builds are given, and --vm.
wide=amd64 narrow=386 vm='' out='' previous=''
declare -A given=()
for arg in "$@"; do
	case $previous in --pair) [ "$arg" != arm ] || { wide=arm64 narrow=arm; } ;; --out) out=$arg ;; esac
	case $arg in
	--pair=arm) wide=arm64 narrow=arm ;;
	--vm) vm=1 ;;
	--out=*) out=${arg#--out=} ;;
	--bin-*=*) arch=${arg#--bin-} && given[${arch%%=*}]=${arg#*=} ;;
	esac
	case $previous in --bin-*) given[${previous#--bin-}]=$arg ;; esac
	previous=$arg
done
out=${out:-$build/cross-$(date -u +%Y%m%dT%H%M%SZ)-$$}

gobuild() { (cd "$root" && CGO_ENABLED=0 GOOS=linux GOARCH=$1 go build -o "$2" "$3"); }
native=$(cd "$root" && go env GOHOSTARCH)
gobuild "$native" "$build/crossarch" ./scripts/crossarch
bins=()
for arch in "$wide" "$narrow"; do
	if [ -z "${given[$arch]:-}" ]; then
		gobuild "$arch" "$build/memtest-$arch" ./cmd/memtest
		given[$arch]=$build/memtest-$arch
		bins+=("--bin-$arch" "${given[$arch]}")
	fi
done

if [ -n "$vm" ] && [ "$wide" = amd64 ]; then
	# The same program once more, in a machine whose 64-bit kernel runs both.
	args=()
	skip=''
	for arg in "$@"; do
		if [ -n "$skip" ]; then skip='' && continue; fi
		case $arg in --vm | --out=* | --bin-*=*) ;; --out | --bin-*) skip=1 ;; *) args+=("$arg") ;; esac
	done
	gobuild amd64 "$build/crossarch-amd64" ./scripts/crossarch
	mkdir -p "$out"
	rc=0
	"$root/scripts/vm/run.sh" --kernel amd64 --mem 6144 --smp 2 --out "$out" \
		--file "${given[amd64]}:/files/memtest-amd64" --file "${given[386]}:/files/memtest-386" -- "$build/crossarch-amd64" "${args[@]}" \
		--bin-amd64 /files/memtest-amd64 --bin-386 /files/memtest-386 --emulated "qemu, software emulation" --out /out || rc=$?
	for record in verdict footprint chase; do
		[ ! -s "$out/$record.json" ] || echo "On this host: $out"
	done
	exit "$rc"
fi
if [ "$wide" = arm64 ] && [ "$native" != arm64 ]; then
	# User-mode emulation, in namespaces of its own.
	exec "$root/scripts/vm/user-arm.sh" "$build/crossarch" "$@" "${bins[@]}" --out "$out" --emulated "qemu, user mode"
fi
exec "$build/crossarch" "$@" "${bins[@]}" --out "$out"
