#!/usr/bin/env bash
# Installs Debian's postgresql, unless a version is there, and the packages that are named. Starts no service.
# Ends with 3 if PostgreSQL cannot be had.
set -euo pipefail

present() {
  [[ -n ${TACHOGRAPH_POSTGRES_BIN:-} ]] || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null
}

packages=("$@")
present || packages+=(postgresql)
[[ ${#packages[@]} == 0 ]] && exit 0
if command -v apt-get >/dev/null; then
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
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null || true
fi
present && exit 0
echo "PostgreSQL is not installed here (Debian's package postgresql)" >&2
exit 3
