package machine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/vm/cpio"
	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/wire"
)

const (
	consoleKept  = 32 << 10 // bytes of the console kept for an error
	consoleShown = 30       // lines of it that are shown
	powerOffTime = 10 * time.Second
)

// Run boots the machine, runs its jobs and returns when qemu has ended. It
// leaves no file behind and shares none with another machine: the initramfs is
// a memory file, console and channel are socket pairs.
func Run(ctx context.Context, c Config, h Handler) (Times, error) {
	if err := c.check(); err != nil {
		return Times{}, err
	}
	if _, err := exec.LookPath(Qemu); err != nil {
		return Times{}, &Error{Reason: Qemu + " is missing: install the Debian package " + QemuPkg, Err: err}
	}
	kvm, err := useKVM(c.Accel)
	if err != nil {
		return Times{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%w after %v", ErrTimeLimit, c.Timeout))
	defer cancel()
	m := &running{config: c, handler: h, console: tail{max: consoleKept}, says: tail{max: 4096}}
	if err := m.start(ctx, kvm); err != nil {
		return Times{}, err
	}
	err = m.serve(ctx)
	m.times.Total = time.Since(m.began)
	return m.times, err
}

// running is a machine at work.
type running struct {
	config  Config
	handler Handler
	cmd     *exec.Cmd
	channel *os.File
	console tail // the kernel's messages
	says    tail // qemu's own messages
	logDone chan struct{}
	ended   chan error // gets cmd.Wait's result
	began   time.Time
	hello   bool
	started bool // a job was started
	done    bool // the End frame has come
	times   Times
}

// start makes the initramfs and the sockets, and starts qemu.
func (m *running) start(ctx context.Context, kvm bool) error {
	image, err := memoryImage(&m.config)
	if err != nil {
		return err
	}
	defer image.Close()
	log, logPeer, err := socketPair("console")
	if err != nil {
		return err
	}
	defer logPeer.Close()
	channel, channelPeer, err := socketPair("channel")
	if err != nil {
		log.Close()
		return err
	}
	defer channelPeer.Close()
	logFile := io.Discard
	if m.config.Console != "" {
		f, err := os.Create(m.config.Console)
		if err != nil {
			return usagef("--console: %v", err)
		}
		logFile = f
	}
	m.channel = channel
	m.cmd = exec.Command(Qemu, qemuArgs(&m.config, plumbing{
		kernel:    filepath.Join(kernelDir(m.config.Cache, m.config.Kernel), vmlinuxName),
		initrd:    "/proc/self/fd/3",
		consoleFD: 4, channelFD: 5, kvm: kvm,
	})...)
	m.cmd.ExtraFiles = []*os.File{image, logPeer, channelPeer}
	m.cmd.Stdout, m.cmd.Stderr = &m.says, &m.says
	// an own process group: Ctrl-C on a terminal reaches this process, which
	// then ends qemu; and qemu ends if this process is killed
	m.cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	m.began = time.Now()
	m.ended = make(chan error, 1)
	started := make(chan error)
	go func() {
		// the parent-death signal is about this thread, not the process
		runtime.LockOSThread()
		err := m.cmd.Start()
		started <- err
		if err == nil {
			m.ended <- m.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return &Error{Reason: "qemu could not be started: " + err.Error(), Err: err}
	}
	m.logDone = make(chan struct{})
	go func() {
		defer close(m.logDone)
		defer log.Close()
		_, _ = io.Copy(io.MultiWriter(&m.console, logFile), log) // a reset at qemu's end is its end
		if f, ok := logFile.(*os.File); ok {
			f.Close()
		}
	}()
	context.AfterFunc(ctx, func() { _ = m.cmd.Process.Kill() })
	return nil
}

// serve reads the channel to its end and waits for qemu.
func (m *running) serve(ctx context.Context) error {
	err := m.readFrames()
	if !m.done && err != nil && !errors.Is(err, errEnded) {
		_ = m.cmd.Process.Kill()
	}
	status := m.wait()
	m.channel.Close() // only now: qemu drops what it has not read of a closed socket
	<-m.logDone
	switch {
	case m.done:
		return nil
	case ctx.Err() != nil:
		if errors.Is(context.Cause(ctx), ErrTimeLimit) && !m.hello {
			return m.failure(fmt.Sprintf("time limit of %v reached before the machine was up", m.config.Timeout), ErrTimeLimit)
		}
		return context.Cause(ctx)
	}
	reason := err.Error()
	if errors.Is(err, errEnded) {
		reason = explain(m.console.String(), m.says.String(), status, m.hello)
	}
	failure := m.failure(reason, err)
	failure.Early = !m.started && m.says.String() == ""
	return failure
}

// errEnded means that the channel ended before the guest said so.
var errEnded = errors.New("the channel ended early")

func (m *running) failure(reason string, err error) *Error {
	return &Error{Reason: reason, Console: lastLines(m.console.String(), consoleShown), Err: err}
}

// wait waits for qemu, with a limit where the guest has said that it is done.
func (m *running) wait() string {
	limit := time.AfterFunc(powerOffTime, func() { _ = m.cmd.Process.Kill() })
	defer limit.Stop()
	err := <-m.ended
	if err != nil {
		return err.Error()
	}
	return m.cmd.ProcessState.String()
}

// readFrames passes on what the guest sends until it is done or gone.
func (m *running) readFrames() error {
	r := bufio.NewReaderSize(m.channel, 2*wire.MaxPayload)
	for {
		f, err := wire.Read(r)
		switch {
		case errors.Is(err, wire.ErrBroken):
			return fmt.Errorf("what the guest sent is damaged: %w", err)
		case err != nil:
			return errEnded
		}
		if err := m.handle(f); err != nil || m.done {
			return err
		}
	}
}

func (m *running) handle(f wire.Frame) error {
	switch f.Type {
	case wire.Hello:
		var h guest.Hello
		if err := json.Unmarshal(f.Data, &h); err != nil {
			return fmt.Errorf("the guest's greeting: %w", err)
		}
		m.hello = true
		m.times.Boot = time.Since(m.began)
		m.handler.Hello(h)
	case wire.Start:
		m.started = true
		m.handler.Start(f.Job)
	case wire.Stdout, wire.Stderr:
		if err := m.handler.Output(f.Job, f.Type == wire.Stderr, f.Data); err != nil {
			return fmt.Errorf("write the command's output: %w", err)
		}
	case wire.Note:
		m.handler.Note(f.Job, string(f.Data))
	case wire.Exit:
		var e guest.Exit
		if err := json.Unmarshal(f.Data, &e); err != nil {
			return fmt.Errorf("the command's exit status: %w", err)
		}
		m.handler.Exit(f.Job, e)
	case wire.Fail:
		_ = wire.NewWriter(m.channel).Write(wire.Frame{Type: wire.Ack}) // the reason is known already
		return errors.New("the guest could not be set up: " + string(f.Data))
	case wire.End:
		m.done = true
		return wire.NewWriter(m.channel).Write(wire.Frame{Type: wire.Ack})
	default:
		return fmt.Errorf("the guest sent a %v frame", f.Type)
	}
	return nil
}

// memoryImage returns the initramfs as a file that exists in memory only.
func memoryImage(c *Config) (*os.File, error) {
	fd, err := unix.MemfdCreate("initramfs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory for the initramfs: %w", err)
	}
	f := os.NewFile(uintptr(fd), "initramfs")
	b := bufio.NewWriterSize(f, 1<<20)
	if err := writeImage(cpio.NewWriter(b), c); err != nil {
		f.Close()
		return nil, err
	}
	if err := b.Flush(); err != nil {
		f.Close()
		return nil, fmt.Errorf("write the initramfs: %w", err)
	}
	return f, nil
}

// socketPair returns our end, which the runtime polls, and qemu's.
func socketPair(name string) (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socket for the %s: %w", name, err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, fmt.Errorf("socket for the %s: %w", name, err)
	}
	return os.NewFile(uintptr(fds[0]), name), os.NewFile(uintptr(fds[1]), name), nil
}

// The requests of /dev/kvm (Documentation/virt/kvm/api.rst).
const (
	kvmGetAPIVersion = 0xae00
	kvmCreateVM      = 0xae01
	kvmAPIVersion    = 12
)

// useKVM decides between emulation and KVM by making an empty machine.
func useKVM(accel string) (bool, error) {
	if accel == "tcg" {
		return false, nil
	}
	err := tryKVM()
	if err != nil && accel == "kvm" {
		return false, &Error{Reason: "--accel kvm: KVM does not work here: " + err.Error(), Err: err}
	}
	return err == nil, nil
}

func tryKVM() error {
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := unix.IoctlRetInt(int(f.Fd()), kvmGetAPIVersion)
	if err != nil || v != kvmAPIVersion {
		return fmt.Errorf("/dev/kvm: API version %d: %w", v, errors.Join(err, errors.ErrUnsupported))
	}
	vm, err := unix.IoctlRetInt(int(f.Fd()), kvmCreateVM)
	if err != nil {
		return fmt.Errorf("/dev/kvm: make a machine: %w", err)
	}
	return unix.Close(vm)
}
