# Cases of scripts/bench about sound that is heard, and recorded. Sourced, with what it and
# scripts/measure.bash define.
# shellcheck shell=bash disable=SC2154  # What one script sets, the other uses.

# A card that is not there, and keeps time as one that is.
provide_card() {
  card=$bench/paced.so
  cc -O1 -fPIC -shared "$root/Tests/Rigs/paced.c" -o "$card" -lasound >"$log" 2>&1 \
    || failed cc paced.c
}

# A copy of Jobs/podcast.yaml with its media, of which no run has noted anything; and its sound. It
# has no levels, which would be measured before the first frame.
provide_podcast() {
  rm -rf podcast
  mkdir -p podcast/Jobs
  cp -r "$root/Fixtures" podcast
  sed '/^loudness:/d; s/, loudness: [^}]*}/ }/' "$root/Jobs/podcast.yaml" >podcast/Jobs/podcast.yaml
  "$avjob" run podcast/Jobs/podcast.yaml >"$log" 2>&1 </dev/null || failed avjob run podcast.yaml
  convert -i podcast/Jobs/out/sonnets-01.mp3 podcast.wav
  rm -rf podcast/Jobs/.avjob podcast/Jobs/out
}

# Fills `figures` with what Tests/Rigs/live.py measures.
# usage: live COMMAND ARGUMENT…
live() {
  forget
  local printed
  printed=$(python3 "$root/Tests/Rigs/live.py" "$@" 2>"$log" </dev/null) || failed live.py "$@"
  read -ra figures <<<"$printed"
}

# From a process's start, and from a key, until there is sound; what it costs to play; whether other
# work disturbs it. The peer is sox, which plays a file of the same sound into the same card.
preview() {
  local card figures podcast=podcast/Jobs/podcast.yaml sox=(sox -q podcast.wav -t alsa default)
  provide_card
  provide_podcast
  job_flat
  live start "$rounds" "$card" "$avjob" preview "$podcast" -- "$avjob" --version -- "${sox[@]}"
  exceed 'preview: podcast, until it is heard' "${figures[0]}" \
    'avjob --version' "${figures[1]}" ms 150
  compare '' "${figures[0]}" 'sox, a file of it' "${figures[2]}" ms
  preview_seeks "$podcast" 45
  live start "$rounds" "$card" "$avjob" preview flat.yaml -- "$avjob" --version
  exceed 'preview: 10,000 clips, until heard' "${figures[0]}" \
    'avjob --version' "${figures[1]}" ms 150
  preview_seeks flat.yaml 3500
  preview_costs "$podcast" "${sox[@]}"
}

# usage: preview_seeks FILE SECONDS
preview_seeks() {
  live seek 25 "$card" "$2" "$avjob" preview "$1"
  bound '  from a key until the new place' "${figures[0]}" ms 50
  bound '  the slowest of 25' "${figures[1]}" ms 50
}

# usage: preview_costs FILE PEER…
preview_costs() {
  local file=$1 peer=("${@:2}") kind start theirs
  start=$(peak "$avjob" --version)
  live play 20 "$card" plain - "${peer[@]}"
  theirs=${figures[0]}
  for kind in plain screen; do
    live play 20 "$card" "$kind" - "$avjob" preview --loop "$file"
    line "preview: podcast, 20 s, $kind" "${figures[0]} %" 'sox, a file of it' "$theirs %" '' \
      '<= 5 %' "$(within "${figures[0]}" 5)"
    exceed '  memory at its peak' "$(megabytes "${figures[1]}")" \
      'avjob --version' "$(megabytes "$start")" MB 20
  done
  live play "$seconds_beside_encoders" "$card" plain music-10m.wav "$avjob" preview --loop "$file"
  bound "  beside $(nproc) lame, ${seconds_beside_encoders} s" "${figures[2]}" xruns 0
  bound '  as the card counts them' "${figures[3]}" xruns 0
}

# Ten seconds of FLAC, and what is left of it by a `kill -9`.
record() {
  local card figures start
  provide_card
  start=$(peak "$avjob" --version)
  live record 10 "$card" music-20s.wav out/record.flac "$avjob" record --force out/record.flac
  bound 'record: 10 s of FLAC' "${figures[0]}" % 5
  exceed '  memory at its peak' "$(megabytes "${figures[1]}")" \
    'avjob --version' "$(megabytes "$start")" MB 20
  line '  left by kill -9' "${figures[2]} s" '' '' '' '>= 9.7 s' "$(within 9.7 "${figures[2]}")"
}

# On PulseAudio and PipeWire: how soon a start, a key and a remote command are heard, and what playing
# costs, beside mpv on the same device of ALSA.
desk() {
  provide_desk
  on_desk latency --lines --rounds $((4 * rounds)) >latencies 2>"$log" || say "$(<"$log")"
  on_desk cost --lines --seconds "$seconds_beside_encoders" >costs 2>"$log" || failed desk.py cost
  local server player peer what median worst missing share theirs
  while read -r server player what median worst missing; do
    if [[ $player == avjob ]]; then peer=mpv-alsa; else peer=mpv-mpris; fi
    if ((missing > 0)); then say "$server, $player: $what was not heard $missing times."; fi
    theirs=$(figure_of latencies "$server $peer $what")
    if [[ -n $theirs ]]; then
      compare "$server: $player, $what" "$median" "${peer/-/ by }" "$theirs" ms 1
      bound '  worst of them' "$worst" ms "$(most_until_heard "$what")"
    else
      bound "$server: $player, $what" "$median" ms "$(most_until_heard "$what")"
    fi
  done < <(grep -E '^[^ ]+ avjob' latencies)
  while read -r server player what share; do
    theirs=$(figure_of costs "$server mpv-alsa $what")
    compare "$server: $what, of a core" "$share" 'mpv by alsa' "$theirs" % 1
  done < <(grep -E '^[^ ]+ avjob' costs)
}

# usage: figure_of FILE WORDS
figure_of() { awk -v of="$2" '$1 " " $2 " " $3 == of { print $4 }' "$1"; }

most_until_heard() { if [[ $1 == start* ]]; then echo 150; else echo 50; fi; }
