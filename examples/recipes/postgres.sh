#!/usr/bin/env bash
# postgres.sh [--FLAG VALUE]...: what PostgreSQL's back ends take, idle and busy,
# at several numbers of connections. --help lists the flags. Uses a data folder
# and a socket of its own, no TCP port, and no cluster of the system; as root it
# runs the server as another user, since PostgreSQL refuses root.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

conns="10 40" scale=10 shared_buffers=128MB busy=5 settle=2 run_as=postgres version='' out=
pss_budget=5% # of processes that share much, an estimate would say little
flag conns "numbers of connections"
flag scale "of pgbench's tables, 15 MB each"
flag shared_buffers "the server's setting"
flag busy "seconds of load, of pgbench's TPC-B transactions"
flag settle "seconds that the connections are idle before they are measured"
flag run_as "user of the server when started by root"
flag version "of PostgreSQL, where several are installed"
flag delay "seconds between two ticks of the recording"
flag pss_budget "share of the time that the recording may take to read PSS"
flag out "folder for the recordings, which are else removed"
parse_flags "$@"
for f in conns scale busy settle; do numbers $f; done

bin=$(find "/usr/lib/postgresql/${version:-}" -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
PATH=$PATH:${bin:-/usr/lib/postgresql/bin}
for c in initdb postgres pgbench psql; do need $c postgresql; done
[ ${#missing_packages[@]} = 0 ] || missing_packages=(postgresql)
needed
as=()
if [ "$(id -u)" = 0 ]; then
	id "$run_as" >/dev/null 2>&1 || die 2 "--run-as $run_as: there is no such user"
	as=(setpriv "--reuid=$run_as" "--regid=$(id -g "$run_as")" --clear-groups --)
	chmod 711 "$tmp" # the user has to reach its folder in here
fi
have_rsswatch
keep_recordings "$out"

most=0
for n in $conns; do [ "$n" -le "$most" ] || most=$n; done
data=$tmp/data
mkdir "$data"
[ ${#as[@]} = 0 ] || chown "$run_as" "$data"
cd "$data"
"${as[@]}" initdb -D "$data/db" -A trust -U postgres --no-sync >"$tmp/initdb.log" || die 1 "initdb: $(tail -n 3 "$tmp/initdb.log")"
export PGHOST=$data PGUSER=postgres PGDATABASE=postgres
"${as[@]}" postgres -D "$data/db" -k "$data" -c listen_addresses= -c "max_connections=$((most + 10))" \
	-c "shared_buffers=$shared_buffers" -c fsync=off >"$tmp/server.log" 2>&1 &
server=$!
started "$server"
line "$tmp/server.log" 'ready to accept connections' "$server" >/dev/null
pgbench --quiet -i -s "$scale" >"$tmp/pgbench.log" 2>&1 || die 1 "pgbench -i: $(tail -n 3 "$tmp/pgbench.log")"

# A session that asks once and is idle then.
printf 'SELECT count(*) FROM pgbench_branches;\n\\sleep 1000 s\n' >"$tmp/idle.sql"

# backends N: waits until N client back ends are there.
backends() {
	local n found
	for ((n = 0; n < 200; n++)); do
		found=$(psql -Atc "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		[ "$found" != "$1" ] || return 0
		sleep 0.1
	done
	die 1 "$found back ends, want $1: $(tail -n 3 "$tmp/client.log")"
}

# measure KIND N RATE: a row of the back ends that serve clients, then of all of the server's
# processes, at one moment. The server knows which of them serve clients.
measure() {
	local clients try row
	for try in 1 2 3; do # a worker of autovacuum may end amid the reading
		clients=$(psql -Atc "SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		snapshot --tree "$server"
		row="$1 $2 $(sums_of . "$clients") $(sums_of .) $3"
		[[ $row == *"?"* && $try -lt 3 ]] || break
	done
	[[ $row == "$1 $2 $2 "* ]] || die 1 "$1: the memory of not all $2 back ends was read: $row"
	echo "$row" >>"$tmp/rows"
}

for n in $conns; do
	echo "$n connections" >&2
	pgbench -n -c "$n" -T 1000 -f "$tmp/idle.sql" >"$tmp/client.log" 2>&1 &
	client=$!
	started "$client"
	backends "$n"
	sleep "$settle"
	measure idle "$n" -
	stop "$client" || true # pgbench fails when it is ended
	backends 0

	file=$recordings/busy-$n.jsonl
	files+=("$file")
	"$rsswatch" record --quiet --overwrite -o "$file" --label "conns=$n" -d "$delay" --pss-budget "$pss_budget" --tree "$server" -- \
		pgbench -n -c "$n" -T "$busy" >"$tmp/client.log" 2>&1 &
	client=$!
	started "$client"
	backends "$n"
	sleep "$((busy / 2))"
	measure busy "$n" 0
	finish "$client" || die 1 "pgbench: $(tail -n 3 "$tmp/client.log")"
	tps=$(sed -n 's/^tps = \([0-9.]*\) .*/\1/p' "$tmp/client.log")
	sed -i "\$s/ 0\$/ ${tps:?pgbench printed no rate}/" "$tmp/rows"
	backends 0
done
cd /
stop "$server"

awk 'function mb(v) { return v == "?" ? v : sprintf("%.1f", v / 1e6) }
	BEGIN { printf "%-6s %5s %9s %16s %9s %9s %15s %13s %7s\n", "load", "conns", "back ends", "VIRT/RES avg", "PSS avg", "USS avg", "back ends, PSS", "all, PSS", "tps" }
	{ printf "%-6s %5d %9d %16s %9s %9s %15s %13s %7s\n", $1, $2, $3, mb($4) "/" mb($5), mb($6), mb($7), mb($8), mb($15), $17 == "-" ? "-" : sprintf("%.0f", $17) }' "$tmp/rows"
echo "MB is 10^6 bytes. RES counts the shared buffers that a back end touched in each of them, PSS once."
echo
compare
took
