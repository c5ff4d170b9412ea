package record

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// captured reads messages that a kernel sent: one a line, or wrapped lines of
// one.
func captured(t testing.TB, name string, wrapped bool) (all [][]byte) {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the captured messages are those of a little-endian host")
	}
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	if wrapped {
		lines = []string{strings.Join(lines, "")}
	}
	for _, line := range lines {
		b, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func TestParseConnector(t *testing.T) {
	msgs := captured(t, "connector.hex", false)
	want := []procEvent{
		{kind: eventFork, parent: 19762, pid: 19768, tgid: 19768},
		{kind: eventExec, pid: 19768, tgid: 19768},
		{kind: eventExit, pid: 19768, tgid: 19768, parent: 19762},
	}
	for i, b := range msgs {
		got, ok := parseConnector(b)
		if got.at <= 0 {
			t.Errorf("message %d is of time %d", i, got.at)
		}
		if got.at = 0; !ok || got != want[i] {
			t.Errorf("message %d: %+v, %v; want %+v", i, got, ok, want[i])
		}
		for n := range b { // cut anywhere: no panic
			parseConnector(b[:n])
		}
	}
}

func TestParseTaskstats(t *testing.T) {
	b := captured(t, "taskstats-16.hex", true)[0]
	s, err := parseTaskstats(b)
	if err != nil {
		t.Fatal(err)
	}
	if s.comm != "true" || s.pid != s.tgid || s.ppid != 19762 || !s.last || s.status != 0 || s.peak != 984<<10 || s.elapsed <= 0 {
		t.Errorf("%+v", s)
	}
	for n := range b {
		if _, err := parseTaskstats(b[:n]); n < nlHeader+genlHeader+tsSize && err == nil {
			t.Fatalf("%d bytes pass", n)
		}
	}
	for _, version := range []uint16{1, 11, 15} { // no process id; other layout
		raw := append([]byte(nil), attribute(attribute(b[nlHeader+genlHeader:], attrAggrPID), attrStats)...)
		binary.NativeEndian.PutUint16(raw, version)
		if _, err := parseTaskstatsStruct(raw); !errors.Is(err, errTSVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// The kernel's clock ticks often miss a short process; the exact sum is shared
// out by them.
func TestTaskstatsCPU(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct{ user, sys, run, wantUser, wantSys time.Duration }{
		{0, 0, 3 * ms, 3 * ms, 0},
		{4 * ms, 0, 3 * ms, 3 * ms, 0},
		{0, 4 * ms, 3 * ms, 0, 3 * ms},
		{4 * ms, 4 * ms, 10 * ms, 5 * ms, 5 * ms},
		{4 * ms, 1 * ms, 0, 4 * ms, 1 * ms},
	} {
		s := taskStats{user: tc.user, sys: tc.sys, run: tc.run}
		if u, k := s.cpu(); u != tc.wantUser || k != tc.wantSys {
			t.Errorf("%+v: %v %v", tc, u, k)
		}
	}
}

func FuzzNetlink(f *testing.F) {
	f.Add(captured(f, "taskstats-16.hex", true)[0])
	for _, b := range captured(f, "connector.hex", false) {
		f.Add(b)
	}
	f.Add([]byte{0xff, 0xff, 4, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		parseConnector(b)
		_, _ = parseTaskstats(b)
		genlError(b)
	})
}

// A request survives being taken apart.
func TestGenlMessage(t *testing.T) {
	b := genlMessage(0x1f, nlmFRequest, 7, taskstatsGet, attrRegisterCPUMask, []byte("0-1\x00"))
	if len(b)%4 != 0 || int(binary.NativeEndian.Uint32(b)) != len(b) || binary.NativeEndian.Uint16(b[4:]) != 0x1f {
		t.Errorf("% x", b)
	}
	if v := attribute(b[nlHeader+genlHeader:], attrRegisterCPUMask); string(v) != "0-1\x00" {
		t.Errorf("%q", v)
	}
	if v := attribute(b[nlHeader+genlHeader:], attrFamilyID); v != nil {
		t.Errorf("%q", v)
	}
}
