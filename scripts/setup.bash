# What the scripts beside this file share: finding what is missing, and building the command.
# Sourced, with `set -euo pipefail` in force and `root` naming the repository.
# shellcheck shell=bash

# shellcheck disable=SC2154  # The script that sources this sets it.
readonly root
readonly ready="$root/.build/ready"

# Debian's names of what the build and the built command need; the last line is what the Swift
# toolchain itself needs.
readonly build_packages=(
  pkg-config libavformat-dev libavcodec-dev libavutil-dev libavfilter-dev libswresample-dev
  libmp3lame-dev libebur128-dev libasound2-dev libpulse-dev libyaml-dev
  ca-certificates git binutils libc6-dev libcurl4-openssl-dev libsystemd-dev libncurses6 libsqlite3-0
  libxml2-dev
)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# Sets `as_root` to what a command needs before it to run as root; says so where that is sudo.
# usage: need_root WHAT
need_root() {
  as_root=()
  [[ $EUID -ne 0 ]] || return 0
  [[ -n $(command -v sudo) ]] || die "$1 needs root, and there is no sudo here: run this as root once."
  say "$1 needs root; asking sudo."
  as_root=(sudo)
}

# Installs those of the given Debian packages that are missing, after saying which.
require_packages() {
  if [[ -z $(command -v dpkg-query) || -z $(command -v apt-get) ]]; then
    require_without_debian "$@"
    return
  fi
  local installed missing=() package
  installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' 2>/dev/null) "
  for package in "$@"; do
    [[ $installed == *" installed=$package "* ]] || missing+=("$package")
  done
  # The package with the C++ library bears its version in its name; g++ brings the right one.
  compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || missing+=(g++)
  [[ ${#missing[@]} -gt 0 ]] || return 0

  say "Installing with apt-get: ${missing[*]}"
  need_root "Installing"
  local log apt
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
  log=$(mktemp)
  if ! {
    "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
  } </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "apt-get failed; its messages stand above."
  fi
  rm -f "$log"
}

# Elsewhere the names of packages are not ours to know: asks pkg-config for what they hold.
require_without_debian() {
  local modules=(libavformat libavcodec libavutil libavfilter libswresample libebur128 alsa yaml-0.1)
  if [[ -n $(command -v pkg-config) ]] && pkg-config --exists "${modules[@]}" \
    && [[ -e /usr/include/lame/lame.h || -e /usr/local/include/lame/lame.h ]]; then
    return
  fi
  die "This is not Debian, so please install these yourself, by the names they have here: $*"
}

# Before packages are installed for nothing: a compiler must be there, though it may need some of
# them to run. Where the distribution's own is new enough, it is installed.
require_toolchain() {
  if [[ -n $(command -v swift) ]]; then return; fi
  # Nothing of swift.org runs there.
  [[ $(ldd --version 2>&1) != musl* ]] \
    || die "avjob needs glibc, and this system has musl: build and run avjob in a container of Debian."
  local known
  if [[ -n $(command -v dpkg) && -n $(command -v apt-cache) ]]; then
    known=$(apt-cache policy swiftlang 2>/dev/null | sed -n 's/^ *Candidate: //p')
    if [[ $known == [0-9]* ]] && dpkg --compare-versions "$known" ge 6.2; then
      require_packages swiftlang
      return
    fi
  fi
  die "avjob is written in Swift: install 6.2 or newer from https://www.swift.org/install/linux"
}

require_swift_version() {
  local version
  version=$(swift --version 2>&1) || die "swift does not run: $version"
  if [[ ! $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] \
    || ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] < 6002)); then
    die "avjob needs Swift 6.2 or newer (https://www.swift.org/install/linux); found: ${version%%$'\n'*}"
  fi
}

# Runs a build, showing where it is in one line, and what the compiler said if it fails.
# usage: build_quietly WHAT COMMAND…
build_quietly() {
  local what=$1 log line start=$SECONDS status=0
  shift
  log=$(mktemp)
  [[ -t 2 ]] || say "Building $what …"
  "$@" </dev/null 2>&1 | while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [[ -t 2 ]]; then printf '\r\033[KBuilding %s: %.60s' "$what" "$line" >&2; fi
  done || status=$?
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
  if ((status != 0)); then
    grep -vE '^\[[0-9]+/[0-9]+\] |^Building for |^Fetch|^Creating|^Computing|^Computed|^Working' \
      "$log" >&2 || true
    rm -f "$log"
    die "Building $what failed; the compiler's messages stand above."
  fi
  rm -f "$log"
  say "Built $what in $((SECONDS - start)) s."
}

# Sets `command_build` to how the command is built, but for the product. Targets that do no work for
# each sample are compiled for size, which is faster: Package.swift. The command searches no libraries
# beside itself.
set_command_build() {
  command_build=(
    env -u AVJOB_STRICT AVJOB_COMMAND=1 swift build --package-path "$root"
    --scratch-path "$root/.build" -c release --static-swift-stdlib --disable-local-rpath
    -debug-info-format none -Xlinker --no-export-dynamic
  )
  # Of lld: addresses to relocate take a tenth of the space, and equal functions stand once. A
  # toolchain of another release may lack a library of lld's; then the system's ld does.
  local lld
  lld=$(dirname "$(readlink -f "$(command -v swift)")")/ld.lld
  if "$lld" --version &>/dev/null; then
    command_build+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=safe)
  fi
}

# Sets `tests_build` to how the tests, and all modules, are built, but for the product. All is optimized
# but some of the tests (Package.swift tells why), packages that we depend on as well: their unoptimized
# code took a third of the computing tests' own time. They have a folder of their own: with other compiler flags than
# `swift build` has, neither rebuilds for the other.
set_tests_build() {
  set_overlay_options
  # shellcheck disable=SC2034  # Scripts that source this use it.
  tests_build=(
    env AVJOB_STRICT=1 swift build --package-path "$root" --scratch-path "$root/.build/strict"
    --explicit-target-dependency-import-check error -debug-info-format none -Xswiftc -O
    "${overlay_options[@]}"
  )
}

# Sets `overlay_options` to what a build with tests needs on this toolchain. To a file that imports both
# Foundation and Testing, as SwiftPM's own one does, the compiler adds a module of which Debian's
# swiftlang lacks the library: the tests would not link. None needs it.
set_overlay_options() {
  local library
  overlay_options=()
  library=$(readlink -f "$(command -v swift)")
  library=${library%/bin/*}/lib/swift/linux/lib_Testing_Foundation.so
  [[ -e $library ]] \
    || overlay_options=(-Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays)
}

# A digest of everything that the command is built from, so that an added, deleted or changed file
# shows; and of the system, whose libraries it is linked with.
sources_stamp() {
  cd "$root" || exit
  find Package.swift Sources scripts/setup.bash -type f -print0 | LC_ALL=C sort -z \
    | xargs -0 sha256sum -- /etc/os-release | sha256sum
}

is_ready() {
  [[ -x $ready/avjob && -r $ready/stamp && $(<"$ready/stamp") == "$1" ]]
}

# Makes "$ready/avjob" the release build of the present sources. Calls wait for one another, and
# the file is replaced whole, so that commands that run keep theirs.
require_command() {
  local stamp
  stamp=$(sources_stamp)
  if is_ready "$stamp"; then return; fi
  require_toolchain
  require_packages "${build_packages[@]}"
  require_swift_version
  mkdir -p "$ready"
  local lock
  exec {lock}>"$ready/lock"
  if ! flock --nonblock "$lock"; then
    say "Waiting for another build …"
    flock "$lock"
  fi
  # Another build may have finished, and the sources may have changed meanwhile.
  stamp=$(sources_stamp)
  if ! is_ready "$stamp"; then
    set_command_build
    local build=("${command_build[@]}" --product avjob)
    build_quietly "avjob" "${build[@]}"
    cp "$("${build[@]}" --show-bin-path)/avjob" "$ready/avjob.new"
    mv "$ready/avjob.new" "$ready/avjob"
    printf '%s\n' "$stamp" >"$ready/stamp.new"
    mv "$ready/stamp.new" "$ready/stamp"
  fi
  exec {lock}>&-
}

# Makes "$ready/generate-manual" the program of ArgumentParser's that turns the command's help into
# manual pages. It is built anew only where its package has another version.
require_manual() {
  local version built
  version=$(git -C "$root/.build/checkouts/swift-argument-parser" rev-parse HEAD) \
    || die "There is no ArgumentParser in .build/checkouts; build the command first."
  if [[ -x $ready/generate-manual && -r $ready/manual-version ]] \
    && [[ $(<"$ready/manual-version") == "$version" ]]; then
    return
  fi
  set_command_build
  build_quietly "the generator of manual pages" "${command_build[@]}" --product generate-manual
  built=$("${command_build[@]}" --show-bin-path)/generate-manual
  install --strip "$built" "$ready/generate-manual.new"
  mv "$ready/generate-manual.new" "$ready/generate-manual"
  printf '%s\n' "$version" >"$ready/manual-version.new"
  mv "$ready/manual-version.new" "$ready/manual-version"
}

# Prints the modules of the library, whose public declarations are its interface: those that AVJob
# exports, each behind those that it imports, and AVJob.
library_modules() {
  local modules=(
    MediaTime MPEGAudio Diagnosis Transcripts MediaComposition ExportEngine Playback NowPlaying
  )
  diff <(sed -n 's/^@_exported import //p' "$root/Sources/AVJob/AVJob.swift" | grep -v ' ' | sort) \
    <(printf '%s\n' "${modules[@]}" | sort) >&2 \
    || die "AVJob.swift exports others ('<') than scripts/setup.bash names ('>')."
  printf '%s\n' "${modules[@]}" AVJob
}

# Writes the symbol graphs of built modules, without what the compiler and protocols add.
# usage: export_symbol_graphs PRODUCTS FOLDER MODULE…
export_symbol_graphs() {
  local products=$1 folder=$2 swift maps=() map module
  shift 2
  swift=$(readlink -f "$(command -v swift)")
  while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find "$root/Sources" "$products/" -maxdepth 2 -name module.modulemap
    find "$products/../../checkouts" -path '*/CSystem/include/module.modulemap'
  )
  for module in "$@"; do
    "${swift%/*}/swift-symbolgraph-extract" -module-name "$module" -I "$products/Modules" \
      -I /usr/include/lame -I "/usr/include/$(uname -m)-linux-gnu" "${maps[@]}" \
      -target "$(uname -m)-unknown-linux-gnu" -module-cache-path "$folder/cache" \
      -minimum-access-level public -skip-synthesized-members -output-dir "$folder" \
      || die "swift-symbolgraph-extract does not read the module $module."
  done
}
