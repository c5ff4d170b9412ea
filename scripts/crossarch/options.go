package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/compare"
)

// options are the tool's own flags; everything else is memtest's.
type options struct {
	pair      pair
	bins      map[string]string // by GOARCH, where given
	repeat    int
	kernels   []string
	failAbove float64 // percent; below 0: no gate
	vm        bool
	out       string   // folder of the records
	emulated  string   // by what, when the caller knows
	args      []string // N T MB and memtest's flags; without these three when there is a mode
	mode      string   // a subcommand of memtest; "" for the benchmark
	format    string   // of a mode's output
}

// pair is the 64-bit and the 32-bit architecture of one family.
type pair struct{ wide, narrow string }

// turn returns the order of a round: each build goes first in every second.
func (p pair) turn(round int) []string {
	if round%2 == 1 {
		return []string{p.narrow, p.wide}
	}
	return []string{p.wide, p.narrow}
}

var pairs = map[string]pair{"x86": {"amd64", "386"}, "386": {"amd64", "386"}, "arm": {"arm64", "arm"}}

const usage = `usage: cross-arch.sh N T MB [flags] [memtest's flags]
  --repeat R          launches of each build, interleaved (10)
  --kernels A,B       loops to compare (write); NAME or NAME/TIER
  --fail-above 5%     exit 1 when the 32-bit build is significantly slower by more
  --pair x86|arm      which two architectures (x86: 386 and amd64)
  --bin-386 FILE, --bin-amd64 FILE, --bin-arm FILE, --bin-arm64 FILE
                      builds to use instead of making them
  --vm                run both in a virtual machine, emulated: for counts, not speeds
  --out DIR           folder for the records
       cross-arch.sh footprint [STRUCTURE...] [flags] [memtest footprint's flags]
       cross-arch.sh chase [flags] [memtest chase's flags]
  --format F          table, markdown, csv or json
exit status: 0 whatever the verdict, 1 failure or --fail-above, 2 usage,
3 this kernel cannot execute the 32-bit build`

// reserved are memtest's flags that this tool sets itself.
var reserved = []string{"--format", "--output", "-o", "--kernel", "--classic", "--quiet", "--overwrite"}

func parseOptions(args []string) (*options, error) {
	o := &options{pair: pairs["x86"], bins: map[string]string{}, repeat: 10, kernels: []string{"write"}, failAbove: -1}
	if len(args) > 0 && (args[0] == modeFootprint || args[0] == modeChase) {
		o.mode, args = args[0], args[1:]
	}
	for i := 0; i < len(args); i++ {
		name, value, inline := strings.Cut(args[i], "=")
		need := func() (string, error) {
			if inline {
				return value, nil
			}
			if i++; i >= len(args) {
				return "", fmt.Errorf("%s: want a value", name)
			}
			return args[i], nil
		}
		if err := o.take(name, args[i], need); err != nil {
			return nil, err
		}
	}
	if o.mode == "" && (len(o.args) < 3 || strings.HasPrefix(o.args[0], "-") || strings.HasPrefix(o.args[1], "-") || strings.HasPrefix(o.args[2], "-")) {
		return nil, fmt.Errorf("want N T MB first, such as: 4 10 1500, or footprint, or chase; got %q", strings.Join(args, " "))
	}
	for arch := range o.bins {
		if arch != o.pair.wide && arch != o.pair.narrow {
			return nil, fmt.Errorf("--bin-%s is not of the pair %s and %s", arch, o.pair.narrow, o.pair.wide)
		}
	}
	return o, nil
}

// take reads one argument; need returns a flag's value.
func (o *options) take(name, arg string, need func() (string, error)) (err error) {
	if taken, err := o.takeMode(name, need); taken {
		return err
	}
	var v string
	switch name {
	case "--vm":
		o.vm = true
	case "--repeat":
		if v, err = need(); err == nil {
			if o.repeat, err = strconv.Atoi(v); err != nil || o.repeat < 1 || o.repeat > 10000 {
				err = fmt.Errorf("--repeat: %q is not right: want a number of launches from 1", v)
			}
		}
	case "--kernels":
		if v, err = need(); err == nil {
			o.kernels = strings.Split(v, ",")
		}
	case "--fail-above":
		if v, err = need(); err == nil {
			if o.failAbove, err = compare.ParsePercent(v); err != nil {
				err = fmt.Errorf("--fail-above: %w", err)
			}
		}
	case "--pair":
		if v, err = need(); err == nil {
			p, ok := pairs[v]
			if !ok {
				err = fmt.Errorf("--pair: %q is not right: want x86 or arm", v)
			}
			o.pair = p
		}
	case "--bin-386", "--bin-amd64", "--bin-arm", "--bin-arm64":
		if v, err = need(); err == nil {
			o.bins[strings.TrimPrefix(name, "--bin-")] = v
		}
	case "--out":
		o.out, err = need()
	case "--emulated":
		o.emulated, err = need()
	default:
		for _, r := range reserved {
			if name == r {
				return fmt.Errorf("%s: cross-arch sets this itself (loops: --kernels, folder: --out)", name)
			}
		}
		o.args = append(o.args, arg)
	}
	return err
}

// formats are what a mode can print.
var formats = []string{"table", "markdown", "csv", "json"}

// takeMode reads an argument that means something else with a mode; false for
// one that doesn't. The launches of a chase are made here, in turns; those of
// a footprint are the build's own.
func (o *options) takeMode(name string, need func() (string, error)) (taken bool, err error) {
	switch {
	case o.mode == "":
		return false, nil
	case name == "--kernels" || name == "--fail-above":
		return true, fmt.Errorf("%s: there is no such thing for %s", name, o.mode)
	case name == "--repeat" && o.mode == modeFootprint:
		v, err := need()
		o.args = append(o.args, "--repeat", v)
		return true, err
	case name == "--help" || name == "-h":
		return true, fmt.Errorf("memtest %s --help lists the other flags", o.mode)
	case name == "--list":
		return true, fmt.Errorf("--list: there is nothing to compare; memtest footprint --list")
	case name == "--format":
		if o.format, err = need(); err == nil && !slices.Contains(formats, o.format) {
			err = fmt.Errorf("--format: %q is not right: want table, markdown, csv or json", o.format)
		}
		return true, err
	}
	return false, nil
}
