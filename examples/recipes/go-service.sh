#!/usr/bin/env bash
# go-service.sh [--FLAG VALUE]...: one Go service in both builds: upper, a
# goroutine per connection, under the same load. --help lists the flags, which
# are those of ../upper/run.sh. Needs Go.
set -euo pipefail
exec "$(dirname "$0")/../upper/run.sh" --arch "amd64 386" --strategies thread --conns "100 400" "$@"
