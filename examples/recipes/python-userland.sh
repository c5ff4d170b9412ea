#!/usr/bin/env bash
# python-userland.sh [--FLAG VALUE]...: the same Python and Django from Debian's
# packages for amd64 and for i386, each from a folder of unpacked packages that
# its own loader runs: VIRT, RES, PSS and USS at four stages. The machine's own
# package database is not touched. --help lists the flags. Needs apt-get and
# dpkg-deb (any Debian), and the network for the packages, unless --userlands has
# them.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

arch="amd64 i386" records=60000 settle=0.5 userlands='' sources=/etc/apt/sources.list.d/debian.sources
[ -e $sources ] || sources=/etc/apt/sources.list
flag arch "of Debian's packages: the wide one first"
flag records "records that Python holds from the stage data on"
flag settle "seconds between a stage's end and its measurement"
flag userlands "folder for the unpacked packages, which are else removed"
flag sources "apt's list of sources"
parse_flags "$@"
numbers records
words arch amd64 i386 arm64 armhf
[ -r "$sources" ] || die 2 "--sources $sources: cannot be read"
need apt-get apt
need dpkg-deb dpkg
needed
have_rsswatch
userlands=${userlands:-$tmp/userlands}
mkdir -p "$userlands"
userlands=$(cd "$userlands" && pwd)

# fetch ARCH: unpacks python3-django and all that it depends on. The lists, the
# state and the cache are apt's own ones in a folder here.
fetch() {
	local dir=$userlands/$1.apt a=$1 deb
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$userlands/$a.new"
	: >"$dir/status"
	local options=(-q -y -o "APT::Architecture=$a" -o "APT::Architectures=$a" -o "Dir::State=$dir" -o "Dir::State::Lists=$dir/lists"
		-o "Dir::State::status=$dir/status" -o "Dir::Cache=$dir/cache" -o "Dir::Etc::sourcelist=$sources" -o Dir::Etc::sourceparts=/dev/null
		-o APT::Sandbox::User= -o Acquire::Retries=3 -o Acquire::Languages=none -o Debug::NoLocking=1)
	# One of several suites may fail; whether the packages are found is what counts.
	apt-get "${options[@]}" update >"$tmp/apt.log" 2>&1 || true
	apt-get "${options[@]}" --no-install-recommends --download-only install python3-django >>"$tmp/apt.log" 2>&1 ||
		die 1 "cannot fetch the packages for $a: $(grep '^E:' "$tmp/apt.log" | tail -n 3)"
	for deb in "$dir"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$userlands/$a.new"; done
	rm -rf "$dir"
	mv "$userlands/$a.new" "$userlands/$a"
}

# python ARCH ARGUMENT...: replaces this shell by the userland's Python.
python() {
	local dir=$userlands/$1 loader python
	shift
	loader=$(find "$dir/lib" "$dir/usr/lib" -maxdepth 2 -type f -name 'ld-linux*' 2>/dev/null | head -n 1)
	python=$(find "$dir/usr/bin" -type f -name 'python3.[0-9]*' | head -n 1)
	local libraries=${loader%/*}
	libraries=$libraries:$dir/usr/lib/${libraries##*/}
	exec env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 TZ=UTC PYTHONHASHSEED=0 "PYTHONHOME=$dir/usr" \
		"PYTHONPATH=$dir/usr/lib/python3/dist-packages" "RECORDS=$records" "$loader" --library-path "$libraries" "$python" "$@"
}

for a in $arch; do
	[ -d "$userlands/$a" ] || fetch "$a"
	if (python "$a" -c '') 2>"$tmp/why"; then
		archs+=("$a")
		# Compiled files, so that no stage holds what the compiler left.
		(python "$a" -m compileall -q --invalidation-mode unchecked-hash "$userlands/$a/usr/lib/python3"* >/dev/null) || true
	else
		echo "$self: $a: $(tail -n 1 "$tmp/why")" >&2
		not_run+=("$a")
	fi
done
[ ${#archs[@]} -gt 0 ] || die 3 "this kernel executes programs of none of $arch"

# stages ARCH: a row for each.
stages() {
	local fifo=$tmp/go name pid
	rm -f "$fifo" "$tmp/stages"
	mkfifo "$fifo"
	(python "$1" -B "$examples/recipes/django/pages.py") <"$fifo" >"$tmp/stages" &
	pid=$!
	started "$pid"
	exec 9>"$fifo"
	for name in python django data requests; do
		line "$tmp/stages" "^$name\$" "$pid" >/dev/null
		sleep "$settle"
		echo "$1 $name $(sums . --pid "$pid")" >>"$tmp/rows"
		echo >&9
	done
	exec 9>&-
	finish "$pid" || die 1 "$1: Python failed"
}

for a in "${archs[@]}"; do
	echo "$a" >&2
	stages "$a"
done

awk -v archs="${archs[*]}" '
	function mb(v) { return v == "?" ? v : sprintf("%.1f", v / 1e6) }
	{ if (!($2 in seen)) { seen[$2]; stage[++s] = $2 } for (i = 1; i <= 4; i++) v[$1, $2, i] = $(3 + i) }
	END {
		n = split(archs, arch, " ")
		split("VIRT RES PSS USS", name, " ")
		printf "%-9s", "MB"
		for (i = 1; i <= 4; i++) printf " | %-22s", name[i] " " (n == 2 ? arch[1] " > " arch[2] : arch[1])
		print ""
		for (j = 1; j <= s; j++) {
			printf "%-9s", stage[j]
			for (i = 1; i <= 4; i++) {
				a = v[arch[1], stage[j], i]; b = v[arch[2], stage[j], i]
				if (n < 2) text = mb(a)
				else text = mb(a) " > " mb(b) (a == "?" || b == "?" ? "" : sprintf(" (%+.0f %%)", 100 * (b / a - 1)))
				printf " | %-22s", text
			}
			print ""
		}
	}' "$tmp/rows"
echo "MB is 10^6 bytes. python: started; django: set up; data: $records records in memory; requests: 400 pages served."
note_not_run
