// Package guest is what the runner on the host and the init in the guest tell
// each other: the spec that lies in the initramfs, and the payloads of the
// wire's frames.
package guest

import "time"

// Places and names that both sides know.
const (
	SpecPath  = "/vm/spec.json"
	PortName  = "wordsize.vm" // of the virtio-serial port
	OutDir    = "/out"        // where a command leaves results
	WorkDir   = "/files"      // default working directory, and home of --file
	FailMark  = "vm-init: cannot go on: "
	DebugPort = 0xf4 // isa-debug-exit: DebugExit written there ends qemu ...
	DebugExit = 0x10 // ... with status DebugExit*2+1, which qemu itself never uses
)

// Mode of a shared folder.
type Mode string

// The modes: read-only, writable on the host, and writable in the guest's
// memory only (an overlay that vanishes with the machine).
const (
	ReadOnly    Mode = "ro"
	ReadWrite   Mode = "rw"
	CopyOnWrite Mode = "cow"
)

// Mount is a folder of the host that init mounts by 9p.
type Mount struct {
	Tag  string `json:"tag"`
	Path string `json:"path"`
	Mode Mode   `json:"mode"`
}

// Job is one command.
type Job struct {
	Argv []string `json:"argv"`
	Env  []string `json:"env"` // NAME=VALUE
	Dir  string   `json:"dir"`
}

// Spec is the whole order to init.
type Spec struct {
	Hostname string   `json:"hostname"`
	Modules  []string `json:"modules"` // paths of .ko files, in load order
	Mounts   []Mount  `json:"mounts"`
	Jobs     []Job    `json:"jobs"`
	Seed     []byte   `json:"seed"` // for the kernel's random numbers
}

// Hello is init's first word.
type Hello struct {
	Kernel string `json:"kernel"` // release, as uname -r
	Uptime int64  `json:"uptime"` // ms since the kernel started
}

// Exit says how a job ended.
type Exit struct {
	Status  int    `json:"status"`           // exit status, 128+n for signal n
	Signal  int    `json:"signal,omitempty"` // number of the signal that ended it
	Wall    int64  `json:"wall"`             // ms
	Retried bool   `json:"retried,omitempty"`
	Error   string `json:"error,omitempty"` // why it could not be started (status 126 or 127)
	MaxRSS  int64  `json:"maxrss"`          // kB, as getrusage(2) says of the ended process
}

// WallTime returns how long the job ran.
func (e Exit) WallTime() time.Duration { return time.Duration(e.Wall) * time.Millisecond }
