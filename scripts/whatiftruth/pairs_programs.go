package main

func goProgram(name, holds, ints string) pair {
	return pair{name: name, kind: kindGo, holds: holds, ints: ints, goMain: name}
}

// goPairs are built from corpus/NAME.
func goPairs() []pair {
	idle := goProgram("go-httpidle", "net/http server, 2,000 idle keep-alive connections", "little: lengths and state in the runtime")
	idle.args, idle.listens, idle.load, idle.loadID = []string{"@PORT@"}, true, idleHTTP(2000), "http2000"
	all := []pair{
		goProgram("go-lru", "container/list and map[string]*Element, after churn, garbage left", "yes: hits, string and slice headers"),
		goProgram("go-radix", "radix tree over paths", "yes: string and slice headers, boxed int"),
		goProgram("go-jsondoc", "JSON decoded into map[string]any", "yes: headers; numbers are float64"),
		goProgram("go-graph", "graph: nodes with slices of pointers to edges", "yes: one int in a node, slice headers"),
		idle,
		goProgram("go-series", "rings of {int64, float64}", "no: 8-byte data"),
		goProgram("go-index", "map[string][]string inverted index", "yes: string and slice headers"),
		goProgram("go-queue", "priority queue of interface values", "yes: one int in a type; times are int64"),
		goProgram("go-btree", "B-tree of {uint64, string, int32}", "yes: string headers; keys are uint64"),
		goProgram("go-orders", "structs with time.Time, strings, slices", "yes: int fields, headers; time.Time keeps 16 of 24 bytes"),
		goProgram("go-goroutines", "10,000 waiting goroutines with channels", "yes: stacks keep their minimum of 2 KiB"),
		goProgram("go-syntax", "go/ast syntax trees", "yes: positions are int"),
		goProgram("go-readings", "map of structs with time.Time, string, floats; slices of pointers to them", "little: string headers; time.Time keeps 16 of 24 bytes"),
		goProgram("go-ring", "rings of []byte", "little: slice headers"),
		goProgram("go-intern", "table of symbols: map[string]int, structs with slices of int32", "yes: the ids, headers"),
	}
	for _, p := range []pair{
		goProgram("calib-list", "linked list of {next, int}", "yes: the int"),
		goProgram("calib-strings", "slice of short strings", "yes: string headers"),
		goProgram("calib-float64s", "[]float64", "no"),
		goProgram("calib-mapint", "map[int]int", "yes: all of it"),
		goProgram("calib-records", "records of string, slice, int, float64, pointer", "yes: the int, headers"),
		goProgram("calib-tree", "binary tree {l, r, int32, uint8}", "no: int32"),
		goProgram("calib-bytes", "byte buffers", "no"),
		goProgram("calib-int64s", "[]int64 of small values", "no: but content cannot tell"),
		goProgram("calib-ints", "[]int of small values", "yes: all of it; content cannot tell"),
	} {
		p.calibration = true
		all = append(all, p)
	}
	return all
}

// cPairs are compiled from corpus/c for both word sizes and run on Debian's
// C library of that word size.
func cPairs() []pair {
	program := func(name, file, holds, ints string) pair {
		return pair{name: name, kind: kindC, holds: holds, ints: ints, cSource: file, packages: compilerPackages, args: []string{"/programs/" + name}}
	}
	hash := program("c-hash", "c-hash.c", "hash table with chaining, keys and values from malloc; no PIE", "yes: size_t hash")
	hash.fixed = true
	return []pair{
		hash,
		program("c-rbtree", "c-rbtree.c", "red-black tree", "yes: unsigned long key"),
		program("c-strings", "c-strings.c", "growing array of char*, strings from malloc", "little: malloc's headers"),
		program("c-churn", "c-churn.c", "blocks of mixed sizes after malloc and free in disorder", "yes: a quarter are size_t"),
		program("c-list", "c-list.c", "linked list of small nodes with long fields", "yes: long"),
		program("c-points", "c-points.c", "records of double and int64_t", "no: 8-byte data, int32_t"),
		program("cxx-map", "cxx-map.cc", "std::map of std::string to std::vector of structs", "yes: string and vector headers"),
		program("cxx-cache", "cxx-cache.cc", "std::unordered_map of uint64_t to std::shared_ptr", "yes: string lengths; keys are uint64_t"),
		program("c-trie", "c-trie.c", "trie with 26 pointers in a node", "no: int and char beside pointers"),
		program("c-quotes", "c-quotes.c", "hash table of records of double and char[16]", "little: one long"),
		program("cxx-names", "cxx-names.cc", "std::unordered_map of int64_t to std::string, short and long", "yes: string lengths, hashes; keys are int64_t"),
	}
}

// What is needed to compile against: headers, startup files, libraries.
var compilerPackages = []string{"libc6-dev", "libstdc++-12-dev"}

// pythonPairs run Debian's CPython 3.11 of both architectures.
func pythonPairs() []pair {
	program := func(name, holds, ints string) pair {
		return pair{name: name, kind: kindPython, holds: holds, ints: ints, packages: []string{"python3.11"}, args: []string{"/usr/bin/python3.11", "@CORPUS@/python/" + name + ".py"}}
	}
	django := func(name, holds string) pair {
		p := program(name, holds, "yes: reference counts, sizes and hashes of every object")
		p.packages = []string{"python3.11", "python3-django"}
		return p
	}
	rows := django("django-rows", "Django and 60,000 rows like pages")
	rows.calibration = true
	return []pair{
		program("py-dicts", "list of dicts", "yes: reference counts, sizes and hashes of every object"),
		program("py-slots", "objects with __slots__ and with __dict__", "yes: reference counts and sizes"),
		program("py-blobs", "big strings and bytes by key", "little: data"),
		program("py-sqlite", "SQLite in memory, from Python", "little: SQLite's pages are a file format; tuples are words"),
		program("py-tree", "syntax trees and code objects", "yes: reference counts and sizes"),
		program("py-xml", "document of xml.etree.ElementTree", "yes: reference counts and sizes"),
		django("django-worker", "Django worker after requests to its admin"),
		rows,
	}
}
