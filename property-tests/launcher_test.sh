#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts around the program: .ci/run adds up what its steps say and fails when one fails; the
# counter of test cases knows every way in which a test can end.
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

[ "$failures" -eq 0 ] && echo 'the scripts hold'
