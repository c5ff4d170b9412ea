package machine

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wordsize/internal/vm/guest"
)

// Options is what the command line of scripts/vm/run.sh says.
type Options struct {
	Config         // all but Cache, Init and Jobs
	GOARCH  string // of commands that are built, or "" for the kernel's
	Env     []string
	Dir     string // working directory in the guest
	Out     string // folder of the host that is /out in the guest, or ""
	Verbose bool
	Command []string
	Applets []string // what the guest has in /bin, for ResolveCommand
}

// Environment variables that set the defaults of options.
const (
	envKernel  = "VM_KERNEL"
	envMem     = "VM_MEM"
	envSMP     = "VM_SMP"
	envCPU     = "VM_CPU"
	envAccel   = "VM_ACCEL"
	envTimeout = "VM_TIMEOUT"
	envVerbose = "VM_VERBOSE"
)

// DefaultConfig is the configuration that the environment asks for.
func DefaultConfig(getenv func(string) string) (Config, error) {
	c := Config{Kernel: Kernels[0], MemMiB: DefaultMemMiB, SMP: DefaultSMP, CPU: DefaultCPU, Accel: DefaultAccel, Timeout: DefaultTimeout}
	var err error
	set := func(name string, parse func(string) error) {
		if v := getenv(name); v != "" && err == nil {
			if perr := parse(v); perr != nil {
				err = usagef("%s=%s: %v", name, v, perr)
			}
		}
	}
	set(envKernel, func(v string) (e error) { c.Kernel, e = FindKernel(v); return })
	set(envMem, func(v string) (e error) { c.MemMiB, e = strconv.ParseInt(v, 10, 64); return })
	set(envSMP, func(v string) (e error) { c.SMP, e = strconv.Atoi(v); return })
	set(envCPU, func(v string) error { c.CPU = v; return nil })
	set(envAccel, func(v string) error { c.Accel = v; return nil })
	set(envTimeout, func(v string) (e error) { c.Timeout, e = time.ParseDuration(v); return })
	if err != nil {
		return c, err
	}
	return c, c.check()
}

// MachineFlags adds the options that every command which boots a machine has.
func MachineFlags(fs *flag.FlagSet, c *Config) {
	fs.Func("kernel", "", func(s string) (err error) { c.Kernel, err = FindKernel(s); return })
	fs.Int64Var(&c.MemMiB, "mem", c.MemMiB, "")
	fs.IntVar(&c.SMP, "smp", c.SMP, "")
	fs.IntVar(&c.NUMA, "numa", c.NUMA, "")
	fs.StringVar(&c.CPU, "cpu", c.CPU, "")
	fs.StringVar(&c.Accel, "accel", c.Accel, "")
	fs.DurationVar(&c.Timeout, "timeout", c.Timeout, "")
	fs.StringVar(&c.Append, "append", c.Append, "")
	fs.StringVar(&c.Console, "console", c.Console, "")
}

// ErrHelp is returned where help was asked for.
var ErrHelp = flag.ErrHelp

// ParseOptions reads the arguments of scripts/vm/run.sh.
func ParseOptions(args []string, getenv func(string) string) (Options, error) {
	c, err := DefaultConfig(getenv)
	if err != nil {
		return Options{}, err
	}
	o := Options{Config: c, Env: append([]string(nil), DefaultEnv...), Dir: guest.WorkDir, Verbose: getenv(envVerbose) != ""}
	fs := flag.NewFlagSet("run.sh", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	MachineFlags(fs, &o.Config)
	fs.Func("file", "", func(s string) error {
		f, err := ParseFile(s)
		o.Files = append(o.Files, f)
		return err
	})
	fs.Func("share", "", func(s string) error {
		sh, err := ParseShare(s)
		o.Shares = append(o.Shares, sh)
		return err
	})
	fs.Func("env", "", func(s string) error {
		env, err := withEnv(o.Env, s)
		o.Env = env
		return err
	})
	fs.StringVar(&o.Out, "out", "", "")
	fs.StringVar(&o.Dir, "dir", o.Dir, "")
	fs.StringVar(&o.GOARCH, "goarch", "", "")
	fs.BoolVar(&o.Verbose, "verbose", o.Verbose, "")
	if err := fs.Parse(args); err != nil {
		return o, flagError(err)
	}
	o.Command = fs.Args()
	return o, o.finish()
}

// flagError keeps help and our own errors, and makes the others usage errors.
func flagError(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usagef("%s", strings.Replace(err.Error(), "flag provided but not defined: -", "unknown option --", 1))
}

// finish checks what belongs together, and makes Out a shared folder.
func (o *Options) finish() error {
	if err := o.check(); err != nil {
		return err
	}
	if len(o.Command) == 0 {
		return usagef("no command given: run.sh [OPTION...] -- CMD [ARG...]")
	}
	if !strings.HasPrefix(o.Dir, "/") {
		return usagef("--dir %s: the working directory in the guest must be an absolute path", o.Dir)
	}
	if o.GOARCH == "" {
		o.GOARCH = o.Kernel.GOARCH
	}
	if err := o.Kernel.canRun(o.GOARCH); err != nil {
		return usagef("--goarch: %v", err)
	}
	if o.Out == "" {
		return nil
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return usagef("--out: %v", err)
	}
	abs, err := filepath.Abs(o.Out)
	if err != nil {
		return usagef("--out: %v", err)
	}
	o.Shares = append(o.Shares, Share{Host: abs, Guest: guest.OutDir, Mode: guest.ReadWrite})
	return nil
}

// withEnv sets K=V in env; K alone takes the value of the host.
func withEnv(env []string, kv string) ([]string, error) {
	name, value, ok := strings.Cut(kv, "=")
	if name == "" || strings.ContainsRune(kv, 0) {
		return env, usagef("--env %q: give NAME=VALUE", kv)
	}
	if !ok {
		value = os.Getenv(name)
	}
	for i, old := range env {
		if strings.HasPrefix(old, name+"=") {
			env[i] = name + "=" + value
			return env, nil
		}
	}
	return append(env, name+"="+value), nil
}
