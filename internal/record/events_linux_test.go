package record

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The offsets are those of the kernel's header as another reader has them.
func TestTaskstatsOffsets(t *testing.T) {
	var s unix.Taskstats
	for name, pair := range map[string][2]uintptr{
		"ac_exitcode": {tsStatus, unsafe.Offsetof(s.Ac_exitcode)},
		"ac_flag":     {tsFlag, unsafe.Offsetof(s.Ac_flag)},
		"run":         {tsRun, unsafe.Offsetof(s.Cpu_run_virtual_total)},
		"ac_comm":     {tsComm, unsafe.Offsetof(s.Ac_comm)},
		"ac_uid":      {tsUID, unsafe.Offsetof(s.Ac_uid)},
		"ac_pid":      {tsPID, unsafe.Offsetof(s.Ac_pid)},
		"ac_ppid":     {tsPPID, unsafe.Offsetof(s.Ac_ppid)},
		"ac_etime":    {tsElapsed, unsafe.Offsetof(s.Ac_etime)},
		"ac_utime":    {tsUser, unsafe.Offsetof(s.Ac_utime)},
		"ac_stime":    {tsSystem, unsafe.Offsetof(s.Ac_stime)},
		"ac_minflt":   {tsMinor, unsafe.Offsetof(s.Ac_minflt)},
		"ac_majflt":   {tsMajor, unsafe.Offsetof(s.Ac_majflt)},
		"hiwater_rss": {tsPeak, unsafe.Offsetof(s.Hiwater_rss)},
		"read_char":   {tsRchar, unsafe.Offsetof(s.Read_char)},
		"write_char":  {tsWchar, unsafe.Offsetof(s.Write_char)},
		"read_bytes":  {tsRead, unsafe.Offsetof(s.Read_bytes)},
		"write_bytes": {tsWrite, unsafe.Offsetof(s.Write_bytes)},
		"ac_tgid":     {tsTGID, unsafe.Offsetof(s.Ac_tgid)},
		"ac_tgetime":  {tsGroupElapsed, unsafe.Offsetof(s.Ac_tgetime)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is at %d, not %d", name, pair[1], pair[0])
		}
	}
}
