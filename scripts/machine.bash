# A Debian 12 that has nothing but its base. Sourced behind setup.bash.
# shellcheck shell=bash

# Unpacks the base system into an empty folder; downloads it if it is not kept yet.
# usage: unpack_debian FOLDER KEPT-FILE [MIRROR]
unpack_debian() {
  local target=$1 kept=$2 from=${3-}
  rm -rf --one-file-system "$target"
  mkdir -p "$target"
  if [[ ! -e $kept ]]; then
    say "Downloading Debian's base …"
    debootstrap --variant=minbase bookworm "$target" ${from:+"$from"} >"$kept.log" 2>&1 \
      || die "debootstrap failed; $kept.log has what it said."
    tar -C "$target" -cf "$kept.new" .
    mv "$kept.new" "$kept"
  else
    tar -C "$target" -xf "$kept"
  fi
  cp /etc/resolv.conf /etc/hosts "$target/etc/"
}
