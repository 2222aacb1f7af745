# What an installation has below its prefix: one list, for scripts/install and scripts/package.
# Sourced behind setup.bash.
# shellcheck shell=bash

# shellcheck disable=SC2154  # setup.bash and the script that sources it set these.
readonly root ready

# Sets `avjob` to the command and `generator` to the program for its manual pages: those that
# AVJOB_BINARY and AVJOB_MANUAL name, as tests do, or those that are built here.
require_parts() {
  avjob=${AVJOB_BINARY-} generator=${AVJOB_MANUAL-}
  if [[ -z $avjob ]]; then
    require_command
    avjob=$ready/avjob
  fi
  if [[ -z $generator ]]; then
    require_manual
    generator=$ready/generate-manual
  fi
}

# The day of the last commit, so that the same sources give the same files; today without git.
# usage: source_date FORMAT
source_date() {
  local seconds=${SOURCE_DATE_EPOCH-}
  [[ -n $seconds ]] || seconds=$(git -C "$root" log -1 --format=%ct 2>/dev/null) \
    || seconds=$(date +%s)
  date --utc --date="@$seconds" "+$1"
}

# Fills an empty folder with the files of an installation.
# usage: fill_prefix FOLDER ZSH-FOLDER, where zsh looks for completions below the prefix
fill_prefix() {
  local folder=$1 zsh=$2 share=$1/share schema
  install -D --strip --mode=755 "$avjob" "$folder/bin/avjob"
  put() { install -D --mode=644 /dev/stdin "$1"; }
  # It is read by a shell that runs, and is no program.
  "$avjob" --generate-completion-script bash | sed '1{/^#!/d}' \
    | put "$share/bash-completion/completions/avjob"
  "$avjob" --generate-completion-script zsh | put "$folder/$zsh/_avjob"
  "$avjob" --generate-completion-script fish | put "$share/fish/vendor_completions.d/avjob.fish"
  "$avjob" schema | put "$share/avjob/avjob.schema.json"
  for schema in "$root"/docs/schemas/*.schema.json; do
    put "$share/avjob/${schema##*/}" <"$schema"
  done
  write_manual "$share/man/man1"
}

# Writes a manual page for avjob and one for each of its commands, as avjob-cache-list(1).
# usage: write_manual FOLDER
write_manual() {
  local folder=$1 pages page name version
  pages=$(mktemp -d)
  version=$("$avjob" --version)
  "$generator" "$avjob" --multi-page --date "$(source_date %F)" --output-directory "$pages"
  mkdir -p "$folder"
  for page in "$pages"/*.1; do
    name=${page##*/}
    name=${name%.1}
    # Commands that are not for people, and one that prints what the pages say.
    [[ $name != avjob.isolated-* && $name != avjob.help ]] || continue
    name=${name//./-}
    awk -v name="$name" -v version="$version" -f "$root/packaging/manual.awk" "$page" \
      | install --mode=644 /dev/stdin "$folder/$name.1"
  done
  rm -r "$pages"
}

# Puts the files of a filled folder below a prefix, each whole or not at all, and takes away what
# an earlier installation had besides. What was put, and which folders were made for it, is listed
# in share/avjob/installed.
# usage: put_tree FOLDER PREFIX
put_tree() {
  local folder=$1 prefix=$2 list=share/avjob/installed path paths=() new=()
  local -A old=() kept=()
  if [[ -r $prefix/$list ]]; then
    while IFS= read -r path; do old[$path]=1; done <"$prefix/$list"
  fi
  mkdir -p "$prefix"
  # A folder stands before what is in it.
  mapfile -t paths < <(cd "$folder" && find . -mindepth 1 -type d -printf '%P/\n' | LC_ALL=C sort)
  for path in "${paths[@]}"; do
    if [[ ! -d $prefix/$path || -n ${old[$path]-} ]]; then new+=("$path"); fi
  done
  mapfile -t paths < <(cd "$folder" && find . -type f -printf '%P\n' | LC_ALL=C sort)
  new+=("${paths[@]}" "$list")
  for path in "${new[@]}"; do kept[$path]=1; done
  for path in "${new[@]}"; do
    if [[ $path == */ ]]; then install -d --mode=755 "$prefix/$path"; fi
  done
  # Until all is done the list also has what is to go.
  printf '%s\n' "${new[@]}" "${!old[@]}" | LC_ALL=C sort -u >"$prefix/$list.new"
  mv "$prefix/$list.new" "$prefix/$list"
  for path in "${paths[@]}"; do
    cp --preserve=mode "$folder/$path" "$prefix/$path.new"
    mv "$prefix/$path.new" "$prefix/$path"
  done
  for path in "${!old[@]}"; do
    if [[ $path != */ && -z ${kept[$path]-} ]]; then rm -f "${prefix:?}/$path"; fi
  done
  printf '%s\n' "${new[@]}" | LC_ALL=C sort >"$prefix/$list.new"
  mv "$prefix/$list.new" "$prefix/$list"
}

# Takes away what put_tree has put, and the folders that it made, unless they hold other files.
# usage: remove_tree PREFIX
remove_tree() {
  local prefix=$1 list=$1/share/avjob/installed path paths=()
  mapfile -t paths <"$list"
  for path in "${paths[@]}"; do
    if [[ $path == /* || /$path/ == */../* ]]; then
      printf '%s\n' "$list names '$path', which is not below $prefix" >&2
      return 1
    fi
  done
  for path in "${paths[@]}"; do
    if [[ $path != */ ]]; then rm -f "${prefix:?}/$path"; fi
  done
  # From the back: a folder stands before what is in it.
  for ((i = ${#paths[@]} - 1; i >= 0; i--)); do
    if [[ ${paths[i]} == */ && -d $prefix/${paths[i]} ]]; then
      rmdir --ignore-fail-on-non-empty "$prefix/${paths[i]}"
    fi
  done
}
