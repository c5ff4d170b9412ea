package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

const usageText = `usage: whatif-truth.sh [flags]
Runs pairs of programs, 64 and 32 bits, to the same stage; asks rsswatch whatif
about the 64-bit process and compares its estimate with what the 32-bit one takes.
  --only A,B          these programs only; a name may end with *
  --list              name the programs and what they hold
  --truth-only        no estimates
  --fresh             measure again what the cache holds
  --launches N        launches of each program for the truth; the median counts (5)
  --format FORMAT     table, markdown or json (table)
  --rsswatch FILE     the command to ask (built from this repository)
  --vm                run the 32-bit programs in the virtual machine of scripts/vm
                      (chosen where this kernel does not execute them)
  --hold NAME         start the program NAME, print its process number when it is at
                      its stage, and keep it until end of input
  --bits 32           hold the 32-bit program (64)
  --build DIR         folder for programs, packages and the cache (build/whatif-truth)
exit status: 0 whatever the estimates, 1 a program failed, 2 usage`

type options struct {
	only     []string
	list     bool
	truth    bool // without estimates
	fresh    bool
	launches int
	format   string
	rsswatch string
	vm       bool
	hold     string
	bits     int // of the program to hold
	build    string
	repo     string // set by the script
	inGuest  string // set in the guest: file for the 32-bit figures
}

func parseOptions(args []string) (*options, error) {
	var o options
	var only string
	f := flag.NewFlagSet("whatif-truth", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&only, "only", "", "")
	f.BoolVar(&o.list, "list", false, "")
	f.BoolVar(&o.truth, "truth-only", false, "")
	f.BoolVar(&o.fresh, "fresh", false, "")
	f.IntVar(&o.launches, "launches", 5, "")
	f.StringVar(&o.format, "format", formatTable, "")
	f.StringVar(&o.rsswatch, "rsswatch", "", "")
	f.BoolVar(&o.vm, "vm", false, "")
	f.StringVar(&o.hold, "hold", "", "")
	f.IntVar(&o.bits, "bits", wide.bits, "")
	f.StringVar(&o.build, "build", "", "")
	f.StringVar(&o.repo, "repo", "", "")
	f.StringVar(&o.inGuest, "in-guest", "", "")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q: want flags only", f.Arg(0))
	case o.launches < 1 || o.launches > 100:
		return nil, fmt.Errorf("--launches %d: want 1 to 100", o.launches)
	case !slices.Contains([]string{formatTable, formatMarkdown, formatJSON}, o.format):
		return nil, fmt.Errorf("--format %q: want table, markdown or json", o.format)
	case o.bits != wide.bits && o.bits != narrow.bits:
		return nil, fmt.Errorf("--bits %d: want 64 or 32", o.bits)
	case o.repo == "":
		return nil, fmt.Errorf("start it by scripts/whatif-truth.sh, or name the repository by --repo")
	}
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	if o.build == "" {
		o.build = o.repo + "/build/whatif-truth"
	}
	if o.rsswatch == "" {
		o.rsswatch = o.repo + "/build/rsswatch"
	}
	return &o, nil
}
