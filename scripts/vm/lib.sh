# Shared by the scripts in this folder; sourced, not run.
# Sets VM_ROOT (the repository), WORDSIZE_VM_CACHE (the cache) and VMTOOL.

VM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export VM_ROOT WORDSIZE_VM_CACHE=${WORDSIZE_VM_CACHE:-$VM_ROOT/.cache/vm}

vm_die() { # STATUS MESSAGE
	echo "vm: $2" >&2
	exit "$1"
}

# The Go tool without what the caller set for the system to build for.
vm_go() {
	env -u GOOS -u GOARCH -u GO386 -u GOAMD64 -u GOARM -u GOARM64 -u GOFLAGS CGO_ENABLED=0 "$@"
}

# Builds vmtool and the init binaries, once for each state of their sources.
vm_build() {
	local key dir tmp
	command -v go >/dev/null || vm_die 125 "go is missing: install Go (https://go.dev/dl) or the Debian package golang-go"
	key=$(cd "$VM_ROOT" && { go version && cat go.mod && find internal/vm scripts/vm -name '*.go' ! -name '*_test.go' -print0 |
		LC_ALL=C sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-20)
	dir=$WORDSIZE_VM_CACHE/bin/$key
	VMTOOL=$dir/vmtool
	[ -x "$VMTOOL" ] && return
	mkdir -p "$WORDSIZE_VM_CACHE/bin"
	find "$WORDSIZE_VM_CACHE/bin" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
	tmp=$(mktemp -d "$WORDSIZE_VM_CACHE/bin/new.XXXXXX") && chmod 755 "$tmp" || exit 125
	# in a subshell: the caller's working directory matters to go-exec
	if ! (
		cd "$VM_ROOT" && vm_go go build -trimpath -o "$tmp/vmtool" ./scripts/vm/vmtool || exit
		for arch in 386 amd64; do
			vm_go GOOS=linux GOARCH=$arch go build -trimpath -ldflags '-s -w' -o "$tmp/init-$arch" ./scripts/vm/init || exit
		done
	) >&2; then
		rm -rf "$tmp"
		vm_die 125 "the runner could not be built"
	fi
	# another build of the same sources may have been quicker
	mv -T "$tmp" "$dir" 2>/dev/null || rm -rf "$tmp"
	[ -x "$VMTOOL" ] || vm_die 125 "the runner could not be put into $dir"
}

# Fetches the kernels if the cache doesn't have them yet.
vm_kernels() {
	local k
	for k in 686-pae amd64; do
		[ -s "$WORDSIZE_VM_CACHE/kernels/$k/release" ] && continue
		"$VM_ROOT/scripts/vm/setup.sh" >&2 || exit 125
		return
	done
}
