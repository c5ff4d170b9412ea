package main

// serverPairs are Debian's packages of both architectures, of one version.
func serverPairs() []pair {
	return []pair{
		{name: "perl", kind: kindScript, holds: "hashes of arrays and of hashes", ints: "little: Debian builds i386 with 64-bit integers too; heads and sizes are words",
			packages: []string{"perl-base"}, args: []string{"/usr/bin/perl", "@CORPUS@/servers/perl-hashes.pl"}},
		{name: "lua", kind: kindScript, holds: "tables, strings, closures", ints: "no: lua_Integer and lua_Number are 8 bytes; sizes are words",
			packages: []string{"lua5.4"}, args: []string{"/usr/bin/lua5.4", "@CORPUS@/servers/lua-tables.lua"}},
		{name: "php", kind: kindScript, holds: "objects and arrays", ints: "yes: zend_long; a zval keeps 16 bytes",
			packages: []string{"php8.2-cli"}, args: []string{"/usr/bin/php8.2", "-n", "@CORPUS@/servers/php-objects.php"}},
		{name: "ruby", kind: kindScript, holds: "objects, hashes, strings", ints: "yes: VALUE and Fixnum are words; a slot is 40 or 20 bytes",
			packages: []string{"ruby3.1"}, args: []string{"/usr/bin/ruby3.1", "--disable-gems", "@CORPUS@/servers/ruby-objects.rb"}},
		{name: "tcl", kind: kindScript, holds: "arrays, lists, dicts", ints: "yes: counts; a Tcl_Obj's union of 16 bytes becomes 8",
			packages: []string{"tcl8.6"}, args: []string{"/usr/bin/tclsh8.6", "@CORPUS@/servers/tcl-arrays.tcl"}},
		{name: "guile", kind: kindScript, holds: "hash table of lists, vectors, strings", ints: "yes: SCM is a word; pairs take 16 or 8 bytes (Boehm's collector)",
			packages: []string{"guile-3.0"}, args: []string{"/usr/bin/guile-3.0", "--no-auto-compile", "-s", "@CORPUS@/servers/guile-records.scm"}},
		{name: "sqlite", kind: kindServer, holds: "SQLite's shell with a database in memory", ints: "little: pages are a file format",
			packages: []string{"sqlite3"}, args: []string{"/usr/bin/sqlite3", "-batch", ":memory:"}, stdin: "servers/sqlite-memory.sql"},
		{name: "redis", kind: kindServer, holds: "Redis: 100,000 keys, strings, hashes, lists, sorted sets (jemalloc)", ints: "little: dict tables; encoded integers are boxed in pointers",
			calibration: true, // the model of jemalloc was made on a Redis
			packages:    []string{"redis-server"}, listens: true, load: redisLoad, loadID: "redis1",
			args: []string{"/usr/bin/redis-server", "--port", "@PORT@", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp", "--logfile", "/tmp/redis.log"}},
		{name: "memcached", kind: kindServer, holds: "memcached: 150,000 items of 20 to 1,500 bytes", ints: "little: item headers",
			packages: []string{"memcached"}, listens: true, load: memcachedLoad, loadID: "memcached1", noRoot: true,
			args: []string{"/usr/bin/memcached", "-l", "127.0.0.1", "-p", "@PORT@", "-U", "0", "-m", "512", "-t", "2", "-c", "4096"}},
		{name: "nginx", kind: kindServer, holds: "nginx worker with 3,000 idle connections", ints: "yes: ngx_int_t and ngx_uint_t throughout",
			packages: []string{"nginx"}, listens: true, load: idleHTTP(3000), loadID: "http3000", worker: true,
			args: []string{"/usr/sbin/nginx", "-c", "@CONFIG@/nginx.conf"}},
		{name: "dnsmasq", kind: kindServer, holds: "dnsmasq with 60,000 names of a hosts file", ints: "little: times and flags; unions of addresses",
			packages: []string{"dnsmasq-base", "perl-base"}, listens: true,
			setup: []string{"/usr/bin/perl", "-e", `open F, ">/tmp/names"; print F "10.1.", int($_ / 250), ".", $_ % 250 + 1, " host-$_.example.org\n" for 0 .. 59999`},
			args:  []string{"/usr/sbin/dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--user=root", "--port=@PORT@", "--listen-address=127.0.0.1", "--bind-interfaces", "--no-resolv", "--no-hosts", "--addn-hosts=/tmp/names", "--pid-file=/tmp/dnsmasq.pid"}},
		{name: "postgres", kind: kindServer, holds: "PostgreSQL backend after queries over 800 relations", ints: "little: Datum is a word; shared buffers stay",
			packages: []string{"postgresql-15", "dash"}, listens: true, load: postgresLoad, loadID: "postgres1", worker: true, noRoot: true,
			setup: []string{"/usr/lib/postgresql/15/bin/initdb", "-D", "/tmp/pg", "-U", "truth", "-A", "trust", "-N", "--no-locale", "-E", "UTF8"},
			args:  []string{"/usr/lib/postgresql/15/bin/postgres", "-D", "/tmp/pg", "-p", "@PORT@", "-k", "/tmp", "-c", "listen_addresses=127.0.0.1", "-c", "autovacuum=off", "-c", "jit=off"}},
	}
}
