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
  # What only avjob needed goes as well, also where a package of the base recommends it: the machine
  # is as it was.
  apt-get -q autoremove -y --purge -o APT::AutoRemove::RecommendsImportant=false \
    -o APT::AutoRemove::SuggestsImportant=false
  files >/tmp/after
  comm -13 /tmp/before /tmp/after >>/tmp/left
  if [[ -s /tmp/left ]]; then
    echo "Purging avjob left these:" >&2
    cat /tmp/left >&2
    exit 1
  fi
  echo "Purging avjob and its dependencies left nothing."'

# Asks lintian, and makes the package a second time.
# usage: check_package FILE
check_package() {
  local package=$1 again
  require_packages lintian
  lintian --allow-root --fail-on error,warning --info "$package" >&2 \
    || die "lintian has found mistakes; they stand above."
  say "lintian $(lintian --print-version) has found no errors and no warnings."
  again=$(make_package "$made/again")
  cmp "$package" "$again" || die "Two builds of the package differ."
  say "A second build has the same bytes."
}

# Makes a fresh machine of a release, and prints its folder.
# usage: fresh_machine RELEASE
fresh_machine() {
  require_root
  require_packages debootstrap util-linux mount
  unpack_debian "$1" "$made/machine" "$made/$1.tar" "$mirror"
  printf '%s/machine\n' "$made"
}

# usage: try_package FILE RELEASE
try_package() {
  local package=$1 release=$2 machine
  machine=$(fresh_machine "$release")
  cp "$package" "$machine/tmp/avjob.deb"
  run_on_machine "$machine" bash -c "$on_machine" >"$made/machine.log" 2>&1 \
    || die "The package fails on Debian $release; the reason is in $made/machine.log."
  say "On Debian $release: $(grep '^Purging avjob' "$made/machine.log")"
  rm -rf --one-file-system "$machine"
}
