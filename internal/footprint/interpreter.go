package footprint

import "strings"

// interpreterOf finds an interpreter, or its library, by the names of mappings:
// "ruby", "lua", or "" for another program. What is used of it is how its values
// are laid out, which its headers say.
func interpreterOf(maps []vma) string {
	for i := range maps {
		if !maps[i].file() {
			continue
		}
		name := maps[i].name[strings.LastIndexByte(maps[i].name, '/')+1:]
		name = strings.TrimPrefix(name, "lib")
		for _, lang := range [...]string{"ruby", "lua"} {
			rest, ok := strings.CutPrefix(name, lang)
			rest = strings.TrimPrefix(rest, "-") // libruby-3.1.so
			if ok && (rest == "" || rest[0] == '.' || rest[0] >= '0' && rest[0] <= '9') {
				return lang
			}
		}
	}
	return ""
}

// interpreter sets what is known of an interpreter's words.
func (w *widths) interpreter(name string) {
	switch name {
	case "ruby":
		// A VALUE is a word of any bits: a pointer, a Fixnum, a flonum, a symbol
		// (include/ruby/internal/value.h, special_consts.h).
		w.hashes = true
	case "lua":
		// TValue {union of 8 bytes, tag}, Node {union, tag, key's tag, next, key's
		// union}: 16 and 24 bytes on 64 bits, 12 and 24 on i386, where doubles are
		// aligned to 4 (lobject.h of 5.3 and 5.4).
		w.lua = true
	}
}

// luaValues finds TValues and Nodes among the positions of a period.
func luaValues(at [][classes]uint32) (v values, ok bool) {
	for i := range at {
		if c := &at[i]; !tagLike(c) || 10*c[classZero] > 9*(c[classZero]+filled(c)) {
			continue
		}
		if v.tag != 0 {
			return v, false // a number beside the tag
		}
		v.tag = 1 << i
		if len(at) == 3 {
			v.packed = v.tag
		}
	}
	v.period = len(at)
	v.value = (1<<len(at) - 1) &^ v.tag
	return v, v.tag != 0 && (v.period == 2 || v.period == 3)
}

// luaPeriod returns the length of Lua's records that words are made of, 0 for
// none.
func (a *arrayer) luaPeriod(words []class) int {
	if !a.w.lua {
		return 0
	}
	for _, p := range [...]int{2, 3} {
		var room [3][classes]uint32
		for i, c := range words {
			room[i%p][c]++
		}
		if _, ok := luaValues(room[:p]); ok {
			return p
		}
	}
	return 0
}
