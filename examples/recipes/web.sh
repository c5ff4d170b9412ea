#!/usr/bin/env bash
# web.sh [--FLAG VALUE]...: nginx + uwsgi against gunicorn's prefork and threaded
# workers, serving one Django page under ab at two loads: processes, VIRT/RES,
# total PSS, CPU. --help lists the flags. Uses free ports above 1024 and
# configurations of its own; no system service is touched.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

servers="nginx+uwsgi prefork gthread" loads="4 32" workers=8 processes=2 threads=16 requests=3000 records=2000 settle=1 out=
pss_budget=5% # of processes that share much, an estimate would say little
flag servers "of nginx+uwsgi, prefork and gthread"
flag loads "requests at a time of ab"
flag workers "processes of uwsgi and of gunicorn's prefork"
flag processes "processes of gunicorn's gthread"
flag threads "threads of each of these"
flag requests "requests of each run of ab"
flag records "records that each process holds"
flag settle "seconds between start and load"
flag delay "seconds between two ticks of the recording"
flag pss_budget "share of the time that the recording may take to read PSS"
flag out "folder for the recordings, which are else removed"
parse_flags "$@"
for f in loads workers processes threads requests records; do numbers $f; done
words servers nginx+uwsgi prefork gthread

export PATH=$PATH:/usr/sbin
need ab apache2-utils
need /usr/bin/python3 python3
need curl curl
[[ $servers != *nginx+uwsgi* ]] || { need nginx nginx-light && need uwsgi uwsgi-core uwsgi-plugin-python3; }
[[ $servers != *prefork* && $servers != *gthread* ]] || need gunicorn gunicorn
/usr/bin/python3 -c 'import django' 2>/dev/null || missing_packages+=(python3-django)
needed
have_rsswatch
keep_recordings "$out"
app=$examples/recipes/django
export RECORDS=$records PYTHONDONTWRITEBYTECODE=1

# Each of these starts a server, sets $tops to the PIDs at the top of its
# processes, and $url to the page.

serve_nginx+uwsgi() {
	local port user=
	port=$(free_port)
	[ "$(id -u)" != 0 ] || user="user root;"
	cat >"$tmp/nginx.conf" <<EOF
daemon off;
$user
pid $tmp/nginx.pid;
error_log stderr error;
worker_processes 2;
events { }
http {
	access_log off;
	client_body_temp_path $tmp/nginx-body; proxy_temp_path $tmp/nginx-proxy; fastcgi_temp_path $tmp/nginx-fastcgi;
	uwsgi_temp_path $tmp/nginx-uwsgi; scgi_temp_path $tmp/nginx-scgi;
	server {
		listen 127.0.0.1:$port;
		location / { include /etc/nginx/uwsgi_params; uwsgi_pass unix:$tmp/uwsgi.sock; }
	}
}
EOF
	uwsgi --plugin python3 --master --die-on-term --need-app --processes "$workers" --socket "$tmp/uwsgi.sock" --listen 100 \
		--chdir "$app" --module pages:application --disable-logging >"$tmp/uwsgi.log" 2>&1 &
	tops=("$!")
	started "$!"
	nginx -e stderr -p "$tmp" -c "$tmp/nginx.conf" 2>"$tmp/nginx.log" &
	tops+=("$!")
	started "$!"
	url=http://127.0.0.1:$port/page/17/
}

serve_gunicorn() {
	local port
	port=$(free_port)
	gunicorn --bind "127.0.0.1:$port" --chdir "$app" --log-level error "$@" pages:application 2>"$tmp/gunicorn.log" &
	tops=("$!")
	started "$!"
	url=http://127.0.0.1:$port/page/17/
}

serve_prefork() { serve_gunicorn --worker-class sync --workers "$workers"; }
serve_gthread() { serve_gunicorn --worker-class gthread --workers "$processes" --threads "$threads"; }

# check_page: the page has to be right before anything is measured.
check_page() {
	local n top
	for ((n = 0; n < 200; n++)); do
		for top in "${tops[@]}"; do kill -0 "$top" 2>/dev/null || die 1 "$server ended: $(tail -n 5 "$tmp"/*.log)"; done
		if curl -sf -o "$tmp/page" "$url" && grep -q 'Entry 17 of the list' "$tmp/page"; then return; fi
		sleep 0.1
	done
	die 1 "$server serves no right page: $(tail -n 5 "$tmp"/*.log)"
}

# load N: one run of ab, and a row: server, load, processes, VIRT, RES, PSS and USS of one, all PSS, CPU %, requests/s.
load() {
	local trees=() before after start end file
	for top in "${tops[@]}"; do trees+=(--tree "$top"); done
	file=$recordings/${server//+/-}-$1.jsonl
	files+=("$file")
	before=$(sums . "${trees[@]}")
	start=$(date +%s%N)
	run "$tmp/ab" "$rsswatch" record --quiet --overwrite -o "$file" --label "server=$server,load=$1" -d "$delay" --pss-budget "$pss_budget" "${trees[@]}" -- \
		ab -q -n "$requests" -c "$1" "$url" || die 1 "ab: $(tail -n 3 "$tmp/ab")"
	end=$(date +%s%N)
	after=$(sums . "${trees[@]}")
	if ! grep -q "^Complete requests: *$requests\$" "$tmp/ab" || ! grep -q '^Failed requests: *0$' "$tmp/ab" || grep -q '^Non-2xx' "$tmp/ab"; then
		die 1 "$server at $1 requests at a time: $(grep -E 'Complete|Failed|Non-2xx' "$tmp/ab")"
	fi
	echo "$server $1 ${after% *} $((${after##* } - ${before##* })) $((end - start)) $(awk '/^Requests per second/ { print $4 }' "$tmp/ab")" >>"$tmp/rows"
}

for server in $servers; do
	echo "$server" >&2
	"serve_$server"
	check_page
	sleep "$settle"
	for n in $loads; do load "$n"; done
	for top in "${tops[@]}"; do stop "$top" || true; done # each has its own idea of the status after SIGTERM
done

awk 'function mb(v) { return v == "?" ? v : sprintf("%.1f", v / 1e6) }
	BEGIN { printf "%-12s %5s %6s %16s %9s %9s %9s %6s %8s\n", "server", "load", "procs", "VIRT/RES avg", "PSS avg", "USS avg", "all PSS", "CPU %", "pages/s" }
	{ printf "%-12s %5d %6d %16s %9s %9s %9s %6.0f %8.0f\n", $1, $2, $3, mb($4) "/" mb($5), mb($6), mb($7), mb($8), 100 * $9 / $10, $11 }' "$tmp/rows"
echo "MB (10^6 bytes) after the load, masters included. CPU: of all the server's processes over the load, 100 % is one CPU; ab ran beside them."
echo
compare
took
