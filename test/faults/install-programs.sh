#!/usr/bin/env bash
# Installs the programs that `npm run task faults` needs, Debian's, unless they are there.
set -euo pipefail

missing=()
for program in strace faketime; do
  command -v "$program" >/dev/null || missing+=("$program")
done
[[ ${#missing[@]} == 0 ]] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "not here: ${missing[*]}, and no apt-get to install them" >&2
  exit 1
fi
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo)
"${as_root[@]}" apt-get -qq update
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
