#!/usr/bin/env bash
# run.sh [--FLAG VALUE]...: the 64-bit and the 32-bit build of prefork under the
# same requests: both top tables, and what 32 bits save. --help lists the flags.
# Needs Go.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

arch="amd64 386" workers=10 pages=20000 cache=20000 warm=20000 requests=3000 concurrency=8 settle=1 top=14 out=
pss_budget=5% # of processes that share much, an estimate would say little
flag arch "builds: the wide one first"
flag workers "worker processes"
flag pages "pages of the site"
flag cache "pages that a worker holds"
flag warm "pages that a worker loads when it starts"
flag requests "pages to ask for"
flag concurrency "requests at a time"
flag settle "seconds between the last request and the table"
flag top "rows of a table"
flag delay "seconds between two ticks of the recording"
flag pss_budget "share of the time that the recording may take to read PSS"
flag out "folder for the recordings, which are else removed"
parse_flags "$@"
for f in workers pages requests concurrency top; do numbers $f; done
words arch amd64 386 arm64 arm

have_rsswatch
keep_recordings "$out"
# shellcheck disable=SC2086 # a list of words
runnable $arch
build ./prefork/cmd/prefork-client "$tmp/prefork-client"
for a in "${archs[@]}"; do
	build ./prefork/cmd/prefork-server "$tmp/prefork-$a" "$a"
	record "build=$a" "$tmp/server" "$tmp/prefork-$a" --workers "$workers" --pages "$pages" --cache "$cache" --warm "$warm"
	addr=$(line "$tmp/server" '^listening on ' "$recorder")
	pid=$(line "$tmp/server" '^parent is process ' "$recorder")
	pid=${pid##* }
	line "$tmp/server" '^ready' "$recorder" >/dev/null
	echo "== $a"
	run "$tmp/client" "$tmp/prefork-client" --addr "${addr#listening on }" --requests "$requests" --concurrency "$concurrency" \
		--pages "$pages" || die 1 "$(cat "$tmp/client")"
	cat "$tmp/client"
	sleep "$settle"
	"$rsswatch" -b -n 1 --tree "$pid" --top "$top" --columns pid,arch,s,virt,res,shr,pss,uss,time+,command
	sums '^page$' --tree "$pid" >>"$tmp/rows"
	stop "$recorder"
	echo
done

if [ ${#archs[@]} = 2 ]; then
	awk -v a="${archs[0]}" -v b="${archs[1]}" '
		NR == 1 { n = $1; for (i = 2; i <= 5; i++) wide[i] = $i; next }
		{
			printf "One worker of %d, MiB   %8s %8s   saving\n", n, a, b
			split("VIRT RES PSS USS", name, " ")
			for (i = 2; i <= 5; i++)
				if (wide[i] == "?" || $i == "?") printf "  %-20s %8s %8s\n", name[i-1], "?", "?"
				else printf "  %-20s %8.1f %8.1f   %5.1f %%\n", name[i-1], wide[i] / 2^20, $i / 2^20, 100 * (1 - $i / wide[i])
			if (n != $1) printf "  (%d workers of %s)\n", $1, b
		}' "$tmp/rows"
	echo
	compare
fi
note_not_run
