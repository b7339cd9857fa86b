#!/usr/bin/env bash
# Installs the browser that `npm run task test:page` uses, Debian's, unless it is there or another one is named.
set -euo pipefail

chromium=${TACHOGRAPH_CHROMIUM:-/usr/bin/chromium}
[[ -x $chromium ]] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "no browser at $chromium, and no apt-get to install one: name a Chromium in TACHOGRAPH_CHROMIUM" >&2
  exit 1
fi
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo)
"${as_root[@]}" apt-get -qq update
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
