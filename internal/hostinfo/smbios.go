package hostinfo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"wordsize/internal/result"
)

// Structures of the System Management BIOS Reference Specification (DMTF
// DSP0134), sections 6.1.2 and 7.18.
const (
	smbiosHeader       = 4 // type, length, handle
	smbiosMemoryDevice = 17
	smbiosEnd          = 127
)

// errSMBIOS is a table that cannot be what it claims to be.
var errSMBIOS = errors.New("SMBIOS table")

// A memoryDevice is one structure of type 17: a slot, or soldered memory.
// What the firmware doesn't know is 0.
type memoryDevice struct {
	bytes         int64 // 0: nothing in the slot, or unknown
	unknownSize   bool
	dataBits      int // width without error correction
	configuredMTs int // megatransfers a second, as it runs
	device, bank  string
}

// parseSMBIOS returns the memory devices of a table, as
// /sys/firmware/dmi/tables/DMI has it. Those before damage are returned with
// the error.
func parseSMBIOS(b []byte) ([]memoryDevice, error) {
	var all []memoryDevice
	for at := 0; at < len(b); {
		if len(b)-at < smbiosHeader {
			return all, fmt.Errorf("%w: %d bytes behind the last structure", errSMBIOS, len(b)-at)
		}
		typ, length := b[at], int(b[at+1])
		if length < smbiosHeader || at+length > len(b) {
			return all, fmt.Errorf("%w: structure of type %d at %d has length %d", errSMBIOS, typ, at, length)
		}
		formatted := b[at : at+length]
		text, size, ok := smbiosStrings(b[at+length:])
		if !ok {
			return all, fmt.Errorf("%w: the strings of the structure at %d have no end", errSMBIOS, at)
		}
		switch typ {
		case smbiosEnd:
			return all, nil
		case smbiosMemoryDevice:
			all = append(all, parseMemoryDevice(formatted, text))
		}
		at += length + size
	}
	return all, nil
}

// smbiosStrings reads the strings behind a structure: each ends with a zero
// byte, all with another; none are two zero bytes.
func smbiosStrings(b []byte) (text []string, size int, ok bool) {
	if len(b) >= 2 && b[0] == 0 && b[1] == 0 {
		return nil, 2, true
	}
	for at := 0; ; {
		n := strings.IndexByte(string(b[at:min(len(b), at+1024)]), 0)
		if n < 0 {
			return nil, 0, false
		}
		if n == 0 {
			return text, at + 1, at > 0
		}
		text = append(text, string(b[at:at+n]))
		at += n + 1
	}
}

// parseMemoryDevice reads what is there: older versions have fewer fields.
func parseMemoryDevice(b []byte, text []string) memoryDevice {
	const unknown = 0xffff
	word := func(at int) int {
		if at+2 > len(b) {
			return 0
		}
		return int(binary.LittleEndian.Uint16(b[at:]))
	}
	long := func(at int) int64 {
		if at+4 > len(b) {
			return 0
		}
		return int64(binary.LittleEndian.Uint32(b[at:]) & 0x7fffffff) // bit 31 is reserved
	}
	name := func(at int) string {
		if at >= len(b) || b[at] == 0 || int(b[at]) > len(text) {
			return ""
		}
		return strings.TrimSpace(text[b[at]-1])
	}
	d := memoryDevice{device: name(0x10), bank: name(0x11)}
	if bits := word(0x0a); bits != unknown {
		d.dataBits = bits
	}
	switch size := word(0x0c); {
	case size == unknown:
		d.unknownSize = true
	case size == 0x7fff: // too large for the field
		d.bytes = long(0x1c) << 20
	case size&0x8000 != 0:
		d.bytes = int64(size&0x7fff) << 10
	default:
		d.bytes = int64(size) << 20
	}
	if d.configuredMTs = word(0x20); d.configuredMTs == unknown {
		d.configuredMTs = int(long(0x58))
	}
	return d
}

// modules sums the devices up; nil when no slot is known to be populated. The
// peak is the sum over channels of width times rate, and absent unless all of
// it is known of every populated slot.
func modules(all []memoryDevice) *result.Modules {
	m := &result.Modules{Slots: len(all), Source: "smbios"}
	type channel struct{ bits, mts int }
	channels := make(map[string]channel)
	named, complete := true, true
	for i, d := range all {
		if d.bytes == 0 && !d.unknownSize {
			continue
		}
		m.Populated++
		if d.dataBits == 0 || d.configuredMTs == 0 {
			complete = false
			continue
		}
		key, ok := d.channel()
		if !ok {
			named = false
			key = fmt.Sprint("slot ", i)
		}
		c, shared := channels[key]
		if !shared || d.configuredMTs < c.mts { // a channel runs at its slowest module's rate
			c.mts = d.configuredMTs
		}
		c.bits = max(c.bits, d.dataBits)
		channels[key] = c
	}
	if m.Populated == 0 {
		return nil
	}
	if !complete {
		return m
	}
	n, peak := len(channels), int64(0)
	for _, c := range channels {
		peak += int64(c.bits) / 8 * int64(c.mts) * 1e6
		m.MegaTransfers = max(m.MegaTransfers, c.mts)
		m.ChannelBits = max(m.ChannelBits, c.bits)
	}
	m.Channels, m.ChannelsAssumed, m.PeakBytesPerS = &n, !named, &peak
	return m
}

// Locators are the vendors' own text. Some name the channel; others number a
// slot by the channel's letter and the slot's place on it.
var (
	channelNamed    = regexp.MustCompile(`(?i)\bch(?:annel|an|nl)?[ _-]*([a-z]|\d+)(?:[^a-z0-9]|dimm|$)`)
	channelLettered = regexp.MustCompile(`(?i)\bdimm[ _-]?([a-z])\d*\b`)
	socketNamed     = regexp.MustCompile(`(?i)\b(?:cpu|proc|processor|socket|node|p)[ _-]*(\d+)`)
	controllerNamed = regexp.MustCompile(`(?i)(?:controller|\bmc|imc)[ _-]*(\d+)`)
)

// channel names the channel of a device, unlike that of any other; ok is
// false when its locators don't tell.
func (d *memoryDevice) channel() (string, bool) {
	text := strings.NewReplacer("_", " ", "/", " ", "-", " ").Replace(d.bank + " | " + d.device)
	for _, re := range []*regexp.Regexp{channelNamed, channelLettered} {
		if m := re.FindStringSubmatch(text); m != nil {
			key := "channel " + strings.ToLower(m[1])
			for _, above := range []*regexp.Regexp{socketNamed, controllerNamed} {
				if m := above.FindStringSubmatch(text); m != nil {
					key += " of " + m[1]
				} else {
					key += " of ?"
				}
			}
			return key, true
		}
	}
	return "", false
}

// maxSMBIOS bounds a table: its length is a 32-bit number, and real ones have
// some kilobytes.
const maxSMBIOS = 1 << 20

// modules reads the memory modules from the firmware's table, which only root
// may read and many virtual machines don't have.
func (fs FS) modules() *result.Modules {
	b, err := readHead(fs.sys("firmware/dmi/tables/DMI"), maxSMBIOS)
	if err != nil {
		return nil
	}
	all, err := parseSMBIOS(b)
	if err != nil {
		return nil // half of a table has half of the channels
	}
	return modules(all)
}
