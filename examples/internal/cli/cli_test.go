package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	cases := []struct {
		args, wantErr, wantOut string
		done                   bool
	}{
		{args: "--n 3"},
		{args: "-h", done: true, wantOut: "how many"},
		{args: "--n x", wantErr: `invalid value "x" for flag -n`},
		{args: "--m 1", wantErr: "not defined: -m"},
		{args: "--n 1 rest", wantErr: `unexpected argument "rest"`},
	}
	for _, tc := range cases {
		fs := flag.NewFlagSet("demo", flag.ContinueOnError)
		fs.Int("n", 1, "how many")
		var out strings.Builder
		done, err := Parse(fs, strings.Fields(tc.args), &out)
		if done != tc.done || !strings.Contains(out.String(), tc.wantOut) || (err == nil) != (tc.wantErr == "") {
			t.Errorf("%s: done %v, error %v, output %q", tc.args, done, err, out.String())
		}
		if err != nil && (!strings.Contains(err.Error(), tc.wantErr) || Exit("demo", &out, err) != Usage) {
			t.Errorf("%s: error %v", tc.args, err)
		}
	}
}

func TestExit(t *testing.T) {
	var out strings.Builder
	for err, want := range map[error]int{
		nil:                                   OK,
		errors.New("broken"):                  Failure,
		Usagef("%d is too many", 3):           Usage,
		fmt.Errorf("w: %w", Usagef("wrap")):   Usage,
		fmt.Errorf("w: %w", context.Canceled): Interrupted,
	} {
		if got := Exit("demo", &out, err); got != want {
			t.Errorf("%v: exit status %d, want %d", err, got, want)
		}
	}
	if !strings.Contains(out.String(), "demo: 3 is too many\n") {
		t.Errorf("printed %q", out.String())
	}
}
