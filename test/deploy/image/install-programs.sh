#!/usr/bin/env bash
# Installs Podman, and what makes the base of the image, Debian's, unless Docker or they are here. Starts no service.
set -euo pipefail

docker info >/dev/null 2>&1 && exit 0
packages=(podman runc containernetworking-plugins iptables debootstrap)
dpkg --status "${packages[@]}" >/dev/null 2>&1 && exit 0
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo --non-interactive)
"${as_root[@]}" apt-get -qq update
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null
