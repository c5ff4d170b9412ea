package respawn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	os.Exit(m.Run())
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
