# Cases of scripts/bench that measure no time: how exact files are, and what is left of failures.
# Sourced, with what it and scripts/measure.bash define.
# shellcheck shell=bash disable=SC2154  # What one script sets, the other uses.

# Cuts, joins, lengths and levels, in samples and decibels.
exactness() {
  versions
  /usr/bin/python3 "$root/Tests/Rigs/exactness.py" "$avjob" "$bench/music-10m.wav" \
    "$root/Fixtures/librivox-sonnet.mp3" "$bench/exactness"
}

# Broken input, full disks, signals, and the same bytes again.
robustness() {
  versions
  /usr/bin/python3 "$root/Tests/Rigs/robustness.py" "$avjob" "$bench/music-10m.wav" \
    "$bench/robustness"
}

# Of the programs that only these cases use.
versions() {
  local package
  printf '\n'
  for package in sox flac opus-tools vorbis-tools; do
    printf '%s %s; ' "$package" "$(dpkg-query -W -f '${Version}' "$package")"
  done
  printf '\n'
}
