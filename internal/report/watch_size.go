package report

import (
	"strconv"
	"time"

	"wordsize/internal/result"
)

// AppendWatchSize appends a size in bytes as top writes it: KiB as a plain
// number up to four digits, then m, g, t, p, e for powers of 1024, with one
// decimal where that fits into four characters: 3832, 9.8m, 96m, 2.1g.
func AppendWatchSize(dst []byte, bytes int64) []byte {
	if bytes < 0 {
		return AppendWatchSize(append(dst, '-'), -max(bytes, -1<<63+1))
	}
	if kib := bytes>>10 + bytes>>9&1; kib <= 9999 {
		return strconv.AppendInt(dst, kib, 10)
	}
	unit := int64(1 << 20)
	for _, suffix := range "mgtpe" {
		// Tenths are computed in integers: floats print 9.95 as 9.9 or 10.0.
		if tenths := mulDiv(bytes, 10, unit); tenths < 100 {
			dst = strconv.AppendInt(dst, tenths/10, 10)
			dst = append(dst, '.', byte('0'+tenths%10))
			return append(dst, byte(suffix))
		}
		if n := mulDiv(bytes, 1, unit); n <= 999 {
			dst = strconv.AppendInt(dst, n, 10)
			return append(dst, byte(suffix))
		}
		unit <<= 10
	}
	return dst // not reached: 2^63 bytes are 8.0e
}

// mulDiv returns a*m/unit, rounded, for m of 1 or 10 without overflow.
func mulDiv(a, m, unit int64) int64 {
	whole, rest := a/unit, a%unit
	return whole*m + int64((float64(rest)*float64(m))/float64(unit)+0.5)
}

// AppendWatchCPUTime appends CPU time as top's TIME+: minutes, seconds and
// hundredths (1:49.61), hours and minutes from 100 hours on (123h45).
func AppendWatchCPUTime(dst []byte, d time.Duration) []byte {
	hundredths := int64(d / (10 * time.Millisecond))
	minutes := hundredths / 6000
	if minutes >= 6000 {
		dst = strconv.AppendInt(dst, minutes/60, 10)
		return appendTwo(append(dst, 'h'), minutes%60)
	}
	dst = strconv.AppendInt(dst, minutes, 10)
	dst = appendTwo(append(dst, ':'), hundredths/100%60)
	return appendTwo(append(dst, '.'), hundredths%100)
}

// AppendWatchAge appends an age in at most five characters: 12s, 5m03, 3h12,
// 5d04, 123d.
func AppendWatchAge(dst []byte, d time.Duration) []byte {
	s := int64(d / time.Second)
	pair := func(big int64, unit byte, small int64) []byte {
		dst = strconv.AppendInt(dst, big, 10)
		return appendTwo(append(dst, unit), small)
	}
	switch {
	case s < 60:
		return append(strconv.AppendInt(dst, s, 10), 's')
	case s < 3600:
		return pair(s/60, 'm', s%60)
	case s < 86400:
		return pair(s/3600, 'h', s/60%60)
	case s < 100*86400:
		return pair(s/86400, 'd', s/3600%24)
	}
	return append(strconv.AppendInt(dst, s/86400, 10), 'd')
}

// appendAge appends ' and how old a value is, nothing when it is this tick's.
func appendAge(dst []byte, age result.Bytes) []byte {
	if !age.Known {
		return dst
	}
	return appendStale(append(dst, '\''), time.Duration(age.Value))
}

// appendStale appends how old a value is, as one number and unit: 4s, 3m, 2h.
func appendStale(dst []byte, d time.Duration) []byte {
	switch s := int64((d + time.Second/2) / time.Second); {
	case s < 60:
		return append(strconv.AppendInt(dst, max(1, s), 10), 's')
	case s < 3600:
		return append(strconv.AppendInt(dst, s/60, 10), 'm')
	default:
		return append(strconv.AppendInt(dst, s/3600, 10), 'h')
	}
}

func appendTwo(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10%10), byte('0'+n%10))
}

// appendPercent appends a percentage with one decimal below 100, none above.
func appendPercent(dst []byte, v float64) []byte {
	if v < 99.95 {
		return strconv.AppendFloat(dst, v, 'f', 1, 64)
	}
	return strconv.AppendFloat(dst, v, 'f', 0, 64)
}
