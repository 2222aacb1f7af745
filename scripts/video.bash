# Cases of scripts/bench about moving pictures. Sourced, with what it and scripts/measure.bash define.
# shellcheck shell=bash disable=SC2154,SC2317  # What one script sets, the other uses.

# A part of an hour, and the sound of an hour replaced, against ffmpeg, whose copies begin at key
# pictures, and against encoding.
video() {
  make_movies
  job part <<<'
clip: movie-1h.mp4
from: 20:00.123
to: 30:00.456
output: { file: out/part.mp4, aac: copy }'
  job encoded <<<'
clip: movie-1h.mp4
from: 20:00.123
to: 21:00.123
output: { file: out/encoded.mp4, aac: copy, video: { h264: crf 20 } }'
  job edits <<<'
clip: movie-1h.mp4
from: 20:00.123
to: 30:00.456
output: { file: out/edits.mp4, aac: copy, video: { copy: edits } }'
  avjob_cuts() { "$avjob" run part.yaml --force; }
  avjob_encodes() { "$avjob" run encoded.yaml --force; }
  avjob_edits() { "$avjob" run edits.yaml --force; }
  ffmpeg_copies() { convert -ss 1200.123 -to 1800.456 -i movie-1h.mp4 -c copy out/part-ffmpeg.mp4; }
  race "$rounds" avjob_cuts avjob_edits ffmpeg_copies avjob_encodes
  compare 'video: 10 min of an hour' "${cpu[avjob_cuts]}" 'ffmpeg -c copy, inexact' \
    "${cpu[ffmpeg_copies]}" ms 2
  # Nothing is encoded; the sound that is copied is read back.
  compare '  by an edit list' "${cpu[avjob_edits]}" 'ffmpeg -c copy, inexact' \
    "${cpu[ffmpeg_copies]}" ms 2
  # A tenth of it was encoded.
  compare '  processor time' "${cpu[avjob_cuts]}" 'encoded, 10 times 1 min' \
    "$((${cpu[avjob_encodes]%.*} * 10))" ms 0.05
  replace_sound
  local long short
  job short <<<'
clip: movie-1h.mp4
from: 20:00.123
to: 20:30.456
output: { file: out/short.mp4, aac: copy }'
  long=$(peak "$avjob" run part.yaml --force)
  short=$(peak "$avjob" run short.yaml --force)
  exceed '  memory at its peak' "$(megabytes "$long")" '30 s' "$(megabytes "$short")" MB 24
}

replace_sound() {
  job replaced <<<'
clip: movie-1h.mp4
gain: -3 dB
output: out/replaced.mp4'
  job sound <<<'
clip: movie-1h.mp4
gain: -3 dB
output: out/sound.m4a'
  avjob_replaces() { "$avjob" run replaced.yaml --force; }
  avjob_and_ffmpeg() {
    "$avjob" run sound.yaml --force
    convert -i movie-1h.mp4 -i out/sound.m4a -map 0:v -map 1:a -c copy out/replaced-ffmpeg.mp4
  }
  race "$rounds" avjob_replaces avjob_and_ffmpeg
  compare '  the sound of an hour replaced' "${cpu[avjob_replaces]}" 'alone, and ffmpeg -c copy' \
    "${cpu[avjob_and_ffmpeg]}" ms 1.1
}

# A minute of 1080p, sixty times.
make_movies() {
  [[ ! -s movie-1h.mp4 ]] || return 0
  convert -f lavfi -i testsrc2=s=1920x1080:r=30:d=60 -c:v libx264 -preset veryfast -b:v 1M -g 250 \
    -bf 3 -pix_fmt yuv420p minute.mp4
  convert -stream_loop 59 -i minute.mp4 -i music-1h.wav -t 3600 -c:v copy -c:a aac new.movie-1h.mp4
  mv new.movie-1h.mp4 movie-1h.mp4
}
