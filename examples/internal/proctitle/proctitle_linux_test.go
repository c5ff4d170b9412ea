package proctitle

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// As a child, TestMain sets the titles that it reads from standard input and
// answers with what it knows of itself.
func TestMain(m *testing.M) {
	if os.Getenv("TITLE_CHILD") == "" {
		os.Exit(m.Run())
	}
	area, err := Take()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(area.Room())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		area.Set(lines.Text())
		child, err := exec.Command("/bin/sh", "-c", "echo $MARK").Output()
		fmt.Printf("%q %s %s %v\n", os.Args[1:], os.Getenv("MARK"), strings.TrimSpace(string(child)), err)
	}
}

func TestTitle(t *testing.T) {
	mark := strings.Repeat("m", 300)
	cmd := exec.Command(os.Args[0], "first", "second argument")
	cmd.Env = append(os.Environ(), "TITLE_CHILD=1", "MARK="+mark)
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(stdout)
	var room int
	if line, err := answers.ReadString('\n'); err != nil {
		t.Fatal(err)
	} else if _, err := fmt.Sscan(line, &room); err != nil || room < 300 {
		t.Fatalf("room %q, %v", line, err)
	}
	for _, title := range []string{
		"page '/gallery/19877/'",
		"x",
		strings.Repeat("longer than the arguments ", 12),
		"short again",
		strings.Repeat("a", room),
		strings.Repeat("b", room+500),
		"",
		"page '/last/'",
	} {
		fmt.Fprintln(stdin, title)
		answer, err := answers.ReadString('\n')
		if want := fmt.Sprintf("%q %s %s <nil>\n", []string{"first", "second argument"}, mark, mark); err != nil || answer != want {
			t.Fatalf("%.30q: the process sees %q, %v; want %q", title, answer, err, want)
		}
		got, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
		if shown := strings.TrimRight(string(got), "\x00"); err != nil || shown != title[:min(len(title), room)] {
			t.Errorf("%.40q (%d bytes) is shown as %.40q (%d bytes), %v", title, len(title), shown, len(shown), err)
		}
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid))
		if shown := strings.TrimSuffix(string(comm), "\n"); err != nil || shown != title[:min(len(title), 15)] {
			t.Errorf("%.40q has the name %q, %v", title, shown, err)
		}
	}
	stdin.Close()
	_, _ = io.Copy(io.Discard, answers)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestParseBounds(t *testing.T) {
	const good = "17 (a ) b) S 1 17 17 0 -1 4194560 103 0 0 0 0 0 0 0 20 0 1 0 555 2510848 384 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 4294959000 4294959020 4294959020 4294959999 0\n"
	b, err := parseBounds(good)
	if want := (bounds{4294959000, 4294959020, 4294959020, 4294959999}); err != nil || b != want {
		t.Errorf("%+v, %v", b, err)
	}
	for _, bad := range []string{"", "17 (a) S 1", strings.Replace(good, "4294959020 4294959020", "x y", 1),
		strings.Replace(good, "4294959000 4294959020", "0 0", 1), strings.Replace(good, "4294959000 ", "4294959021 ", 1)} {
		if b, err := parseBounds(bad); err == nil {
			t.Errorf("%q -> %+v", bad, b)
		}
	}
}
