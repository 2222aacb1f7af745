# How scripts/bench measures and compares. Sourced, with `set -euo pipefail` in force; `log` names a
# file for what commands say.
# shellcheck shell=bash disable=SC2034,SC2154  # What one script sets, the other uses.

# Takes away what avjob remembers of earlier runs, which it would find nothing to do after.
forget() { rm -rf .avjob; }

# Milliseconds of processor time, and on the clock, of a command that must succeed.
clock() {
  forget
  local TIMEFORMAT='%3U %3S %3R' times
  times=$({ time "$@" >"$log" 2>&1 </dev/null; } 2>&1) || failed "$@"
  awk '{ printf "%.0f %.0f\n", ($1 + $2) * 1000, $3 * 1000 }' <<<"$times"
}

failed() {
  cat "$log" >&2
  die "This failed, and what it said stands above: $*"
}

# Runs functions in turn; their medians are then in `cpu` and `wall`, by name, in milliseconds.
# usage: race ROUNDS NAME…
declare -A cpu wall
race() {
  local turns=$1 turn contestant
  shift
  rm -f times.*
  for ((turn = 0; turn < turns; turn++)); do
    for contestant in "$@"; do clock "$contestant" >>"times.$contestant"; done
  done
  for contestant in "$@"; do
    cpu[$contestant]=$(cut -d' ' -f1 "times.$contestant" | median)
    wall[$contestant]=$(cut -d' ' -f2 "times.$contestant" | median)
  done
}

median() {
  sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# Millions of instructions that a command takes.
instructions() {
  forget
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" \
    >"$log" 2>&1 </dev/null || failed "$@"
  awk '/ Collected : / { printf "%.1f\n", $4 / 1e6 }' "$log"
}

# Kilobytes that a command had in memory at its peak.
peak() {
  forget
  command time --format %M --output "$log.peak" "$@" >"$log" 2>&1 </dev/null || failed "$@"
  tail -n 1 "$log.peak"
}

# usage: line WHAT OURS PEER THEIRS FIGURE [TARGET VERDICT]
missed=0
line() {
  printf '%-34s %10s   %-26s %10s  %8s  %-9s %s\n' "$@"
  if [[ ${7-} == MISSED ]]; then missed=$((missed + 1)); fi
}

# Two quantities of one unit, their ratio, and the ratio that is wanted.
# usage: compare WHAT OURS PEER THEIRS UNIT [LIMIT]
compare() {
  local ratio verdict=''
  ratio=$(awk "BEGIN { printf \"%.2f\", $2 / $4 }")
  if [[ -n ${6-} ]]; then verdict=$(within "$ratio" "$6"); fi
  line "$1" "$2 $5" "$3" "$4 $5" "${ratio}x" "${6:+<= ${6}x}" "$verdict"
}

# Two times, how often ours goes into the peer's, and how often it should.
# usage: outrun WHAT OURS PEER THEIRS [LEAST]
outrun() {
  local times verdict=''
  times=$(awk "BEGIN { printf \"%.2f\", $4 / $2 }")
  if [[ -n ${5-} ]]; then verdict=$(within "$5" "$times"); fi
  line "$1" "$2 ms" "$3" "$4 ms" "${times}x" "${5:+>= ${5}x}" "$verdict"
}

# A quantity over another, and the difference that is wanted.
# usage: exceed WHAT OURS BASE THEIRS UNIT LIMIT
exceed() {
  local more
  more=$(difference "$2" "$4")
  line "$1" "$2 $5" "$3" "$4 $5" "+$more" "<= +$6" "$(within "$more" "$6")"
}

# A quantity, and what it may be.
# usage: bound WHAT OURS UNIT LIMIT
bound() { line "$1" "$2 $3" '' '' '' "<= $4 $3" "$(within "$2" "$4")"; }

difference() { awk "BEGIN { printf \"%.1f\", $1 - $2 }"; }

within() { awk "BEGIN { print ($1 <= $2) ? \"ok\" : \"MISSED\" }"; }
