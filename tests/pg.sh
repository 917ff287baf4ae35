#!/usr/bin/env bash
# Runs a command with a throw-away PostgreSQL 15 (C locale, UTC, unix socket only) in its environment.
#   tests/pg.sh COMMAND [ARG ...]
# Without a command: refreshes every expected answer under tests/sql and tests/tpch, and the plans that
# EXPLAIN is compared with.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=/usr/lib/postgresql/15/bin
if [ ! -x "$bin/initdb" ]; then
  apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends postgresql-15 >/dev/null
fi
home=$(mktemp -d "${TMPDIR:-/tmp}/tuplescope-pg.XXXXXX")
run() { "$@"; }
if [ "$(id -u)" = 0 ]; then # the server refuses to run as root
  chown postgres "$home"
  run() { (cd "$home" && setpriv --reuid=postgres --regid=postgres --clear-groups "$@"); }
fi
stop() {
  run "$bin/pg_ctl" -D "$home/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$home"
}
trap stop EXIT
run "$bin/initdb" -D "$home/data" -U postgres --locale=C --encoding=UTF8 -A trust >/dev/null
run "$bin/pg_ctl" -D "$home/data" -w -o "-k $home -c listen_addresses='' -c timezone=UTC -c fsync=off" start >/dev/null
export PGHOST=$home PGUSER=postgres PGOPTIONS='-c client_min_messages=error'
if [ $# -gt 0 ]; then
  "$@"
else
  cd "$here/.."
  { find tests/sql -name '*.slt' -o -name '*.sql' | sort; echo engine/src/explain/testdata/postgresql.txt; } | xargs cargo run -q -p tests --features postgres --bin refresh --
  cargo run -q -p tests --features postgres --bin tpch_answers
fi
