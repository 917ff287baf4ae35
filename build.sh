#!/usr/bin/env bash
# The one entry to everything that is built, served, tested or measured here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$PWD
profile=${TUPLESCOPE_PROFILE:-release}
port=${PORT:-4173}

usage() {
  cat <<'EOF'
Usage: ./build.sh COMMAND
  setup   install what the other commands need (each of them calls it)
  serve   build the page and serve it, with the isolation headers, on PORT (4173)
  test    everything: format, lints, Rust and page tests, sizes, Chromium, Firefox
  check   the quick part of it: format, lints, unit tests
  dist    build www/dist, print the table of sizes, fail above the budget
  bench   measure against DuckDB-wasm, PGlite and SQLite, and both drivers; bench --help says more
  pg      refresh the expected answers from a throw-away PostgreSQL 15
EOF
}

say() { printf '\n== %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_updated=
# Installs Debian packages; the lists of a new machine are empty until the first update.
apt_install() {
  if [ -z "$apt_updated" ]; then
    as_root apt-get update -qq
    apt_updated=1
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

setup_rust() {
  have cargo || PATH="$HOME/.cargo/bin:$PATH"
  have cargo || apt_install rustup
  have cc || apt_install gcc libc6-dev
  if have rustup; then
    rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
  fi
}

# npm packages of a folder, at the versions of its lock file.
npm_packages() {
  local stamp="$1/node_modules/.package-lock.json"
  if [ ! -f "$stamp" ] || [ "$1/package-lock.json" -nt "$stamp" ]; then
    (cd "$1" && npm ci --no-audit --no-fund --loglevel=error)
    touch "$stamp"
  fi
}

setup_node() {
  have node || apt_install nodejs npm
  npm_packages www
}

setup_browsers() {
  have chromium || apt_install chromium
  have firefox-esr || apt_install firefox-esr
  npm_packages tests/browser
}

setup() {
  setup_rust
  setup_node
  setup_browsers
}

# The engine as wasm: compiled, bound to JavaScript, optimised; nothing is done when it is current.
wasm() {
  say "wasm ($profile)"
  cargo build -q --locked -p bindgen
  cargo build --locked --profile "$profile" -p web --target wasm32-unknown-unknown
  local folder=$profile
  [ "$profile" = dev ] && folder=debug
  local compiled=target/wasm32-unknown-unknown/$folder/web.wasm
  local package=www/src/engine/pkg
  if [ -f "$package/web_bg.wasm" ] && cmp -s "$compiled" "$package/.source.wasm"; then
    return
  fi
  rm -rf "$package"
  target/debug/bindgen "$compiled" "$package"
  if [ "$profile" = release ]; then
    www/node_modules/.bin/wasm-opt -O3 --enable-simd --enable-bulk-memory --enable-bulk-memory-opt \
      --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int \
      --enable-reference-types --enable-multivalue --strip-producers \
      "$package/web_bg.wasm" -o "$package/web_opt.wasm"
    mv "$package/web_opt.wasm" "$package/web_bg.wasm"
  fi
  cp "$compiled" "$package/.source.wasm"
}

page() {
  say "page"
  (cd www && npx --no-install vite build --logLevel warn)
}

build() {
  setup_rust
  setup_node
  wasm
  page
}

lints() {
  say "format and lints"
  cargo fmt --all --check
  cargo clippy -q --locked --workspace --all-targets -- -D warnings
}

page_checks() {
  say "page: types and unit tests"
  (cd www && npx --no-install svelte-check --tsconfig ./tsconfig.json --fail-on-warnings --output human)
  (cd www && npx --no-install vitest run)
}

browser_tests() {
  say "browser tests"
  node tests/browser/run.mjs "$@"
}

case "${1:-}" in
setup) setup ;;
serve)
  build
  exec node www/serve.mjs --port "$port" www/dist
  ;;
check)
  setup_rust
  setup_node
  lints
  say "Rust unit tests"
  cargo test -q --locked --workspace --lib --bins
  page_checks
  ;;
dist)
  build
  node www/sizes.mjs
  ;;
test)
  setup
  lints
  say "Rust tests"
  cargo test -q --locked --workspace
  RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc -q --locked --workspace --no-deps --document-private-items
  page_checks
  wasm
  page
  node www/sizes.mjs
  browser_tests
  ;;
bench)
  shift
  # What needs no build is answered without one.
  case " $* " in *" --help "*) exec node tests/bench/run.mjs --help ;; esac
  build
  npm_packages tests/bench
  node tests/bench/run.mjs "$@"
  ;;
pg) shift && exec "$root/tests/pg.sh" "$@" ;;
"" | help | --help) usage ;;
*)
  usage >&2
  exit 2
  ;;
esac
