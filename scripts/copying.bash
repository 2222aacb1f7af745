# Cases of scripts/bench about copying MP3 and AAC. Sourced, with what it and scripts/measure.bash define.
# shellcheck shell=bash disable=SC2154,SC2317  # What one script sets, the other uses.

# Cuts, joins and a new beginning without encoding, against ffmpeg's copies, which are off by hundreds
# of samples, and against encoding.
copying() {
  # To encode half a minute takes but ten times as long as to start.
  cuts 'music-1h.320.mp3' 30 4
  cuts 'music-1h.320.mp3' 2400 60
  cuts 'music-1h.mp3' 2400 60
  local long short
  cutting 2400 'music-1h.320.mp3'
  long=$(peak "${cut[@]}")
  cutting 30 'music-1h.320.mp3'
  short=$(peak "${cut[@]}")
  exceed '  memory at its peak' "$(megabytes "$long")" '30 s' "$(megabytes "$short")" MB 4
  join_copies
  join_hours
  replace_intro
}

# Sets `cut` to the command that copies a part of a file.
# usage: cutting SECONDS FILE
cutting() {
  cut=(
    "$avjob" clip "$2" --from 5:00 --duration "$1s" -o out/copied.mp3 --mp3 copy --force --quiet
  )
}

# usage: cuts FILE SECONDS PART; encoding takes PART times as long, at least
cuts() {
  local file=$1 seconds=$2
  cutting "$seconds" "$file"
  avjob_copies() { "${cut[@]}"; }
  avjob_encodes() {
    "$avjob" clip "$file" --from 5:00 --duration "${seconds}s" -o out/encoded.mp3 --mp3 V2 --force
  }
  ffmpeg_copies() { convert -ss 300 -t "$seconds" -i "$file" -c copy out/copied-ffmpeg.mp3; }
  race "$rounds" avjob_copies ffmpeg_copies avjob_encodes
  compare "copying: $seconds s of $file" "${cpu[avjob_copies]}" 'ffmpeg -c copy' \
    "${cpu[ffmpeg_copies]}" ms 1
  compare '  processor time' "${cpu[avjob_copies]}" 'encoded' "${cpu[avjob_encodes]}" ms \
    "$(awk "BEGIN { print 1 / $3 }")"
}

# A hundred files of five minutes.
join_copies() {
  local number
  if [[ ! -d copies ]]; then
    rm -rf new.copies
    mkdir new.copies
    for ((number = 0; number < 100; number++)); do
      "$avjob" clip music-1h.mp3 --from "$((number * 32)).$((number * 7 % 10))s" --duration 300s \
        -o "new.copies/$number.mp3" --mp3 copy --quiet
    done
    mv new.copies copies
  fi
  printf "file 'copies/%d.mp3'\n" {0..99} >copies.txt
  {
    printf 'concat:\n'
    printf '  - copies/%d.mp3\n' {0..99}
    printf 'output: { file: out/joined.mp3, mp3: copy, join: nudge }\n'
  } | job joined
  avjob_joins() { "$avjob" run joined.yaml; }
  ffmpeg_joins() { convert -f concat -safe 0 -i copies.txt -c copy out/joined-ffmpeg.mp3; }
  race "$rounds" avjob_joins ffmpeg_joins
  compare '  100 files joined' "${cpu[avjob_joins]}" 'ffmpeg -f concat' "${cpu[ffmpeg_joins]}" ms 1.2
}

# 500 parts of an hour, which are one file: whole frames, so that all of them lie on one grid, and at a
# rate at which FFmpeg can read as many packets.
join_hours() {
  provide minute.aac convert -i music-10m.wav -t 60 -ac 1 -ar 22050 -c:a aac -b:a 64k -aac_pns 0 -f adts
  hour() {
    for _ in {1..60}; do cat minute.aac; done | convert -f aac -i - -c copy "$1"
  }
  provide hour.m4a hour
  {
    printf 'concat:\n'
    printf '  - hour.m4a%.0s\n' {1..500}
    printf 'output: { file: out/hours.m4b, aac: copy }\n'
  } | job hours
  printf "file 'hour.m4a'%.0s\n" {1..500} >hours.txt
  avjob_joins() { "$avjob" run --force hours.yaml; }
  ffmpeg_joins() { convert -f concat -i hours.txt -c copy out/hours-ffmpeg.m4a; }
  race 1 avjob_joins ffmpeg_joins
  compare '  500 hours joined' "${cpu[avjob_joins]}" 'ffmpeg -f concat' "${cpu[ffmpeg_joins]}" ms 1
  bound '  processor time' "$(awk "BEGIN { print ${cpu[avjob_joins]} / 1000 }")" s 60
  bound '  memory at its peak' \
    "$(megabytes "$(peak "$avjob" run --quiet --force hours.yaml)")" MB 80
  rm -f out/hours.m4b out/hours-ffmpeg.m4a
}

# An hour with another intro.
replace_intro() {
  local setting
  for setting in copy 'cbr 320k'; do
    job "intro-${setting%% *}" <<<"
tracks:
  intro: { clip: music-10s.wav }
  talk: { clip: music-1h.320.mp3, from: 8s, at: 8s, fade_in: 2s }
output: { file: 'out/intro-${setting%% *}.mp3', mp3: $setting }"
  done
  avjob_replaces() { "$avjob" run intro-copy.yaml; }
  avjob_encodes() { "$avjob" run intro-cbr.yaml; }
  race "$rounds" avjob_replaces avjob_encodes
  compare '  a new intro for an hour' "${cpu[avjob_replaces]}" 'encoded' "${cpu[avjob_encodes]}" ms \
    0.025
}
