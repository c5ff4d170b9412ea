#!/usr/bin/env bash
# run.sh [--FLAG VALUE]...: MB/s and CPU of a sender and a receiver, small and
# large writes, over the kernel's sockets and over a TCP stack in user space.
# --help lists the flags. Needs Go.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

sizes="128 4096" stacks="kernel user" arch=$(go env GOHOSTARCH 2>/dev/null || echo amd64) duration=5s mtu=1500 nodelay=false out=
flag sizes "bytes of a write, and of the largest read"
flag stacks "of kernel and user"
flag arch "builds: amd64, 386"
flag duration "how long to send"
flag mtu "bytes of the largest packet between the two stacks in user space"
flag nodelay "true: send small writes at once"
flag delay "seconds between two ticks of the recording"
flag out "folder for the recordings, which are else removed"
parse_flags "$@"
numbers sizes
numbers mtu
words stacks kernel user
words nodelay true false
words arch amd64 386 arm64 arm

have_rsswatch
keep_recordings "$out"
# shellcheck disable=SC2086 # a list of words
runnable $arch

# transfer ARCH STACK SIZE
transfer() {
	local listen=127.0.0.1:0 name=$2 receiver addr
	[ ${#archs[@]} = 1 ] || name=$2-$1
	if [ "$2" = user ]; then
		listen=$tmp/link
		rm -f "$listen"
	fi
	record "side=$name-recv,write=$3" "$tmp/receiver" "$tmp/sendrecv-recv-$1" --stack "$2" --listen "$listen" --size "$3" --mtu "$mtu"
	receiver=$recorder
	addr=$(line "$tmp/receiver" '^listening on ' "$receiver")
	record "side=$name-send,write=$3" "$tmp/sender" "$tmp/sendrecv-send-$1" --stack "$2" --addr "${addr#listening on }" --size "$3" \
		--for "$duration" --mtu "$mtu" "--nodelay=$nodelay"
	finish "$recorder" || die 1 "the sender failed"
	finish "$receiver" || die 1 "the receiver failed"
	echo "$name $3" "$(sed -n 's/^received .*: \([0-9.]*\) MB\/s, \([0-9]*\) % CPU$/\1 \2/p' "$tmp/receiver")" \
		"$(sed -n 's/^sent .*: [0-9.]* MB\/s, \([0-9]*\) % CPU$/\1/p' "$tmp/sender")" >>"$tmp/rows"
}

for a in "${archs[@]}"; do
	build ./sendrecv/cmd/sendrecv-send "$tmp/sendrecv-send-$a" "$a"
	build ./sendrecv/cmd/sendrecv-recv "$tmp/sendrecv-recv-$a" "$a"
	for s in $stacks; do
		for z in $sizes; do
			echo "$a, $s, $z bytes a write" >&2
			transfer "$a" "$s" "$z"
		done
	done
done

awk 'BEGIN { printf "%-12s %8s %10s %14s %14s\n", "stack", "write", "MB/s", "sender CPU %", "receiver CPU %" }
	{ printf "%-12s %8d %10.1f %14s %14s\n", $1, $2, $3, $5, $4 }' "$tmp/rows"
echo "MB is 10^6 bytes; CPU as each process counts it over the transfer, 100 % is one CPU. Every byte was checked."
echo
"$rsswatch" compare "${files[@]}"
note_not_run
