# Tries a package out: lintian, the same bytes again, and a machine that has nothing else.
# Sourced by scripts/package.
# shellcheck shell=bash
# shellcheck disable=SC2154  # scripts/package sets these.
readonly made mirror

# What runs on the fresh machine, as root: a package that apt brings with its dependencies does the
# example as a user without rights, and leaves nothing.
# shellcheck disable=SC2016  # The inner shell expands this.
readonly on_machine='
  set -euo pipefail
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  # What differs after any installation is not the package'"'"'s.
  files() {
    find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/log \
      -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -printf "%y %p\n" | sort
  }
  apt-get -q update
  for tool in gcc cc clang swift; do
    if command -v "$tool"; then echo "there is a compiler: $tool" >&2; exit 1; fi
  done
  useradd --create-home tester
  files >/tmp/before
  apt-get -q install -y --no-install-recommends /tmp/avjob.deb
  dpkg -L avjob >/tmp/own
  dpkg --verify avjob
  su tester -c "
    set -e
    cp -r /usr/share/doc/avjob/examples ~/examples
    cd ~/examples
    avjob check Jobs
    avjob run Jobs/podcast.yaml
    avjob probe Jobs/out/*.mp3 Jobs/out/*.m4a
    avjob run Jobs/podcast.yaml"
  test -s /home/tester/examples/Jobs/out/sonnets-01.mp3
  rm -r /home/tester/examples
  apt-get -q purge -y avjob
  while read -r path; do
    if [[ ! -d $path ]] && { [[ -e $path ]] || [[ -L $path ]]; }; then echo "f $path"; fi
  done </tmp/own >/tmp/left
  # What only avjob needed goes as well: the machine is as it was.
  apt-get -q autoremove -y --purge
  files >/tmp/after
  comm -13 /tmp/before /tmp/after >>/tmp/left
  if [[ -s /tmp/left ]]; then
    echo "Purging avjob left these:" >&2
    cat /tmp/left >&2
    exit 1
  fi
  echo "Purging avjob and its dependencies left nothing."'

# usage: verify_package FILE
verify_package() {
  local package=$1 machine=$made/machine again
  need_root "Making a machine"
  ((${#as_root[@]} == 0)) || die "A machine is made as root: sudo scripts/package --verify"
  require_packages lintian debootstrap util-linux mount
  lintian --allow-root --fail-on error,warning --info "$package" >&2 \
    || die "lintian has found mistakes; they stand above."
  say "lintian has found no errors and no warnings."
  again=$(make_package "$made/again")
  cmp "$package" "$again" || die "Two builds of the package differ."
  say "A second build has the same bytes."

  unpack_debian bookworm "$machine" "$made/bookworm.tar" "$mirror"
  cp "$package" "$machine/tmp/avjob.deb"
  # Its mounts and processes end with its namespaces.
  # shellcheck disable=SC2016  # The inner shell expands this.
  unshare --mount --pid --fork --kill-child bash -c '
    mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" &&
      exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "$2"' \
    bash "$machine" "$on_machine" </dev/null >"$made/machine.log" 2>&1 \
    || die "The package does not hold on a bare Debian; $made/machine.log has what happened."
  grep '^Purging avjob' "$made/machine.log" >&2
  rm -rf --one-file-system "$machine"
}
