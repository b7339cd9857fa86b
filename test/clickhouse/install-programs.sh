#!/usr/bin/env bash
# Installs Debian's clickhouse-server, ZooKeeper and a Java to run it, unless they are there. No service is started.
# --check installs nothing. Names what is not there in the end, and ends with 3 then.
set -euo pipefail

missing() {
  command -v clickhouse-server >/dev/null || printf 'clickhouse-server '
  [[ -e /usr/share/java/zookeeper.jar ]] || printf 'libzookeeper-java '
  command -v java >/dev/null || printf 'default-jre-headless '
  command -v setpriv >/dev/null || printf 'util-linux '
}

install() {
  local as_root=()
  [[ $(id -u) == 0 ]] || as_root=(sudo --non-interactive)
  "${as_root[@]}" apt-get -qq update
  # Where this file says 101, Debian's packages start no service. One that is there already stays.
  local policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
    # shellcheck disable=SC2064 # as_root is gone when the trap runs.
    trap "${as_root[*]} rm -f $policy" EXIT
  fi
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

read -ra packages <<<"$(missing)"
[[ ${#packages[@]} == 0 ]] && exit 0
if [[ ${1:-} != --check ]] && command -v apt-get >/dev/null; then
  install "${packages[@]}" || true
fi
still_missing=$(missing)
[[ -z $still_missing ]] && exit 0
echo "not here: $still_missing(Debian's packages)" >&2
exit 3
