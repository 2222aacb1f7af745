# A Debian that has nothing but its base. Sourced behind setup.bash.
# shellcheck shell=bash

# Unpacks a release's base system into an empty folder; downloads it if it is not kept yet.
# usage: unpack_debian RELEASE FOLDER KEPT-FILE [MIRROR]
unpack_debian() {
  local release=$1 target=$2 kept=$3 from=${4:-http://deb.debian.org/debian}
  # An older debootstrap does not know a newer release, which is made as unstable is.
  local steps=/usr/share/debootstrap/scripts/$release
  [[ -e $steps ]] || steps=${steps%/*}/sid
  rm -rf --one-file-system "$target"
  mkdir -p "$target"
  if [[ ! -e $kept ]]; then
    say "Downloading the base of Debian $release …"
    debootstrap --variant=minbase "$release" "$target" "$from" "$steps" >"$kept.log" 2>&1 \
      || die "debootstrap failed; $kept.log has what it said."
    tar -C "$target" -cf "$kept.new" .
    mv "$kept.new" "$kept"
  else
    tar -C "$target" -xf "$kept"
  fi
  cp /etc/resolv.conf /etc/hosts "$target/etc/"
}
