#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts around the program: .ci/run adds up what its steps say and fails when one fails; the
# counter of test cases knows every way in which a test can end; the gate on instruction counts
# fails when there are more; ./plumb knows which words are the program's.
set -eu

root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/.ci"
cp "$root/.ci/run" "$work/.ci/run"
failures=0

expect() {
  [ "$2" = "$3" ] && return 0
  printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# with_launcher BODY: what .ci/run says last, and its exit code, when ./plumb is BODY.
with_launcher() {
  printf '#!/bin/sh\n%s\n' "$1" >"$work/plumb"
  chmod +x "$work/plumb"
  code=0
  "$work/.ci/run" >"$work/out" 2>&1 </dev/null || code=$?
  printf '%s; exit %s' "$(tail -n 1 "$work/out")" "$code"
}

steps=$(grep -c '^run_step ' "$root/.ci/run")
others=$((steps - 1))
expect 'all steps pass' "$((2 * steps)) passed, 0 failed, $steps skipped; exit 0" \
  "$(with_launcher "echo '9 passed, 9 failed, 9 skipped'; echo '2 passed, 0 failed, 1 skipped'")"
expect 'one step fails without a count' "$((2 * others)) passed, 1 failed, 0 skipped; exit 1" \
  "$(with_launcher "case \$1 in run) exit 3 ;; *) echo '2 passed, 0 failed, 0 skipped' ;; esac")"
expect 'one step fails with a count' "$((2 * others)) passed, 3 failed, 0 skipped; exit 1" \
  "$(with_launcher "case \$1 in run) echo '0 passed, 3 failed, 0 skipped'; exit 1 ;;
    *) echo '2 passed, 0 failed, 0 skipped' ;; esac")"

# Words that nothing would read are refused before anything is installed or built.
for words in 'build x' 'fmt x' 'package x' 'test unit x' 'lint --changed x'; do
  code=0
  # shellcheck disable=SC2086  # several words
  "$root/plumb" $words >"$work/out" 2>&1 </dev/null || code=$?
  expect "$words" "4 0 passed, 1 failed, 0 skipped" "$code $(tail -n 1 "$work/out")"
done

# `bench` alone, or with words of the benchmark library, runs the project's benchmarks; with a
# scenario or other words it is the program's. In a checkout where all is built, by a CMake that
# has nothing to do.
mkdir -p "$work/tree/build/check/bench" "$work/tree/build/check/simulator/cli" "$work/tools"
cp "$root/plumb" "$work/tree/plumb"
mkdir -p "$work/tree/bench/peers" "$work/tree/.ci"
cp "$root/.ci/count_cases.awk" "$work/tree/.ci/"
touch "$work/tree/CMakePresets.json" "$work/tree/build/host_packages.log"
touch "$work/tree/build/check/.configured"
script() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}
script "$work/tools/cmake" ':'
script "$work/tools/ctest" ':'
# shellcheck disable=SC2016  # expanded by the script
script "$work/tools/dpkg-query" 'shift 3; for package; do echo "$package installed"; done'
# shellcheck disable=SC2016  # as above
script "$work/tree/build/check/simulator/cli/plumb" 'echo "program: $*"'
for name in kernel schema edit read tool_batch turn; do
  # shellcheck disable=SC2016  # as above
  script "$work/tree/build/check/bench/${name}_bench" 'echo "benchmark: $*"'
done
for name in compare serve_compare; do script "$work/tree/bench/peers/$name.sh" 'exit 77'; done
benched() { PATH="$work/tools:$PATH" "$work/tree/plumb" bench "$@" 2>&1 </dev/null | head -n 1; }
expect 'bench' 'benchmark: ' "$(benched)"
expect 'bench of the library' 'benchmark: --benchmark_filter=turn' \
  "$(benched --benchmark_filter=turn)"
expect 'bench of a scenario' 'program: bench a.yaml --runs 3' "$(benched a.yaml --runs 3)"
expect 'bench with a word first' 'program: bench --runs 3 a.yaml' "$(benched --runs 3 a.yaml)"
expect 'help of bench' 'program: bench --help' "$(benched --help)"

case_of() { printf '\t<testcase name="x" status="%s">\n%s\n\t</testcase>\n' "$1" "$2"; }

counted() { awk -f "$root/.ci/count_cases.awk" "$work/junit"; }

{
  case_of run '<system-out>plain</system-out>'
  case_of run '<system-out>[==========] 7 tests
[  PASSED  ] 5 tests.
[  SKIPPED ] 2 tests, listed below:
</system-out>'
} >"$work/junit"
expect 'a plain program and one with totals' '6 0 2' "$(counted)"

{
  case_of fail '<system-out>[  FAILED  ] Edit.Overlaps (3 ms)
[  PASSED  ] 4 tests.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Edit.Overlaps
</system-out>'
  case_of fail '<system-out>[ RUN      ] Edit.Crashes</system-out>'
} >"$work/junit"
expect 'a failed case and a crash' '4 2 0' "$(counted)"

{
  case_of notrun '<skipped message="SKIP_RETURN_CODE=77"/>'
  case_of notrun '<skipped message="Unable to find executable"/>'
} >"$work/junit"
expect 'a skipped program and a missing one' '0 1 1' "$(counted)"

# gate INSTRUCTIONS [COMPILER]: the gate's exit code when a workload that is known for 1000 takes so
# many.
mkdir -p "$work/bench" "$work/bin"
cp "$root/bench/instruction_gate.sh" "$work/bench/"
cat >"$work/bench/instructions.json" <<'JSON'
{
  "compiler": "C 1",
  "margin_percent": 5,
  "workloads": {
    "a b/c:1": 1000
  }
}
JSON
gate() {
  printf '#!/bin/sh\necho "\"b/c:1\",1,2"\necho "==7== Collected : %s" >&2\n' "$1" \
    >"$work/bin/valgrind"
  chmod +x "$work/bin/valgrind"
  code=0
  PATH="$work/bin:$PATH" sh "$work/bench/instruction_gate.sh" "$work" "${2:-C 1}" "${3:-}" \
    >"$work/out" 2>&1 || code=$?
  echo "$code"
}
expect 'as many instructions as the margin allows' 0 "$(gate 1050)"
expect 'more instructions than that' 1 "$(gate 1051)"
expect 'far fewer' 0 "$(gate 10)"
expect 'another compiler' 77 "$(gate 1051 'C 2')"
expect 'an update' 0 "$(gate 1051 'C 2' --update)"
expect 'is what counts from then on' '0 1' "$(gate 1103 'C 2') $(gate 1104 'C 2')"

[ "$failures" -eq 0 ] && echo 'the scripts hold'
