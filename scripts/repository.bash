# A repository for apt: packages of several releases in one pool, and an index for each release.
# Sourced by scripts/package behind machine.bash and verify.bash.
# shellcheck shell=bash
# shellcheck disable=SC2154  # scripts/package sets it.
readonly made

# Below the repository's folder.
readonly pool=pool/main/a/avjob

# Sets `key` to the secret key of a file, in a folder of gpg's that ends with this script.
# usage: import_key FILE
import_key() {
  GNUPGHOME=$(mktemp -d)
  export GNUPGHOME
  trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
  gpg --batch --quiet --import "$1" || die "$1 has no key that gpg could import."
  key=$(gpg --batch --with-colons --list-secret-keys | awk -F: '$1 == "fpr" && !n++ { print $10 }')
  [[ -n $key ]] || die "$1 has no secret key."
}

# Adds packages, and writes the index of each release that has some. Packages that are there stay:
# whoever installs an older version finds it.
# usage: add_to_repository KEY FOLDER PACKAGE…
add_to_repository() {
  local key=$1 folder=$2 package name release
  shift 2
  # apt refuses what was signed once, and is not any more.
  [[ -n $key || ! -e $folder/avjob.gpg ]] || die "$folder is signed: give its key, by --key."
  mkdir -p "$folder/$pool"
  for package in "$@"; do
    # shellcheck disable=SC2016  # dpkg expands these.
    name=$(dpkg-deb --show --showformat '${Package}_${Version}_${Architecture}.deb' "$package")
    marked "$name" \
      || die "$name has no mark of a release in its version: make it with scripts/package --release"
    if [[ -e $folder/$pool/$name ]]; then
      cmp "$package" "$folder/$pool/$name" >&2 \
        || die "The repository has other bytes of $name, which machines may have installed."
    fi
    install -D --mode=644 "$package" "$folder/$pool/$name.new"
    mv "$folder/$pool/$name.new" "$folder/$pool/$name"
  done
  for release in "${debian_releases[@]}"; do
    if compgen -G "$folder/$pool/*$(release_mark "$release")_*.deb" >/dev/null; then
      write_index "$folder" "$release"
      sign_index "$folder/dists/$release" "$key"
      say "For Debian $release: $(cat "$folder/dists/$release"/main/*/Packages | grep '^Filename:')"
    fi
  done
  [[ -z $key ]] || gpg --batch --export "$key" | install --mode=644 /dev/stdin "$folder/avjob.gpg"
}

# Whether a package's file is one of a release.
# usage: marked NAME
marked() {
  local release
  for release in "${debian_releases[@]}"; do
    [[ $1 != *"$(release_mark "$release")"_*.deb ]] || return 0
  done
  return 1
}

# Writes what a release has, for each architecture, and the digests of that. Each list also stands
# below its digest, where apt asks for it: a reader in the middle of an upload finds what the
# Release names that it has read.
# usage: write_index FOLDER RELEASE
write_index() {
  local folder=$1 release=$2 index=$1/dists/$2 mark architecture list digest
  local architectures=()
  mark=$(release_mark "$release")
  mapfile -t architectures < <(
    printf '%s\n' "$folder/$pool"/*"$mark"_*.deb | sed 's/.*_//; s/\.deb$//' | LC_ALL=C sort -u
  )
  for architecture in "${architectures[@]}"; do
    list=$index/main/binary-$architecture/Packages
    mkdir -p "${list%/*}/by-hash/SHA256"
    (cd "$folder" && dpkg-scanpackages --multiversion --arch "$architecture" "$pool") \
      2>"$made/scan.log" \
      | awk -v mark="$mark" -v RS= -v ORS='\n\n' '
          match($0, /\nVersion: [^\n]*/) {
            version = substr($0, RSTART, RLENGTH)
            if (substr(version, length(version) - length(mark) + 1) == mark) print
          }' >"$list" || die "dpkg-scanpackages failed; the reason is in $made/scan.log."
    [[ -s $list ]] || die "dpkg-scanpackages finds no package of Debian $release for $architecture."
    xz -9 -T1 --keep --force "$list"
    for list in "$list" "$list.xz"; do
      digest=$(sha256sum <"$list")
      install --mode=644 "$list" "${list%/*}/by-hash/SHA256/${digest%% *}"
    done
  done
  {
    printf '%s\n' 'Origin: avjob' 'Label: avjob' "Suite: $release" "Codename: $release" \
      "Date: $(LC_ALL=C date --utc --date="@${SOURCE_DATE_EPOCH:-$EPOCHSECONDS}" -R)" \
      "Architectures: ${architectures[*]}" 'Components: main' 'Acquire-By-Hash: yes' \
      "Description: avjob for Debian $release" 'SHA256:'
    for list in "$index"/main/*/Packages{,.xz}; do
      digest=$(sha256sum <"$list")
      printf ' %s %s %s\n' "${digest%% *}" "$(stat -c %s "$list")" "${list#"$index"/}"
    done
  } >"$index/Release.new"
}

# Puts a release's index in the place of the one before, signed where there is a key: in two forms,
# both of which apt reads.
# usage: sign_index FOLDER KEY
sign_index() {
  local index=$1 key=$2 sign=(gpg --batch --yes --local-user "$2" --digest-algo SHA512 --output)
  if [[ -n $key ]]; then
    "${sign[@]}" "$index/Release.gpg.new" --armor --detach-sign "$index/Release.new"
    "${sign[@]}" "$index/InRelease.new" --clearsign "$index/Release.new"
    mv "$index/InRelease.new" "$index/InRelease"
    mv "$index/Release.gpg.new" "$index/Release.gpg"
  else
    rm -f "$index"/InRelease "$index"/Release.gpg
  fi
  mv "$index/Release.new" "$index/Release"
}

# Installs from a repository, on a machine of each of its releases.
# usage: verify_repository FOLDER
verify_repository() {
  local folder=$1 release machine installed trust='Trusted: yes'
  [[ ! -e $folder/avjob.gpg ]] || trust='Signed-By: /usr/share/keyrings/avjob.gpg'
  for release in "${debian_releases[@]}"; do
    [[ -e $folder/dists/$release ]] || continue
    machine=$(fresh_machine "$release")
    cp -R "$folder" "$machine/repository"
    [[ ! -e $folder/avjob.gpg ]] || cp "$folder/avjob.gpg" "$machine/usr/share/keyrings/"
    printf '%s\n' 'Types: deb' 'URIs: file:/repository' "Suites: $release" 'Components: main' \
      "$trust" >"$machine/etc/apt/sources.list.d/avjob.sources"
    run_on_machine "$machine" bash -c '
      set -euo pipefail
      export DEBIAN_FRONTEND=noninteractive
      apt-get -q update
      apt-get -q install -y --no-install-recommends avjob
      apt-cache policy avjob
      avjob --version' >"$made/machine.log" 2>&1 \
      || die "apt installs nothing from there on Debian $release; the reason is in $made/machine.log."
    installed=$(sed -n 's/^ *Installed: //p' "$made/machine.log")
    say "On Debian $release apt installs avjob $installed ($trust)."
    rm -rf --one-file-system "$machine"
  done
}
