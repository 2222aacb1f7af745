# Cases of scripts/bench about encoders on all cores. Sourced, with what it and scripts/measure.bash
# define.
# shellcheck shell=bash disable=SC2154,SC2317  # What one script sets, the other uses.

# An hour of music to FLAC, AAC, Vorbis and Opus, against ffmpeg, which uses one core, and resamples
# as avjob does; and a podcast in two formats, against one core.
codecs() {
  spread flac 'flac: 16 bit' -c:a flac -compression_level 5
  spread m4a 'aac: 128k' -c:a aac -b:a 128k
  spread ogg 'vorbis: q5' -c:a libvorbis -q:a 5
  spread opus 'opus: 96k' -af aresample=48000:resampler=soxr:precision=28 -c:a libopus -b:a 96k
  two_formats
}

# usage: spread EXTENSION SETTING OPTION…, where the options are ffmpeg's
spread() {
  local extension=$1 setting=$2 options=("${@:3}")
  job spread <<<"{ clip: music-1h.wav, output: { file: out/spread.$extension, $setting } }"
  avjob_spreads() { "$avjob" run spread.yaml; }
  ffmpeg_encodes() { convert -i music-1h.wav "${options[@]}" "out/spread-ffmpeg.$extension"; }
  race "$rounds" avjob_spreads ffmpeg_encodes
  outrun "codecs: 1 h WAV to $setting" "${wall[avjob_spreads]}" ffmpeg "${wall[ffmpeg_encodes]}" 1.75
  compare '  processor time' "${cpu[avjob_spreads]}" ffmpeg "${cpu[ffmpeg_encodes]}" ms 1.08
}

# A mix of half an hour as MP3 and M4A.
two_formats() {
  job podcast <<<"
tracks:
  talk: { clip: music-1h.wav, to: 30:00 }
  bed: { clip: music-10m.wav, gain: -20 dB, loop: end }
output:
  - { file: out/podcast.mp3, mp3: V2 }
  - { file: out/podcast.m4a, aac: 128k }"
  on_all_cores() { "$avjob" run podcast.yaml; }
  on_one_core() { taskset -c 0 "$avjob" run podcast.yaml; }
  race "$rounds" on_all_cores on_one_core
  compare '  30 min to MP3 and M4A, clock' "${wall[on_all_cores]}" 'on one core' \
    "${wall[on_one_core]}" ms 0.6
}
