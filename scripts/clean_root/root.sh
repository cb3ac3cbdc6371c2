# A clean root: a minimal Debian or Ubuntu, made by debootstrap and kept as an archive. Sourced by the scripts that run something in one, which set
# $tree, $suite, $archive and $root. SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
cannot() {
  echo "skipped: $1"
  exit 77
}

case $suite in
bookworm) mirror=http://deb.debian.org/debian like=bookworm components=main ;;
noble) mirror=http://archive.ubuntu.com/ubuntu like=jammy components=main,universe ;;
*) cannot "there is no mirror known for '$suite'" ;;
esac

need_means() {
  [ "$(id -u)" -eq 0 ] || cannot 'a clean root can only be made by root'
  for tool in debootstrap unshare git tar; do
    command -v $tool >/dev/null || cannot "there is no $tool"
  done
  unshare --mount --pid --ipc --fork true 2>/dev/null || cannot 'namespaces are not allowed here'
  [ -e "$archive" ] || python3 -c "import urllib.request as u; u.urlopen('$mirror/dists/$suite/InRelease', timeout=20)" 2>/dev/null \
    || cannot "no way to $mirror"
}

# A debootstrap that does not know a suite yet makes it as its predecessor; where the keys are not at hand either, signatures go unchecked.
need_archive() {
  [ ! -e "$archive" ] || return 0
  local script=/usr/share/debootstrap/scripts/$suite check=
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/$like
  [ "$suite" = bookworm ] || [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || check=--no-check-gpg
  mkdir -p "$(dirname "$archive")" && rm -rf "$root" && mkdir -p "$root" || return 1
  debootstrap --variant=minbase --components="$components" $check "$suite" "$root" "$mirror" "$script" >"$archive.log" 2>&1 \
    || { tail -n 20 "$archive.log" && return 1; }
  tar -C "$root" -cf "$archive.part" . && mv "$archive.part" "$archive"
}

# A bare root, with what any machine needs to reach the network from where this one stands.
unpack_root() {
  rm -rf "$root" && mkdir -p "$root" && tar -C "$root" -xf "$archive" || return 1
  cp "$tree/scripts/clean_root/check.sh" "$root/root/check.sh" && cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/root/certificates.crt"
}

# Runs /root/inside.sh in namespaces of its own, so that no mount and no process outlives it. If there is a folder /ccache in the root, it is this
# machine's compiler cache.
enter() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PIP_CERT=/root/certificates.crt http_proxy="${http_proxy:-}" \
    https_proxy="${https_proxy:-}" OUTER_CCACHE="${CCACHE_DIR:-}" unshare --mount --pid --ipc --fork --kill-child bash -c '
    root=$1 && shift
    [ ! -d "$root/ccache" ] || mount --bind "$OUTER_CCACHE" "$root/ccache" || exit 1
    mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" && mount -t tmpfs -o size=80% shm "$root/dev/shm" \
      && exec chroot "$root" bash /root/inside.sh "$@"' enter "$root" "$@"
}
