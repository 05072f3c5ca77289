#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command that README.md, CONTRIBUTING.md and fixtures/oracle/README.md show runs as it
# stands, and so does the scenario in README.md:
#   readme_test.sh ROOT PLUMB
# The program's own words are run in a copy of the checkout's data, one after the other, as a reader
# would. Words of the launcher (build, test, fmt, package, lint without a path, bench without a
# scenario), which build and test the project, must be words that it knows; scripts must be there.
set -eu

root=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in scenarios fixtures; do ln -s "$root/$name" "$work/$name"; done
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$work/plumb"
chmod +x "$work/plumb"
cd "$work"
failures=0
ran=0

# Backticked commands of a table or sentence, lines of a shell block, and indented ones.
# shellcheck disable=SC2016  # the backticks are the page's
commands_of() {
  {
    sed -n '/^```sh$/,/^```$/p' "$1" | grep -v '^```' || true
    sed -n 's/^    \(\.\/plumb .*\)/\1/p' "$1"
    sed -n '/^```/,/^```$/!p' "$1" | grep -o '`[^`]*`' | sed 's/^`//; s/`$//'
  } | grep -E '^(\./plumb|bench/[a-z_/]*\.sh)( |$)' | sed 's/  *#.*$//; s/ *$//' | awk '!seen[$0]++'
}

complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

run_line() {
  code=0
  sh -c "$1" >"$work/out" 2>&1 </dev/null || code=$?
  ran=$((ran + 1))
  [ "$code" -eq 0 ] && return 0
  complain "$1: exit $code"
  tail -n 5 "$work/out"
}

# It runs until it is ended: it must say where it listens.
serve_line() {
  sh -c "exec $1" >"$work/out" 2>&1 </dev/null &
  server=$!
  ran=$((ran + 1))
  waited=0
  until grep -q '^listening on http://127' "$work/out" || [ "$waited" -ge 300 ]; do
    sleep 0.2
    waited=$((waited + 1))
  done
  kill -TERM "$server" 2>/dev/null || true
  wait "$server" || true
  grep -q '^listening on http://127' "$work/out" || complain "$1: it listens nowhere"
}

check_line() {
  case $1 in
    './plumb serve '*) serve_line "$1" ;;
    './plumb build' | './plumb test' | './plumb fmt' | './plumb package' | './plumb bench' | \
      './plumb bench --benchmark_'* | './plumb lint' | './plumb lint --changed') ;;
    './plumb test '*)
      label=${1#./plumb test }
      [ "$label" = sanitizers ] || [ "$label" = peers ] ||
        grep -rqE --include=CMakeLists.txt "LABELS? [\";a-z]*$label" "$root/simulator" \
          "$root/property-tests" "$root/bench" "$root/engine" "$root/reports" ||
        complain "$1: no test has that label"
      ;;
    bench/*)
      [ -x "$root/${1%% *}" ] || complain "$1: no such script"
      ;;
    *) run_line "$1" ;;
  esac
}

for page in README.md CONTRIBUTING.md fixtures/oracle/README.md; do
  commands_of "$root/$page" >"$work/commands"
  [ -s "$work/commands" ] || complain "$page: no command found"
  while IFS= read -r line; do check_line "$line"; done <"$work/commands"
done

# shellcheck disable=SC2016  # as above
sed -n '/^```yaml$/,/^```$/p' "$root/README.md" | grep -v '^```' >"$work/shown.yaml"
run_line './plumb run shown.yaml'

[ "$ran" -ge 10 ] || complain "only $ran commands were run"
[ "$failures" -eq 0 ] && echo "the commands run: $ran"
