#!/usr/bin/env bash
# Installs what the cluster needs, unless it is there: PostgreSQL and etcd, Debian's, and Patroni from PyPI. Starts no service.
# Ends with 3 if one cannot be had. Debian 12's Patroni 3.0.2 will not do: docs/scaling.md says why.
set -euo pipefail

patroni=/opt/tachograph-patroni
present() {
  [[ -x $patroni/bin/patroni || -n ${TACHOGRAPH_PATRONI:-} ]] && command -v etcd >/dev/null && command -v ip >/dev/null
}

packages=()
present || packages=(etcd-server iproute2 python3-psycopg2 python3-venv)
"$(dirname "$0")/../postgres/install-programs.sh" "${packages[@]}"
if ! present; then
  as_root=()
  [[ $(id -u) == 0 ]] || as_root=(sudo --non-interactive)
  # Debian's own Python, which other users may run, too.
  "${as_root[@]}" /usr/bin/python3 -m venv --system-site-packages "$patroni" &&
    "${as_root[@]}" "$patroni/bin/pip" install --quiet 'patroni[etcd3]==4.1.5' || true
fi
present && exit 0
echo "Patroni 4, etcd or ip is not installed here" >&2
exit 3
