package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/machine"
)

const runUsage = `Usage: scripts/vm/run.sh [OPTION...] -- CMD [ARG...]

Boots Debian's 32-bit PAE kernel or its 64-bit kernel under qemu, runs CMD in it
and returns its output and exit status.

CMD is a static binary of the host (a path with a slash; it is packed), a command
of this repository (memtest, rsswatch: built for the guest), or a path or name in
the guest (busybox; guest:/bin/x where the host has the same path).

  --kernel 686-pae|amd64       the kernel (686-pae)                       $VM_KERNEL
  --mem MIB                    memory (6144)                              $VM_MEM
  --smp N                      virtual CPUs (2)                           $VM_SMP
  --numa N                     NUMA nodes, with equal parts of memory and CPUs; those
                               beyond the CPUs have memory alone (no NUMA)
  --cpu MODEL                  CPU model of qemu (Nehalem)                $VM_CPU
  --accel tcg|kvm|auto         emulation, KVM, or KVM where it works (tcg) $VM_ACCEL
  --timeout DURATION           time limit, such as 90s (10m)              $VM_TIMEOUT
  --goarch 386|amd64           build repository commands for (the kernel's)
  --file F[:GUESTPATH]         packs a file or folder (/files/NAME); repeatable
  --share DIR[:GUESTDIR[:ro|rw|cow]]  shows a folder of the host, by 9p; cow: writable,
                               changes vanish; repeatable
  --out DIR                    folder of the host that CMD sees as /out
  --env NAME[=VALUE]           sets a variable of CMD; repeatable
  --dir DIR                    working directory of CMD (/files)
  --append ARGS                more kernel parameters
  --console FILE               keeps the kernel's messages
  --verbose                    says how long boot and command took        $VM_VERBOSE

Exit status: CMD's (128+n where signal n killed it); 2 wrong arguments, 124 time
limit, 125 the machine itself failed, 126 CMD cannot be run, 127 no such CMD.
`

// runMachine is scripts/vm/run.sh.
func (t *tool) runMachine(ctx context.Context, args []string) int {
	o, err := machine.ParseOptions(args, t.getenv)
	if errors.Is(err, machine.ErrHelp) {
		fmt.Fprint(t.stdout, runUsage)
		return 0
	}
	if err != nil {
		return t.fail(err)
	}
	o.Applets = machine.Applets(t.cache, o.Kernel)
	p, err := machine.ResolveCommand(o.Command[0], t.root, &o)
	if err != nil {
		return t.fail(err)
	}
	if p.Build != "" {
		dir, err := os.MkdirTemp("", "wordsize-vm-")
		if err != nil {
			return t.fail(err)
		}
		defer os.RemoveAll(dir)
		p.Host = filepath.Join(dir, p.Build)
		if err := t.goBuild(ctx, "./cmd/"+p.Build, o.GOARCH, p.Host); err != nil {
			return t.fail(err)
		}
	}
	if p.Host != "" {
		o.Files = append(o.Files, machine.File{Host: p.Host, Guest: p.Path})
	}
	c := o.Config
	c.Jobs = []guest.Job{{Argv: append([]string{p.Path}, o.Command[1:]...), Env: o.Env, Dir: o.Dir}}
	return t.single(ctx, c, o.Verbose)
}

// single boots a machine for one job and returns its exit status.
func (t *tool) single(ctx context.Context, c machine.Config, verbose bool) int {
	h := &passThrough{tool: t}
	times, err := t.boot(ctx, &c, h)
	if verbose {
		t.say("booted in %.1f s, command %.1f s, all %.1f s (kernel %s)",
			times.Boot.Seconds(), h.exit.WallTime().Seconds(), times.Total.Seconds(), h.kernel)
	}
	if err != nil {
		return t.fail(err)
	}
	if h.exit.Error != "" {
		t.say("%s", h.exit.Error)
	}
	return h.exit.Status
}

// boot fills in where things lie, and runs the machine. One that fails before
// it has started any command is booted once more, within the same time limit.
func (t *tool) boot(ctx context.Context, c *machine.Config, h machine.Handler) (machine.Times, error) {
	c.Cache = t.cache
	c.Init = filepath.Join(t.bin, "init-"+c.Kernel.GOARCH)
	if _, err := machine.Release(c.Cache, c.Kernel); err != nil {
		return machine.Times{}, err
	}
	began := time.Now()
	times, err := machine.Run(ctx, *c, h)
	var m *machine.Error
	if !errors.As(err, &m) || !m.Early || ctx.Err() != nil {
		return times, err
	}
	again := *c
	if again.Timeout -= time.Since(began); again.Timeout <= 0 {
		return times, err
	}
	t.say("the machine failed before any command was started (%s): booting once more", oneLine(err))
	return machine.Run(ctx, again, h)
}

// goBuild builds a package of the repository for the guest.
func (t *tool) goBuild(ctx context.Context, pkg, goarch, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, pkg)
	cmd.Dir = t.root
	cmd.Env = append(hostGoEnv(os.Environ()), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch)
	if b, err := cmd.CombinedOutput(); err != nil {
		return errUsage(fmt.Sprintf("go build %s for %s: %v: %s", pkg, goarch, err, b))
	}
	return nil
}

// hostGoEnv removes what would make the Go tool build for another system.
func hostGoEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "CGO_ENABLED", "GOFLAGS":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// passThrough hands a single job's output on.
type passThrough struct {
	tool   *tool
	kernel string
	exit   guest.Exit
}

// Hello notes the kernel's release.
func (p *passThrough) Hello(h guest.Hello) { p.kernel = h.Kernel }

// Start does nothing: there is one job.
func (p *passThrough) Start(int) {}

// Output writes what the command wrote, where it wrote it.
func (p *passThrough) Output(_ int, stderr bool, b []byte) error {
	w := p.tool.stdout
	if stderr {
		w = p.tool.stderr
	}
	_, err := w.Write(b)
	return err
}

// Note passes a word of the guest's init on.
func (p *passThrough) Note(_ int, text string) { p.tool.say("%s", text) }

// Exit keeps the exit status.
func (p *passThrough) Exit(_ int, e guest.Exit) { p.exit = e }
