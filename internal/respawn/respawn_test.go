package respawn

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const arg = "__test"

// A child of a test is the test binary itself: it does what it is asked.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == arg {
		os.Exit(Serve(os.Stdin, os.Stdout, os.Exit, func(what string) (string, error) {
			switch what {
			case "fail":
				return "", errors.New("no such thing")
			case "sleep":
				time.Sleep(time.Hour)
			case "exit":
				os.Exit(7)
			case "die":
				fmt.Fprintln(os.Stderr, "fatal error: runtime: out of memory\n\ngoroutine 1 [running]:")
				os.Exit(2)
			case "traceback":
				fmt.Fprintln(os.Stderr, "fatal error: out of memory")
				for {
					fmt.Fprintln(os.Stderr, "goroutine 5 [select]:")
				}
			case "killed":
				p, err := os.FindProcess(os.Getpid())
				if err == nil {
					p.Kill()
				}
				time.Sleep(time.Hour)
			}
			return what + " in " + os.Getenv("RESPAWN_TEST"), nil
		}))
	}
	if len(os.Args) == 2 && os.Args[1] == asParent {
		os.Exit(parent())
	}
	os.Exit(m.Run())
}

const asParent = "__parent"

// parent waits for a line, then asks a child, and prints the answer.
func parent() int {
	bufio.NewReader(os.Stdin).ReadString('\n')
	var got string
	if err := (Child{Arg: arg}).Ask(context.Background(), "alive", &got); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(got)
	return 0
}

// A program whose file is replaced while it runs starts itself, not the other.
func TestAskAfterTheFileWasReplaced(t *testing.T) {
	own, err := os.Stat(os.Args[0])
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no /proc/self/exe on this system")
	}
	if exe, err := os.Stat("/proc/self/exe"); err != nil || !os.SameFile(own, exe) {
		t.Skip("emulated: only the file's path serves")
	}
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, asParent)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	other := path + ".new"
	if err := os.WriteFile(other, []byte("#!/bin/sh\nexit 9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in)
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(out.String(), "alive") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestAsk(t *testing.T) {
	c := Child{Arg: arg, Env: []string{"RESPAWN_TEST=here"}}
	var got string
	if err := c.Ask(t.Context(), "all well", &got); err != nil || got != "all well in here" {
		t.Errorf("%q, %v", got, err)
	}
	for what, want := range map[string]Error{
		"fail":   {How: "no such thing"},
		"exit":   {How: "exit status 7"},
		"die":    {How: "exit status 2", OutOfMemory: true},
		"killed": {How: "signal: killed", Killed: true},
		// One that would print for ever.
		"traceback": {How: "it failed", OutOfMemory: true},
	} {
		if what == "killed" && runtime.GOOS == "windows" {
			continue // no signals there
		}
		var e *Error
		err := c.Ask(t.Context(), what, &got)
		if !errors.As(err, &e) || e.How != want.How || e.OutOfMemory != want.OutOfMemory || e.Killed != want.Killed {
			t.Errorf("%s: %+v, want %+v", what, err, want)
		}
		if what == "die" && !strings.HasSuffix(err.Error(), "it said: fatal error: runtime: out of memory") {
			t.Errorf("%s: %q, want its first line", what, err)
		}
	}
}

func TestAskIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var got string
	begun := time.Now()
	if err := (Child{Arg: arg}).Ask(ctx, "sleep", &got); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
}

// A child ends when its parent is gone.
func TestOrphanEnds(t *testing.T) {
	cmd := exec.Command(os.Args[0], arg)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(in).Encode("sleep"); err != nil {
		t.Fatal(err)
	}
	in.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitOrphan {
		t.Errorf("%v, want exit status %d", err, exitOrphan)
	}
}
