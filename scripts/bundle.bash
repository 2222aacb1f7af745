# One folder that runs on any Linux with glibc 2.34: the command, and the libraries that it needs,
# with an FFmpeg that is made for sound. Sourced by scripts/package behind setup.bash, stage.bash,
# machine.bash and verify.bash.
# shellcheck shell=bash
# shellcheck disable=SC2154  # scripts/package sets these.
readonly made mirror

readonly bundle=$root/.build/bundle
# Where parts are built for, so that no byte of theirs depends on where these sources are; and where
# they are.
readonly bundle_prefix=/opt/avjob
readonly stage=$bundle/stage$bundle_prefix
# The release whose sources are built: Debian mends them for years.
readonly bundle_suite=trixie
# No symbol may be newer: RHEL 9 and Amazon Linux 2023 have this one, all others a newer one; and
# their C++ library is that of GCC 11.
readonly oldest_glibc=2.34 oldest_symbols='GLIBC_2.34 GLIBCXX_3.4.29 CXXABI_1.3.13 GCC_11'
# Those of every system with a C++ program; four of them are parts of libc since 2.34.
readonly system_libraries='^(ld-linux-.*|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so\.[0-9]+)$'
# What FFmpeg and libcurl are built with, and what other parts are taken from, as Debian built them.
readonly bundle_packages=(
  nasm patchelf dpkg-dev xz-utils libopus-dev libspeex-dev libvorbis-dev librubberband-dev libsoxr-dev
  libssl-dev libnghttp2-dev libidn2-dev zlib1g-dev
)

# Unpacks a package's sources, with Debian's changes and security updates, and prints their folder.
# A mirror may not have the newest version yet: then the one before is taken. A mirror of Debian may
# have no debian-security beside it.
# usage: debian_source PACKAGE
debian_source() {
  local package=$1 state=$bundle/apt new=$bundle/sources/new folder version from
  folder=$bundle/sources/$package from=${mirror:-http://deb.debian.org/debian} from=${from%/}
  if [[ ! -d $folder ]]; then
    mkdir -p "$state/lists/partial" "$state/cache"
    printf "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n" \
      "$from" "$bundle_suite" "$from-security" "$bundle_suite-security" >"$state/sources.list"
    local apt=(
      apt-get -q -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
      -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root
    )
    "${apt[@]}" update >"$bundle/$package.log" 2>&1 || true
    compgen -G "$state/lists/*_dists_$bundle_suite-security_*_Sources*" >/dev/null \
      || say "$from-security cannot be read: the sources of $package may lack security updates."
    while read -r version; do
      rm -rf "$new"
      mkdir -p "$new"
      (cd "$new" && "${apt[@]}" source "$package=$version") \
        >>"$bundle/$package.log" 2>&1 || continue
      printf '%s\n' "$version" >"$folder.version"
      # Last, so that a folder that is there is whole.
      mv "$new/$package"-*/ "$folder"
      break
    done < <(apt-cache "${apt[@]:2}" showsrc "$package" | sed -n 's/^Version: //p' | sort -rV)
    [[ -d $folder ]] \
      || die "The sources of $package cannot be downloaded; the reason is in $bundle/$package.log."
    rm -rf "$new"
  fi
  printf '%s\n' "$folder"
}

# Builds sources in a folder of their own, where their configuration or their version is new, and
# installs them to the stage. Paths that the compiler writes begin at the bundle's folder.
# usage: build_part NAME OPTION…
build_part() {
  local name=$1 folder=$bundle/build/$1 stamp
  shift
  set -- env CPPFLAGS="-ffile-prefix-map=$bundle/=" "$bundle/sources/$name/configure" \
    --prefix="$bundle_prefix" "$@"
  stamp=$(printf '%s\n' "$(<"$bundle/sources/$name.version")" "$@" | sha256sum - "$bundle/old.o")
  if [[ -r $folder/stamp && $(<"$folder/stamp") == "$stamp" ]]; then return; fi
  rm -rf "$folder"
  mkdir -p "$folder"
  # shellcheck disable=SC2016  # The inner shell expands this.
  build_quietly "$name $(<"$bundle/sources/$name.version")" bash -c '
    set -e
    cd "$1"
    destination=$2
    shift 2
    "$@"
    make -j"$(nproc)"
    make install DESTDIR="$destination"' bash "$folder" "$bundle/stage" "$@"
  sed -i "s,=$bundle_prefix,=$stage," "$stage"/lib/pkgconfig/*.pc
  printf '%s\n' "$stamp" >"$folder/stamp"
}

# Prints the path of a library of this system.
# usage: system_library SONAME
system_library() {
  local found
  # Users have no folder of the system's own programs among theirs.
  found=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p \
    | awk -v name="$1" '$1 == name && !path { path = $NF } END { print path }')
  [[ -n $found ]] || die "The bundle needs $1, which is not here."
  printf '%s\n' "$found"
}

# Two functions have a new version since glibc 2.35, which would ask for a newer one than is
# promised: makes an object that calls the old ones, for each part its own.
build_old_functions() {
  local oldest
  oldest=$(objdump -T "$(system_library libm.so.6)" \
    | sed -nE 's/.*\((GLIBC_[0-9.]+)\) +hypot$/\1/p')
  mkdir -p "$bundle"
  clang -O2 -fPIC -x c -c - -o "$bundle/old.o" <<END
double old_hypot(double, double);
float old_hypotf(float, float);
__asm__(".symver old_hypot,hypot@$oldest");
__asm__(".symver old_hypotf,hypotf@$oldest");
#pragma GCC visibility push(hidden)
double hypot(double x, double y) { return old_hypot(x, y); }
float hypotf(float x, float y) { return old_hypotf(x, y); }
END
}

# All demuxers, parsers and bitstream filters; all decoders and filters of sound, those of other
# libraries too that Decoder.swift prefers; the encoders that avjob has. No network, no devices, no
# library that the configuration finds without being asked.
build_ffmpeg() {
  local source decoders preferred filters
  source=$(debian_source ffmpeg)
  decoders=$(sed -n '\,/\* audio codecs \*/,,\,/\* subtitles \*/,p' \
    "$source/libavcodec/allcodecs.c" \
    | sed -nE 's/^extern const FFCodec ff_([a-z0-9_]+)_decoder;.*/\1/p' | paste -sd,)
  preferred=$(sed -n '/ preferred = \[/,/\]/p' "$root/Sources/LibAV/Decoder.swift" \
    | grep -oE ': "[a-z0-9]+"' | tr -d ': "' | paste -sd,)
  filters=$(sed -nE 's/^extern const (FF|AV)Filter ff_af_([a-z0-9_]+);.*/\2/p' \
    "$source/libavfilter/allfilters.c" | paste -sd,)
  build_part ffmpeg --enable-gpl --enable-version3 --enable-shared --disable-static \
    --disable-programs --disable-doc --disable-avdevice --disable-swscale --disable-postproc \
    --disable-network --disable-autodetect --disable-debug --disable-everything \
    --enable-demuxers --enable-muxers --enable-parsers --enable-bsfs \
    --enable-protocol=file --enable-decoder="$decoders,$preferred,mjpeg,png" \
    --enable-filter="$filters,abuffer,abuffersink,anullsrc" \
    --enable-encoder="aac,alac,flac,libopus,libvorbis,$(
      printf 'pcm_%s,' u8 s16be s16le s24be s24le f32be f32le mulaw
    )pcm_alaw" \
    --enable-libopus --enable-libspeex --enable-libvorbis --enable-librubberband --enable-libsoxr \
    --enable-zlib --extra-ldsoflags=../../old.o
}

# HTTP and HTTPS alone.
build_curl() {
  local without=(
    ftp file ldap ldaps rtsp dict telnet tftp pop3 imap smb smtp gopher mqtt ipfs websockets
    manual docs static
  )
  debian_source curl >/dev/null
  build_part curl --with-openssl --with-nghttp2 --with-libidn2 --with-zlib --without-libpsl \
    --without-brotli --without-zstd --without-librtmp --without-libssh2 --without-nghttp3 \
    --without-ngtcp2 \
    --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt "${without[@]/#/--disable-}"
}

# The command, linked with the stage's libraries, which it looks for beside itself first. Prints its
# path.
build_bundled_command() {
  local build
  set_command_build
  build=(
    env PKG_CONFIG_PATH="$stage/lib/pkgconfig" "${command_build[@]}"
    --scratch-path "$bundle/swift" -Xlinker -z -Xlinker nopack-relative-relocs
    -Xlinker "$bundle/old.o" -Xlinker -rpath -Xlinker "\$ORIGIN/../lib/avjob" --product avjob
  )
  build_quietly "the bundle's avjob" "${build[@]}"
  printf '%s/avjob\n' "$("${build[@]}" --show-bin-path)"
}

# Copies a library, and those that it needs and not every system has, into a folder.
# usage: add_library FOLDER SONAME
add_library() {
  local folder=$1 name=$2 path needed
  [[ ! $name =~ $system_libraries && ! -e $folder/$name ]] || return 0
  path=$stage/lib/$name
  [[ -e $path ]] || path=$(system_library "$name")
  install -D --mode=644 "$path" "$folder/$name"
  strip --strip-unneeded "$folder/$name"
  patchelf --set-rpath "\$ORIGIN" "$folder/$name"
  for needed in $(patchelf --print-needed "$folder/$name"); do add_library "$folder" "$needed"; done
}

# Refuses what a system with the oldest glibc, or with the GCC of its time, would not load: all
# versions that a file asks for, also those that belong to no symbol, as packed relocations.
# usage: require_floor FILE…
require_floor() {
  local file newer
  for file in "$@"; do
    newer=$(objdump --private-headers "$file" | awk -v oldest="$oldest_symbols" '
      BEGIN {
        split(oldest, versions, " ")
        for (i in versions) { split(versions[i], parts, "_"); floor[parts[1]] = parts[2] }
        # They are as old as GCC 5.
        ignored["CXXABI_TM_1"] = ignored["CXXABI_FLOAT128"] = 1
      }
      function is_newer(version, than,   own, limit, i) {
        if (version !~ /^[0-9.]+$/) return 1
        split(version, own, "."); split(than, limit, ".")
        for (i = 1; i <= 3; i++) if (own[i] + 0 != limit[i] + 0) return own[i] + 0 > limit[i] + 0
        return 0
      }
      /^Version References:/ { references = 1; next }
      /^$/ { references = 0 }
      references && match($NF, /^(GLIBC|GLIBCXX|CXXABI|GCC)_/) && !($NF in ignored) {
        if (is_newer(substr($NF, RLENGTH + 1), floor[substr($NF, 1, RLENGTH - 1)])) print $NF
      }' | LC_ALL=C sort -u | paste -sd' ')
    [[ -z $newer ]] || die "${file##*/} needs $newer: the bundle promises glibc $oldest_glibc."
  done
}

# Writes what the bundle is made of, with versions, and their licences, below share/doc/avjob: the
# name, the version of the sources, and the package of Debian that these are.
# usage: write_parts FOLDER
write_parts() {
  local folder=$1 documents=$1/share/doc/avjob file package
  {
    printf 'ffmpeg\t%s\tffmpeg\ncurl\t%s\tcurl\n' \
      "$(<"$bundle/sources/ffmpeg.version")" "$(<"$bundle/sources/curl.version")"
    for file in "$folder"/lib/avjob/*; do
      [[ ! -e $stage/lib/${file##*/} ]] || continue
      package=$(dpkg-query -S "*/${file##*/}" | sed -n 's/:.*//p' | head -1)
      dpkg-query -W -f '${Package}\t${source:Version}\t${source:Package}\n' "$package"
    done
  } | LC_ALL=C sort -u | put "$documents/parts.tsv"
  put "$documents/copyright" <"$root/packaging/copyright"
  put "$documents/licences/ffmpeg" <"$bundle/sources/ffmpeg/debian/copyright"
  put "$documents/licences/curl" <"$bundle/sources/curl/debian/copyright"
  while IFS=$'\t' read -r package _; do
    file=/usr/share/doc/$package/copyright
    [[ ! -r $file ]] || put "$documents/licences/$package" <"$file"
  done <"$documents/parts.tsv"
  for file in GPL-2 GPL-3 LGPL-2 LGPL-2.1 LGPL-3 Apache-2.0; do
    put "$documents/licences/$file" <"/usr/share/common-licenses/$file"
  done
}

# Refuses other systems than the one whose libraries the bundle takes: newer ones ask for a newer
# glibc.
require_build_host() {
  [[ $(this_release) == bookworm ]] \
    || die "The bundle is built on Debian 12 alone, as in a container of debian:bookworm."
}

# Makes the folder of the bundle, and prints its path.
make_bundle() {
  local folder built needed filters library
  require_build_host
  # Its build also fetches the sources of the program for manual pages.
  require_command
  require_toolchain
  require_packages "${build_packages[@]}" "${bundle_packages[@]}"
  require_manual
  build_old_functions
  build_ffmpeg
  build_curl
  built=$(build_bundled_command)
  # Until it stands beside its libraries.
  export LD_LIBRARY_PATH=$stage/lib
  # For fill_prefix.
  # shellcheck disable=SC2034
  avjob=$built generator=$ready/generate-manual
  folder=$made/avjob-$("$built" --version)-linux-$(uname -m)
  rm -rf "$folder"
  fill_prefix "$folder" share/zsh/site-functions
  needed=$(patchelf --print-needed "$built")
  filters=$(grep -aoE 'libavfilter\.so\.[0-9]+' "$built" | head -1) \
    || die "$built does not name libavfilter."
  for library in $needed "$filters" libcurl.so.4; do
    add_library "$folder/lib/avjob" "$library"
  done
  require_floor "$folder"/bin/avjob "$folder"/lib/avjob/*
  write_parts "$folder"
  write_installer >"$folder/install"
  chmod -R u=rwX,go=rX "$folder"
  chmod 755 "$folder/install"
  printf '%s\n' "$folder"
}

# Prints the script that puts the bundle below a prefix, or takes it away: one that any sh reads, also
# where there is no bash, which then goes on in bash.
write_installer() {
  cat <<'END'
#!/bin/sh
# Puts avjob, with the libraries that it needs, below a prefix; takes it away again.
set -eu
END
  printf 'oldest_glibc=%s\n' "$oldest_glibc"
  cat <<'END'
refuse() {
  printf '%s\n' "$@" >&2
  exit 1
}
folder=$(dirname "$(readlink -f "$0")")
# Nothing is put anywhere unless the command runs here.
case " $* " in
  *' --uninstall '* | *' --help '* | *' -h '*) ;;
  *)
    if ! problem=$("$folder/bin/avjob" --version 2>&1 >/dev/null); then
      library=$(getconf GNU_LIBC_VERSION 2>/dev/null) || library='no glibc'
      if [ "$library" = 'no glibc' ] && ls /lib/ld-musl-*.so.1 >/dev/null 2>&1; then
        refuse "avjob needs glibc $oldest_glibc or newer, and this system has musl:" \
          'run avjob in a container of Debian.'
      fi
      refuse "avjob does not run here: $problem" \
        "It needs glibc $oldest_glibc or newer (here: $library), and libstdc++.so.6."
    fi
    ;;
esac
command -v bash >/dev/null || refuse 'This script needs bash: install it.'
exec bash -s -- "$folder" "$@" <<'SCRIPT'
set -euo pipefail
usage='usage: ./install [--uninstall] [--prefix DIR]

Puts avjob into DIR/bin, DIR/lib and DIR/share; DIR is /usr/local for root, and ~/.local for others,
unless given. With --uninstall, removes what was put there, and nothing else.'
# usage: fail STATUS MESSAGE
fail() {
  printf '%s\n' "$2" >&2
  exit "$1"
}
folder=$1 prefix=${HOME:+$HOME/.local} uninstalls=false
shift
((EUID != 0)) || prefix=/usr/local
while (($# > 0)); do
  case $1 in
    --prefix)
      prefix=${2-}
      [[ -n $prefix ]] || fail 2 "$usage"
      shift 2
      ;;
    --uninstall)
      uninstalls=true
      shift
      ;;
    -h | --help)
      printf '%s\n' "$usage"
      exit
      ;;
    *) fail 2 "$usage" ;;
  esac
done
[[ -n $prefix ]] || fail 2 'HOME is not set: name the folder to install to, ./install --prefix DIR'
if $uninstalls && [[ ! -r $prefix/share/avjob/installed ]]; then
  fail 1 "Nothing is installed in $prefix: there is no $prefix/share/avjob/installed."
fi
umask 022
END
  declare -f put_tree remove_tree
  cat <<'END'
if $uninstalls; then
  remove_tree "$prefix"
else
  filled=$(mktemp -d)
  trap 'rm -rf "$filled"' EXIT
  cp -R "$folder"/{bin,lib,share} "$filled"
  put_tree "$filled" "$prefix"
  "$prefix/bin/avjob" --version >/dev/null
  printf 'Installed %s/bin/avjob.\n' "$prefix"
fi
SCRIPT
END
}

# Packs the bundle's folder as an archive and as a wheel of Python's, with the same bytes each time,
# and prints their paths.
# usage: pack_bundle FOLDER
pack_bundle() {
  local folder=$1 archive=$1.tar.xz
  SOURCE_DATE_EPOCH=$(source_date %s)
  export SOURCE_DATE_EPOCH
  tar -C "$made" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    -cf - "${folder##*/}" | xz -9 -T1 >"$archive"
  printf '%s\n' "$archive"
  python3 "$root/packaging/wheel.py" "$folder" "manylinux_${oldest_glibc/./_}_$(uname -m)" "$made"
}

# What runs on each machine, as a user without rights and without a home: all examples, and music in
# every format; then the digests of what they wrote.
# shellcheck disable=SC2016  # The inner shell expands this.
readonly on_bundle_machine='
  set -euo pipefail
  cd /tmp/work
  export PATH=/opt/avjob/bin:$PATH
  for job in Jobs/*.yaml; do avjob run --quiet "$job" >/dev/null; done
  for kind in wav aiff caf flac m4a opus ogg mp3; do
    avjob compress --quiet Fixtures/feelings.ogg -o "Jobs/out/feelings.$kind" >/dev/null
  done
  find . -path "*/out/*" -type f ! -name ".*" | LC_ALL=C sort | xargs -d "\n" sha256sum'

# Runs the bundle on bare machines of several releases, which have no FFmpeg, and compares the
# bytes.
# usage: verify_bundle FOLDER
verify_bundle() {
  local folder=$1 release machine first=
  for release in bookworm trixie sid; do
    machine=$(fresh_machine "$release")
    cp -R "$folder" "$machine/opt/avjob"
    mkdir "$machine/tmp/work"
    git -C "$root" archive HEAD Jobs Fixtures | tar -C "$machine/tmp/work" -x
    chown -R 65534:65534 "$machine/tmp/work"
    run_on_machine "$machine" setpriv --reuid=65534 --regid=65534 --clear-groups \
      env -i PATH=/usr/bin:/bin bash -c "$on_bundle_machine" \
      >"$made/$release.sums" 2>"$made/$release.log" \
      || die "The bundle fails on Debian $release; the reason is in $made/$release.log."
    say "On Debian $release the bundle made $(wc -l <"$made/$release.sums") files."
    first=${first:-$release}
    cmp "$made/$first.sums" "$made/$release.sums" >&2 || die "Debian $release has other bytes."
    rm -rf --one-file-system "$machine"
  done
  say "They have the same bytes."
}
