//go:build ignore

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// live runs a command on a pseudo terminal of 200 by 50 for a while, ends it
// with the key q and returns its highest RSS in bytes and its CPU time.
func live(name string, d time.Duration, args ...string) (rss int64, cpu time.Duration, err error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return 0, 0, err
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return 0, 0, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return 0, 0, err
	}
	size := &unix.Winsize{Row: 50, Col: 200}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		return 0, 0, err
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return 0, 0, err
	}
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		return 0, 0, err
	}
	slave.Close()
	go io.Copy(io.Discard, master)
	time.Sleep(d)
	rss = field(fmt.Sprintf("/proc/%d/status", c.Process.Pid), "VmHWM")
	master.Write([]byte("q"))
	err = c.Wait()
	return rss, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}
