#!/usr/bin/env bash
# Instructions a row of engine/examples/tuple_cost.rs, counted by callgrind: a loaded machine does not
# disturb them. Usage: instructions.sh [ROWS [WORD]]; only runs whose name has the word are made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
rows=${1:-100000} word=${2:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo build -q --release -p engine --example tuple_cost
# One dump at the end of each measured run, in their order.
valgrind --quiet --tool=callgrind --callgrind-out-file="$folder/out" --collect-atstart=no \
  --toggle-collect=tuple_cost::measured --dump-after=tuple_cost::measured \
  target/release/examples/tuple_cost "$rows" "$word" >"$folder/names" 2>"$folder/log"
printf '%-34s %-6s %10s %9s %9s %8s\n' query keys batch_rows pull push 'push is'
at=0 pull=
while IFS='|' read -r name keys batch_rows executor; do
  at=$((at + 1))
  count=$(sed -n 's/^summary: //p' "$folder/out.$at")
  if [ "$executor" = pull ]; then pull=$count; continue; fi
  # Where only push was asked for there is nothing to compare.
  awk -v n="$name" -v k="$keys" -v b="$batch_rows" -v pull="$pull" -v push="$count" -v rows="$rows" 'BEGIN {
    printf "%-34s %-6s %10d %9s %9.1f %9s\n", n, k, b, pull == "" ? "-" : sprintf("%.1f", pull / rows),
      push / rows, pull == "" ? "-" : sprintf("%+.1f %%", (pull - push) / push * 100)
  }'
  pull=
done <"$folder/names"
