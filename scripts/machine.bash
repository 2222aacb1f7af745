# A Debian that has nothing but its base. Sourced behind setup.bash.
# shellcheck shell=bash

# The releases that avjob is tried on; the last two are what is tested now, and what is new.
# shellcheck disable=SC2034  # scripts/releases and repository.bash read it.
readonly debian_releases=(bookworm trixie forky sid)
# The files and folders of this machine that others see, too: what --with names.
shown=()

# Prints what marks the packages of a release in their version. The marks are in the order of the
# releases, so a system that moves to the next one gets that one's package.
# usage: release_mark RELEASE
release_mark() {
  case $1 in
    bookworm) printf '+deb12\n' ;;
    trixie) printf '+deb13\n' ;;
    forky) printf '+deb14\n' ;;
    sid) printf '+sid\n' ;;
    *) die "'$1' is no release that packages are made for: ${debian_releases[*]}" ;;
  esac
}

# Prints the name of this system's release; nothing where it has none.
this_release() (
  # shellcheck source=/dev/null
  source /etc/os-release
  printf '%s\n' "${VERSION_CODENAME-}"
)

# Ends a script that makes machines and does not run as root.
require_root() {
  # shellcheck disable=SC2154  # The script that sources this sets it.
  ((EUID == 0)) || die "A machine is made as root: sudo scripts/${self##*/} …"
}

# Unpacks a release's base system into an empty folder; downloads it if it is not kept yet.
# usage: unpack_debian RELEASE FOLDER KEPT-FILE [MIRROR]
unpack_debian() {
  local release=$1 target=$2 kept=$3 from=${4:-http://deb.debian.org/debian}
  # An older debootstrap cannot make a newer release: the steps are those of unstable.
  local steps=/usr/share/debootstrap/scripts/$release
  [[ -e $steps ]] || steps=${steps%/*}/sid
  rm -rf --one-file-system "$target"
  mkdir -p "$target"
  if [[ ! -e $kept ]]; then
    say "Downloading the base of Debian $release …"
    debootstrap --variant=minbase "$release" "$target" "$from" "$steps" >"$kept.log" 2>&1 \
      || die "debootstrap failed; the reason is in $kept.log."
    tar -C "$target" -cf "$kept.new" .
    mv "$kept.new" "$kept"
  else
    tar -C "$target" -xf "$kept"
  fi
  cp /etc/resolv.conf /etc/hosts "$target/etc/"
}

# Runs a command on a machine, as root, in namespaces of its own, with which its mounts and
# processes end. The machine sees what `shown` names, and looks for programs in a toolchain first.
# usage: run_on_machine FOLDER [--toolchain FOLDER] COMMAND…
run_on_machine() {
  local machine=$1 toolchain=
  shift
  if [[ $1 == --toolchain ]]; then
    toolchain=$2
    shift 2
  fi
  # shellcheck disable=SC2016  # The inner shell expands this.
  unshare --mount --pid --fork --kill-child bash -c '
    set -euo pipefail
    machine=$1 toolchain=$2 count=$3
    shift 3
    mount --rbind /dev "$machine/dev"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$machine/dev/pts"
    mount -t tmpfs tmpfs "$machine/dev/shm"
    mount -t proc proc "$machine/proc"
    for path in "${@:1:count}"; do
      mkdir -p "$machine${path%/*}"
      if [[ -d $path ]]; then mkdir -p "$machine$path"; else touch "$machine$path"; fi
      mount --rbind "$path" "$machine$path"
    done
    shift "$count"
    exec chroot "$machine" env -i HOME=/root LANG=C.UTF-8 CI="${CI-}" \
      PATH="${toolchain:+$toolchain/usr/bin:}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"' \
    bash "$machine" "$toolchain" "${#shown[@]}" "${shown[@]}" "$@" </dev/null
}
