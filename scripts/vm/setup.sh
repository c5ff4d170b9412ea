#!/bin/bash
# setup.sh [--refresh]: fetches Debian's kernels and busybox with apt into the cache ($WORDSIZE_VM_CACHE, default
# .cache/vm) and takes out of them what the virtual machine needs. Does nothing where all is there; --refresh fetches
# the current versions. Installs qemu where it is missing and this is root; VM_NO_INSTALL=1 forbids that.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"

refresh=
case ${1-} in
"") ;;
--refresh) refresh=1 ;;
*) vm_die 2 "setup.sh [--refresh]: unknown argument $1" ;;
esac

# need COMMAND PACKAGE: makes sure that a command is there.
need() {
	command -v "$1" >/dev/null && return
	if [ "$(id -u)" != 0 ] || [ -n "${VM_NO_INSTALL-}" ] || ! command -v apt-get >/dev/null; then
		vm_die 125 "$1 is missing: install the Debian package $2"
	fi
	echo "vm: installing the Debian package $2"
	apt-get install -y -qq --no-install-recommends "$2" >/dev/null 2>&1 ||
		{ apt-get update -qq || true; apt-get install -y -qq --no-install-recommends "$2" >/dev/null; } ||
		vm_die 125 "$1 is missing, and apt could not install the Debian package $2"
}

# apt_for ARCH TOOL ARG...: an apt tool with lists and caches of its own, so that neither root nor a foreign architecture
# on the host is needed.
apt_for() {
	local arch=$1 tool=$2 state=$WORDSIZE_VM_CACHE/apt/$1
	shift 2
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	"$tool" -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State::Lists="$state/lists" \
		-o Dir::Cache="$state/cache" -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# known ARCH PACKAGE: whether the lists know it. Their update may end with an error and serve all the same.
known() { [ -n "$(apt_for "$1" apt-cache show --no-all-versions "$2" 2>/dev/null)" ]; }

# update ARCH PACKAGE: gets the lists that name a package.
update() {
	local i log=$WORDSIZE_VM_CACHE/apt/update.log
	mkdir -p "$WORDSIZE_VM_CACHE/apt"
	for i in 1 2 3 4 5; do
		[ "$i" = 1 ] || sleep $((i * 2))
		apt_for "$1" apt-get update -qq >"$log" 2>&1 || true
		known "$1" "$2" && return
	done
	cat "$log" >&2
	vm_die 125 "apt's sources have no $2 for $1 (it needs Debian's archive in /etc/apt)"
}

# fetch ARCH DIR PACKAGE...: downloads the first of the packages that can be had.
fetch() {
	local arch=$1 dir=$2 i p
	shift 2
	for i in 1 2 3; do
		for p; do
			known "$arch" "$p" || continue
			(cd "$dir" && apt_for "$arch" apt-get download -qq "$p") >>"$dir/log" 2>&1 && return
		done
		sleep $((i * 2))
	done
	cat "$dir/log" >&2
	vm_die 125 "apt could not download $1 for $arch"
}

# prepare KERNEL ARCH: fills the cache's folder of one kernel. Debian's unsigned package of the 32-bit kernel is in the
# main suite and holds the same kernel as the signed one.
prepare() {
	local kernel=$1 arch=$2 meta=linux-image-$1 out=$WORDSIZE_VM_CACHE/kernels/$1 image release
	if [ -z "$refresh" ] && [ -s "$out/release" ]; then
		echo "vm: $kernel: $(cat "$out/release") is there"
		return
	fi
	work=$(mktemp -d "$WORDSIZE_VM_CACHE/work.XXXXXX")
	update "$arch" "$meta"
	image=$(apt_for "$arch" apt-cache depends "$meta" | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1)
	[ -n "$image" ] || vm_die 125 "the package $meta names no kernel"
	mkdir "$work/deb" "$work/tree" "$work/new"
	fetch "$arch" "$work/deb" "$image" "$image-unsigned"
	fetch "$arch" "$work/deb" busybox-static
	for p in "$work"/deb/*.deb; do dpkg-deb -x "$p" "$work/tree"; done
	bb=$work/tree/bin/busybox
	[ -e "$bb" ] || bb=$work/tree/usr/bin/busybox
	release=$("$VMTOOL" prepare-kernel "$work/tree" "$bb" "$work/new") ||
		vm_die 125 "$image could not be unpacked"
	(cd "$work/deb" && sha256sum ./*.deb) >"$work/new/packages"
	mkdir -p "$WORDSIZE_VM_CACHE/kernels"
	rm -rf "$out"
	mv -T "$work/new" "$out"
	rm -rf "$work"
	work=
	echo "vm: $kernel: $release fetched"
}

work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir -p "$WORDSIZE_VM_CACHE"
need qemu-system-x86_64 qemu-system-x86
need xz xz-utils
for c in apt-get apt-cache dpkg-deb; do
	command -v $c >/dev/null || vm_die 125 "$c is missing: kernels come from Debian packages; run setup.sh on a Debian host and copy its $WORDSIZE_VM_CACHE"
done
vm_build
exec 9>"$WORDSIZE_VM_CACHE/lock"
flock 9
prepare 686-pae i386
prepare amd64 amd64
rm -rf "$WORDSIZE_VM_CACHE/apt" # 50 MB of lists, out of date soon
