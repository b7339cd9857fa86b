#!/usr/bin/env bash
# Installs Debian's prometheus and prometheus-node-exporter unless they are there. Starts no service.
set -euo pipefail

present() {
  command -v prometheus >/dev/null && command -v prometheus-node-exporter >/dev/null
}

present && exit 0
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo --non-interactive)
# Where this file ends with 101, Debian's packages start no service.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" apt-get -qq update || true
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends prometheus prometheus-node-exporter >/dev/null
present
