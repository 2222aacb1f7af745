# Cases of scripts/bench about media of servers. Sourced, with what it and scripts/measure.bash
# define.
# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # What one script sets, the other uses.

# A server of the material beside us, which ends with this script.
serve() {
  rm -f near.port
  exec {near_line}> >(exec python3 "$root/Tests/Servers/fault_server.py" . --until-eof >near.port)
  server=http://localhost:$(port near.port)
}

# Sets `far` to the same server, as far away as options of Tests/Servers/distant.py say.
# usage: move_away OPTION…
move_away() {
  rm -f far.port
  exec {far_line}> >(exec python3 "$root/Tests/Servers/distant.py" "${server##*:}" "$@" >far.port)
  far=http://localhost:$(port far.port)/plain
}

port() {
  until [[ -s $1 ]]; do sleep 0.05; done
  cat "$1"
}

# Kilobytes of all bodies since the last call.
sent() {
  curl -s "$server/_counts" | python3 -c 'import json, sys
print(sum(it["bytes"] for it in json.load(sys.stdin)) // 1000)'
  curl -s "$server/_reset"
}

# A file through the cache beside the file itself; a file from afar beside curl; five clips of one
# file, for the first and the second time, beside ffmpeg, which keeps nothing; and previews.
network() {
  local server far
  serve
  # 50 ms, on a line that loses one segment of a hundred.
  move_away --loss 1
  export AVJOB_CACHE=$bench/cache
  local ours=("$avjob" clip -q --force --allow-host localhost)
  rm -rf cache
  "${ours[@]}" "$server/plain/music-1h.wav" -o out/network.wav >"$log" 2>&1 || failed "${ours[@]}"
  cached_reads() { "${ours[@]}" --offline "$server/plain/music-1h.wav" -o out/network.wav; }
  file_reads() { "${ours[@]}" music-1h.wav -o out/network.wav; }
  race "$rounds" cached_reads file_reads
  outrun 'network: 1 h of WAV from the cache' "${wall[cached_reads]}" 'the file' \
    "${wall[file_reads]}" 0.8

  avjob_fetches() {
    rm -rf cache
    "${ours[@]}" "$far/music-1h.mp3" -o out/network.wav
  }
  curl_fetches() { curl -s -o out/network.mp3 "$far/music-1h.mp3"; }
  race "$rounds" avjob_fetches curl_fetches
  compare 'network: 1 h of MP3 from afar' "${wall[avjob_fetches]}" curl "${wall[curl_fetches]}" ms 1.2
  network_clips
  network_previews
}

network_clips() {
  local kind starts=(300 1100 1900 2600 3300)
  for kind in wav flac m4a ogg; do
    job clips <<<"{ concat: [$(printf "'$far/music-1h.$kind %ss..+30s', " "${starts[@]}")], output: out/clips.wav }"
    avjob_clips() {
      rm -rf cache
      avjob_again
    }
    avjob_again() { "$avjob" run --allow-host localhost --force clips.yaml; }
    ffmpeg_clips() {
      local start
      for start in "${starts[@]}"; do
        convert -ss "$start" -i "$far/music-1h.$kind" -t 30 "out/clips-$start.wav"
      done
    }
    local -A kilobytes
    sent >"$log"
    for contestant in avjob_clips avjob_again ffmpeg_clips; do
      race 1 "$contestant"
      kilobytes[$contestant]=$(sent)
    done
    compare "network: five clips of 1 h of $kind" "${kilobytes[avjob_clips]}" ffmpeg \
      "${kilobytes[ffmpeg_clips]}" kB 1
    bound '  for the second time' "${kilobytes[avjob_again]}" kB 0
    race "$rounds" avjob_clips avjob_again ffmpeg_clips
    outrun '  on the clock' "${wall[avjob_clips]}" ffmpeg "${wall[ffmpeg_clips]}" 1
    outrun '  for the second time' "${wall[avjob_again]}" ffmpeg "${wall[ffmpeg_clips]}" 1
  done
}

# From the first byte that a server 20 ms away sends of an hour of sound until that is heard.
network_previews() {
  local card figures kind
  provide_card
  move_away --delay 10
  for kind in wav flac mp3 m4a ogg; do
    live stream "$rounds" "$card" "$server" \
      "$avjob" preview --allow-host localhost "$far/music-1h.$kind"
    bound "network: preview of 1 h of $kind" "${figures[0]}" ms 300
    line '  from the start of the process' "${figures[1]} ms" '' '' ''
  done
}
