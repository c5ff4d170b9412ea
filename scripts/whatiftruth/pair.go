package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
)

// A pair is one program for both word sizes, with the load that brings it to
// its stage. It comes from goMain or from packages; a cSource is compiled
// against the headers and libraries of its packages.
type pair struct {
	name        string
	kind        string // one of the kinds below
	holds       string // what it keeps in memory, in a few words
	ints        string // do word-sized integers matter: yes, little, no; and which
	calibration bool   // used to calibrate the estimate, so not counted

	goMain   string   // folder below corpus/
	cSource  string   // file below corpus/c/
	fixed    bool     // linked for a fixed address, as programs were before PIE
	packages []string // Debian packages

	args    []string // command and arguments; @PORT@ and @CORPUS@ are replaced
	stdin   string   // file below corpus/ that is fed first; input then stays open
	listens bool     // ready when it accepts connections, else when it prints READY
	worker  bool     // its newest child is measured: a server's worker
	setup   []string // a command to run once before, such as one that makes a database
	noRoot  bool     // refuses to run as root
	load    load     // what to do once it is ready
	loadID  string   // changes when load does: part of the key of the cache
}

// A load brings a server that listens on addr to its stage. Connections that
// must stay open belong into keep.
type load func(ctx context.Context, addr string, keep *connections) error

// connections are what a load holds open until the program is measured.
type connections struct{ all []net.Conn }

func (k *connections) add(c net.Conn) { k.all = append(k.all, c) }

func (k *connections) close() {
	for _, c := range k.all {
		c.Close()
	}
	k.all = nil
}

// Word sizes of a pair, by their names in GOARCH and in Debian.
type wordSize struct {
	goarch, debian, cflag string
	bits                  int
}

var (
	wide   = wordSize{"amd64", "amd64", "-m64", 64}
	narrow = wordSize{"386", "i386", "-m32", 32}
)

// Kinds of programs, in the order of the table.
const (
	kindGo     = "Go"
	kindC      = "C"
	kindPython = "CPython"
	kindScript = "interpreter"
	kindServer = "server"
)

// corpus returns all pairs: those to count first, then the calibration's.
func corpus() []pair {
	all := slices.Concat(goPairs(), cPairs(), pythonPairs(), serverPairs())
	slices.SortStableFunc(all, func(a, b pair) int {
		switch {
		case a.calibration == b.calibration:
			return 0
		case a.calibration:
			return 1
		}
		return -1
	})
	return all
}

// choose returns the pairs that match any of the names; a name may end with
// *. No names: all.
func choose(all []pair, names []string) ([]pair, error) {
	if len(names) == 0 {
		return all, nil
	}
	var some []pair
	used := make([]bool, len(names))
	for _, p := range all {
		take := false
		for i, n := range names {
			prefix, star := strings.CutSuffix(n, "*")
			if p.name == n || star && strings.HasPrefix(p.name, prefix) {
				used[i], take = true, true
			}
		}
		if take {
			some = append(some, p)
		}
	}
	for i, n := range names {
		if !used[i] {
			return nil, fmt.Errorf("--only: no program %q; --list names them", n)
		}
	}
	return some, nil
}
