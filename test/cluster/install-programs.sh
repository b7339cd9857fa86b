#!/usr/bin/env bash
# Installs what the cluster needs, unless it is there: PostgreSQL and etcd, Debian's, and Patroni from PyPI. Starts no service.
# Ends with 3 if one cannot be had. Debian 12's Patroni 3.0.2 will not do: docs/scaling.md says why.
set -euo pipefail

patroni=/opt/tachograph-patroni
present() {
  [[ -x $patroni/bin/patroni || -n ${TACHOGRAPH_PATRONI:-} ]] && command -v etcd >/dev/null && command -v ip >/dev/null
}

"$(dirname "$0")/../postgres/install-programs.sh"
present && exit 0
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
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends \
    etcd-server iproute2 python3-psycopg2 python3-venv >/dev/null || true
  # Debian's own Python, which other users may run, too.
  "${as_root[@]}" /usr/bin/python3 -m venv --system-site-packages "$patroni" &&
    "${as_root[@]}" "$patroni/bin/pip" install --quiet 'patroni[etcd3]==4.1.5' || true
fi
present && exit 0
echo "Patroni 4, etcd or ip is not installed here" >&2
exit 3
