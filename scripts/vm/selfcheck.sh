#!/bin/bash
# selfcheck.sh: checks the virtual machine for real, in about a minute: both kernels, exit statuses, streams, time limit,
# shared folders, two machines at once, tests with go-exec. Prints a line for each check; exit status 1 if one failed.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
vm_build && vm_kernels
cd "$VM_ROOT" || exit 125
run=$VM_ROOT/scripts/vm/run.sh
tmp=$(mktemp -d) || exit 125
trap 'rm -rf "$tmp"' EXIT
export VM_TIMEOUT=100s
unset VM_VERBOSE VM_KERNEL
bad=0

check() { # WHAT GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok    $1"
	else
		echo "FAIL  $1: got '$2', want '$3'"
		bad=1
	fi
}
has() { # WHAT FILE TEXT
	if grep -qF -- "$3" "$2"; then check "$1" 1 1; else
		check "$1" "$(tail -n 3 "$2")" "... $3 ..."
	fi
}

for k in 686-pae amd64; do
	"$run" --kernel $k --env "WORD=a b" -- sh -c 'uname -m; echo "$WORD"; echo to-stderr >&2; nproc; exit 7' >"$tmp/o" 2>"$tmp/e"
	check "$k: exit status" $? 7
	machine=i686
	[ $k = amd64 ] && machine=x86_64
	check "$k: standard output" "$(tr '\n' ' ' <"$tmp/o")" "$machine a b 2 "
	check "$k: standard error apart" "$(cat "$tmp/e")" "to-stderr"
done

# A program of the repository in both sizes, built for the guest
"$run" --kernel amd64 --goarch 386 -- memtest --version >"$tmp/o" 2>&1
check "386 program on the amd64 kernel" $? 0

# One boot for the small things: sh, env, users, writable /tmp, the loopback network
"$run" --append "x=1" --file "$0:/etc/copy" -- sh -c 'id -un; hostname; touch /tmp/x && ls /tmp/x; env | grep -c ^HOME=/root; ping -c 1 -W 2 127.0.0.1 >/dev/null && echo lo; tail -n 1 /etc/copy; taskset 1 nice -n 5 sh -c "nice; nproc"' >"$tmp/o" 2>&1
check "the guest's surroundings" "$(tr '\n' ' ' <"$tmp/o")" "root wordsize-vm /tmp/x 1 lo exit \$bad 5 1 "

# A megabyte of random bytes, and its checksum as the guest computes it
"$run" -- sh -c 'dd if=/dev/urandom of=/tmp/r bs=64k count=16 2>/dev/null; cat /tmp/r; sha256sum </tmp/r >&2' >"$tmp/r" 2>"$tmp/sum"
check "1 MiB of binary output: length" "$(stat -c %s "$tmp/r")" 1048576
check "1 MiB of binary output: content" "$(sha256sum <"$tmp/r")" "$(cat "$tmp/sum")"

# Deaths by signals
"$run" -- sh -c 'echo before; kill -KILL $$' >"$tmp/o" 2>"$tmp/e"
check "killed by SIGKILL" $? 137
has "killed by SIGKILL: said" "$tmp/e" "killed by signal 9 (SIGKILL)"
"$run" -- sh -c 'if [ -e /tmp/once ]; then echo second; else touch /tmp/once; kill -TRAP $$; fi' >"$tmp/o" 2>"$tmp/e"
check "SIGTRAP before any output: run again" "$? $(cat "$tmp/o")" "0 second"
has "SIGTRAP before any output: said" "$tmp/e" "running it once more"
"$run" -- sh -c 'echo out; kill -TRAP $$' >"$tmp/o" 2>"$tmp/e"
check "SIGTRAP after output: not run again" "$? $(cat "$tmp/o")" "133 out"

# What cannot be run
"$run" -- nosuchcommand >"$tmp/o" 2>"$tmp/e"
check "unknown command" $? 127
"$run" --kernel i486 -- true >"$tmp/o" 2>"$tmp/e"
check "wrong argument" "$? $(wc -l <"$tmp/e")" "2 1"

# The machine itself
"$run" --timeout 8s -- sh -c 'echo partial; sleep 100' >"$tmp/o" 2>"$tmp/e"
check "time limit" "$? $(cat "$tmp/o")" "124 partial"
"$run" --append rdinit=/none -- true >"$tmp/o" 2>"$tmp/e"
check "a kernel that does not come up" $? 125
has "a kernel that does not come up: reason" "$tmp/e" "machine failed: the guest's kernel gave up"
has "a kernel that does not come up: tried twice" "$tmp/e" "booting once more"
"$run" -- sh -c 'echo c >/proc/sysrq-trigger' >"$tmp/o" 2>"$tmp/e"
check "a kernel that crashes" $? 125

# Shared folders
mkdir "$tmp/ro" "$tmp/out"
echo host >"$tmp/ro/f"
"$run" --out "$tmp/out" --share "$tmp/ro:/ro" --share "$tmp/ro:/cow:cow" -- sh -c \
	'cat /ro/f; echo x 2>/dev/null >/ro/f; echo guest >/cow/f; cat /cow/f; mkdir /out/d; seq 100000 >/out/d/n' >"$tmp/o" 2>"$tmp/e"
check "shares: seen, read-only, copy on write" "$(tr '\n' ' ' <"$tmp/o")$(cat "$tmp/ro/f")" "host guest host"
check "--out" "$(sha256sum <"$tmp/out/d/n" 2>&1)" "$(seq 100000 | sha256sum)"

# Two at once, and Ctrl-C
"$run" --kernel 686-pae -- sh -c 'sleep 2; echo one' >"$tmp/o1" 2>&1 &
p1=$!
"$run" --kernel 686-pae -- sh -c 'sleep 2; echo two' >"$tmp/o2" 2>&1 &
p2=$!
wait $p1
s1=$?
wait $p2
check "two at once" "$s1 $? $(cat "$tmp/o1" "$tmp/o2" | tr '\n' ' ')" "0 0 one two "
setsid "$run" -- sh -c 'echo up; sleep 100' >"$tmp/o" 2>"$tmp/e" &
p=$!
for _ in $(seq 200); do
	[ -s "$tmp/o" ] && break
	sleep 0.1
done
qemu=$(pgrep -P $p -f qemu-system)
kill -INT $p
wait $p
check "interrupted" "$? $([ -d "/proc/${qemu:-none}" ] && echo "qemu lives")" "130 "

# Tests: go-exec with testdata and a folder of its own, failure, flags
mkdir -p "$tmp/mod/pkg/testdata" "$tmp/mod/other/testdata"
cat >"$tmp/mod/go.mod" <<-M
	module selfcheck

	go 1.26.0
M
echo data >"$tmp/mod/pkg/testdata/f"
echo sibling >"$tmp/mod/other/testdata/f"
cat >"$tmp/mod/pkg/p_test.go" <<-'M'
	package pkg

	import (
		"os"
		"os/exec"
		"runtime"
		"strings"
		"testing"
	)

	func TestData(t *testing.T) {
		a, _ := os.ReadFile("testdata/f")
		b, _ := os.ReadFile("../other/testdata/f")
		if string(a)+string(b) != "data\nsibling\n" {
			t.Errorf("got %q %q", a, b)
		}
		if err := os.WriteFile("testdata/new", nil, 0o644); err != nil {
			t.Error(err)
		}
	}

	func TestShell(t *testing.T) {
		out, err := exec.Command("sh", "-c", "env | grep ^GOMAXPROCS=").Output()
		if err != nil || strings.TrimSpace(string(out)) != "GOMAXPROCS=1" || runtime.GOARCH != "386" {
			t.Errorf("%s %v %s", out, err, runtime.GOARCH)
		}
	}

	func TestSelf(t *testing.T) {
		if os.Getenv("AGAIN") != "" {
			t.Skip("started again")
		}
		cmd := exec.Command(os.Args[0], "-test.run=TestSelf", "-test.v")
		cmd.Env = append(os.Environ(), "AGAIN=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "SKIP: TestSelf") {
			t.Errorf("%v: %s", err, out)
		}
	}

	func TestFails(t *testing.T) {
		if os.Getenv("GOFAIL") != "" {
			t.Error("as asked for")
		}
	}
M
(cd "$tmp/mod" && GOMAXPROCS=1 GOARCH=386 CGO_ENABLED=0 go test -p 1 -coverprofile=c.out -exec "$VM_ROOT/scripts/vm/go-exec" ./pkg) >"$tmp/o" 2>&1
check "go-exec: tests pass" $? 0
check "go-exec: coverage comes back, writes do not" "$(head -n 1 "$tmp/mod/c.out")$(ls "$tmp/mod/pkg/testdata")" "mode: setf"
(cd "$tmp/mod" && GOFAIL=1 GOMAXPROCS=1 GOARCH=386 CGO_ENABLED=0 go test -p 1 -exec "$VM_ROOT/scripts/vm/go-exec" ./pkg) >"$tmp/o" 2>&1
check "go-exec: a failing test fails" $? 1
has "go-exec: its output" "$tmp/o" "as asked for"
(cd "$tmp/mod" && GOMAXPROCS=1 "$VM_ROOT/scripts/vm/test-386.sh" --kernel amd64) >"$tmp/o" 2>&1
check "test-386.sh: tests pass" $? 0
has "test-386.sh: summary" "$tmp/o" "1 packages, 4 tests passed, 0 skipped, 0 failed"

if command -v qemu-arm qemu-arm-static >/dev/null; then
	for a in arm arm64; do
		(cd "$VM_ROOT" && scripts/vm/user-arm.sh env GOARCH=$a CGO_ENABLED=0 go run ./cmd/memtest --version) >"$tmp/o" 2>&1
		check "user-arm.sh: $a" $? 0
	done
	scripts/vm/user-arm.sh sh -c 'exit 9'
	check "user-arm.sh: exit status" $? 9
else
	echo "ok    user-arm.sh: not checked, the Debian package qemu-user is not installed"
fi
exit $bad
