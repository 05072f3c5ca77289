#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions of one repetition of each workload that instructions.json names, and fails
# when one takes more than the margin above what stands there:
#   instruction_gate.sh FOLDER_OF_BENCHMARKS COMPILER [--update]
# Counts depend on the compiler: under another one than the file's nothing is compared (77). So it
# is without valgrind. --update writes the new counts; say in the commit why they moved.
set -eu

folder=$(CDPATH='' cd -- "$1" && pwd)
compiler=$2
mode=${3:-}
cd "$(dirname -- "$0")/.."
counts=bench/instructions.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v valgrind >/dev/null 2>&1 || { echo 'no valgrind: no instructions are counted'; exit 77; }
known=$(sed -n 's/^ *"compiler": "\(.*\)",$/\1/p' "$counts")
margin=$(sed -n 's/^ *"margin_percent": \([0-9]*\),$/\1/p' "$counts")
if [ "$mode" != --update ] && [ "$known" != "$compiler" ]; then
  echo "the counts are those of $known, this is $compiler: nothing is compared"
  exit 77
fi

# count PROGRAM WORKLOAD: instructions within plumb_measured (measured.h), one repetition.
count() {
  valgrind --tool=callgrind --toggle-collect=plumb_measured --callgrind-out-file=/dev/null \
    "$folder/$1" "--benchmark_filter=^$2\$" --benchmark_min_time=0 --benchmark_format=csv \
    >"$work/out" 2>"$work/err" </dev/null || { cat "$work/err" >&2; return 1; }
  # One line a workload: name, iterations, ...
  if ! grep -q "^\"$2\",1," "$work/out"; then
    echo "$1 has not run $2 once" >&2
    return 1
  fi
  sed -n 's/^==[0-9]*== Collected : //p' "$work/err"
}

sed -n 's/^ *"\([a-z_]*\) \([^"]*\)": \([0-9]*\),\{0,1\}$/\1 \2 \3/p' "$counts" >"$work/workloads"
[ -s "$work/workloads" ] || { echo "$counts names no workload"; exit 1; }
failures=0
while read -r program workload stored; do
  now=$(count "$program" "$workload")
  permille=$(((now - stored) * 1000 / (stored > 0 ? stored : 1)))
  verdict=ok
  if [ "$now" -gt $((stored + stored * margin / 100)) ]; then
    verdict=MORE
    failures=$((failures + 1))
  elif [ "$now" -lt $((stored - stored * margin / 100)) ]; then
    verdict=fewer
  fi
  printf '%-5s %-56s %11s, was %11s (%s permille)\n' \
    "$verdict" "$program $workload" "$now" "$stored" "$permille"
  printf '    "%s %s": %s,\n' "$program" "$workload" "$now" >>"$work/new"
done <"$work/workloads"

if [ "$mode" = --update ]; then
  {
    printf '{\n  "compiler": "%s",\n  "margin_percent": %s,\n' "$compiler" "$margin"
    printf '  "workloads": {\n'
    sed '$s/,$//' "$work/new"
    printf '  }\n}\n'
  } >"$work/counts"
  cp "$work/counts" "$counts"
  exit 0
fi
[ "$failures" -eq 0 ] || {
  echo "more than $margin % above $counts; if that is meant:"
  echo "  bench/instruction_gate.sh $folder '$compiler' --update"
  exit 1
}
