# SPDX-License-Identifier: Apache-2.0
# Counts the test cases in what `ctest --output-junit` wrote and prints "PASSED FAILED SKIPPED". A
# program of GoogleTest counts by its own totals, any other program as one case.

{ sub(/^.*<system-out>/, "") }
/<testcase .* status="run"/ { begin("run") }
/<testcase .* status="fail"/ { begin("fail") }
/<testcase .* status="(notrun|disabled)"/ { begin("skip") }
/<skipped message="(Unable to find executable|Not Run|.*dependenc)/ { status = "fail" }
/^\[  PASSED  \] [0-9]+ test/ { passing = $4; has_totals = 1 }
/^\[  FAILED  \] .*\([0-9]+ ms\)$/ { failing++ }
/^\[  SKIPPED \] [0-9]+ test/ { skipping = $4; has_totals = 1 }
/<\/testcase>/ { settle() }
END { printf "%d %d %d\n", passed, failed, skipped }

function begin(new_status) {
  status = new_status
  passing = failing = skipping = has_totals = 0
}

function settle() {
  if (status == "skip") { passing = failing = 0; skipping = 1 }
  if (status == "fail" && failing == 0) failing = 1
  if (status == "run" && !has_totals) passing = 1
  passed += passing
  failed += failing
  skipped += skipping
}
