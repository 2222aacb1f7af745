# Cases of scripts/bench about levels. Sourced, with what it and scripts/measure.bash define.
# shellcheck shell=bash disable=SC2154,SC2317  # What one script sets, the other uses.

# Loudness and true peak of an hour, on all cores.
loudness() {
  local file
  for file in music-1h.wav music-1h.mp3; do
    avjob_measures() { "$avjob" probe --loudness --json "$file"; }
    ffmpeg_measures() { ffmpeg -nostdin -v info -i "$file" -af ebur128=peak=true -f null -; }
    race "$rounds" avjob_measures ffmpeg_measures
    compare "loudness: 1 h ${file##*.}, on the clock" "${wall[avjob_measures]}" 'ffmpeg, ebur128' \
      "${wall[ffmpeg_measures]}" ms 0.6
    compare '  processor time' "${cpu[avjob_measures]}" 'ffmpeg, ebur128' \
      "${cpu[ffmpeg_measures]}" ms
  done
  exceed '  memory at its peak' "$(megabytes "$(peak "$avjob" probe --loudness music-1h.wav)")" \
    'avjob --version' "$(megabytes "$(peak "$avjob" --version)")" MB 64
}

# Music driven by 9 dB into a limiter, or leveled, and encoded, against the same without.
limiter() {
  local plain
  strip --strip-debug -o avjob-stripped "$avjob"
  plain=$(driven '')
  compare 'limiter: millions of instructions for 10 s' "$(driven limiter)" 'encoded without' \
    "$plain" M 1.2
  compare 'leveler' "$(driven leveler)" 'encoded without' "$plain" M 1.2
}

# What the second ten of twenty seconds take.
# usage: driven EFFECTS; prints millions of instructions
driven() {
  local seconds
  local -A work
  for seconds in 10 20; do
    job driven <<<"{ concat: [{ clip: music-${seconds}s.wav, gain: 9 dB }], effects: [$1], output: { file: out/driven.mp3, mp3: V2 } }"
    work[$seconds]=$(instructions ./avjob-stripped run driven.yaml)
  done
  difference "${work[20]}" "${work[10]}"
}

# A podcast: ten minutes of a voice, music that makes room for it, one loudness, MP3 V2. ffmpeg needs
# two runs for it, of which the second knows what the first has measured.
master() {
  provide voice-10m.wav convert -stream_loop -1 -i "$root/Fixtures/librivox-sonnet.mp3" \
    -t 600 -ar 44100 -ac 1
  local inputs=(-i voice-10m.wav -i music-10m.wav)
  local mix='[0]aformat=channel_layouts=stereo,asplit[voice][key];[1]volume=-6dB[music];'
  mix+='[music][key]sidechaincompress=threshold=0.01:ratio=8:attack=80:release=600[bed];'
  mix+='[voice][bed]amix=normalize=0'
  local level='loudnorm=I=-16:TP=-1:LRA=20' measured
  job master <<<'
    tracks:
      voice: voice-10m.wav
      music: { clip: music-10m.wav, gain: -6 dB, duck: { under: voice, by: 12 dB } }
    loudness: { integrated: -16 LUFS, true_peak: -1 dBTP }
    output: { file: out/master.mp3, mp3: V2 }'
  avjob_masters() { "$avjob" run master.yaml; }
  ffmpeg_masters() {
    measured=$(
      ffmpeg -nostdin -hide_banner "${inputs[@]}" \
        -filter_complex "$mix,$level:print_format=json" -f null - 2>&1 \
        | sed -n '/^{/,/^}/p' | python3 -c 'import json, sys
found = json.load(sys.stdin)
print(":".join(f"measured_{ours}={found[theirs]}" for ours, theirs in [
  ("I", "input_i"), ("TP", "input_tp"), ("LRA", "input_lra"), ("thresh", "input_thresh")])
  + ":offset=" + found["target_offset"])'
    )
    convert "${inputs[@]}" -filter_complex "$mix,$level:$measured:linear=true,aresample=44100" \
      -c:a libmp3lame -q:a 2 out/master-ffmpeg.mp3
  }
  ffmpeg_mixes() {
    convert "${inputs[@]}" -filter_complex "$mix" -c:a libmp3lame -q:a 2 out/mixed-ffmpeg.mp3
  }
  race "$rounds" avjob_masters ffmpeg_masters ffmpeg_mixes
  compare 'master: 10 min podcast, on the clock' "${wall[avjob_masters]}" 'ffmpeg, loudnorm twice' \
    "${wall[ffmpeg_masters]}" ms 0.2
  compare '  processor time' "${cpu[avjob_masters]}" 'ffmpeg, loudnorm twice' \
    "${cpu[ffmpeg_masters]}" ms 0.3
  compare '  on the clock' "${wall[avjob_masters]}" 'ffmpeg, no loudness' "${wall[ffmpeg_mixes]}" ms 1
}
