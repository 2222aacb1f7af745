# Cases of scripts/bench about many jobs. Sourced, with what it and scripts/measure.bash define.
# shellcheck shell=bash disable=SC2016,SC2154,SC2317  # Contestants are called by their names, and
# variables of job files look like the shell's.

# Length, format of the input, and format of the output of each of 200 files, the same at each call:
# 1 to 60 s, and at the end, where it hurts most, four of ten minutes.
mixed_files() {
  awk '
    function below(n) { x = x * 16807 % 2147483647; return int(x / 2147483647 * n) }
    BEGIN {
      x = 20241105
      split("wav flac mp3 m4a ogg", inputs)
      split("mp3 flac m4a opus ogg wav mp3 mp3", outputs)
      for (i = 0; i < 196; i++)
        printf "%03d %.2f %s %s\n", i, 1 + below(5901) / 100, \
          inputs[1 + i % 5], outputs[1 + below(8)]
      for (; i < 200; i++) printf "%03d 600 %s mp3\n", i, inputs[1 + i % 5]
    }'
}

provide_mixed() {
  local number seconds input rest
  [[ -d mixed ]] && return
  say "Making mixed …"
  rm -rf new.mixed
  mkdir -p new.mixed
  while read -r number seconds input rest; do
    convert -ss $((10#$number * 15)) -t "$seconds" -i music-1h.wav "new.mixed/$number.$input"
  done < <(mixed_files)
  mv new.mixed mixed
}

# Two hundred files of all formats: how well jobs fill the cores, and what the batch adds to them.
mixed() {
  local number seconds input output longest bound
  rm -rf alone
  provide_mixed
  mkdir -p alone
  job mixed < <(
    printf 'jobs:\n'
    while read -r number seconds input output; do
      printf '  j%s: { clip: mixed/%s.%s, output: out/mixed/%s.%s }\n' \
        "$number" "$number" "$input" "$number" "$output"
      printf '{ clip: ../mixed/%s.%s, output: ../out/alone/%s.%s }\n' \
        "$number" "$input" "$number" "$output" >"alone/$number.yaml"
    done < <(mixed_files)
  )
  mixed_batch() { "$avjob" run mixed.yaml; }
  mixed_alone() {
    local file
    rm -rf alone/.avjob
    for file in alone/*.yaml; do "$avjob" run "$file"; done
  }
  # What two hundred processes take before they do anything.
  mixed_starts() {
    local file
    for file in alone/*.yaml; do "$avjob" --version; done
  }
  mixed_longest() {
    rm -rf alone/.avjob
    "$avjob" run alone/199.yaml
  }
  race "$rounds" mixed_batch mixed_alone mixed_starts mixed_longest
  # A chunk is 23 s of sound, and the last one is encoded alone.
  longest=$(awk "BEGIN { printf \"%.0f\", ${cpu[mixed_longest]} * 23 / 600 }")
  bound=$(awk "BEGIN { printf \"%.0f\", 1.05 * ${cpu[mixed_batch]} / $(nproc) + $longest }")
  compare 'mixed: 200 files, 1 s to 10 min' "${wall[mixed_batch]}" \
    'its CPU on all cores + 5 %' "$bound" ms 1
  compare '  processor time' "${cpu[mixed_batch]}" 'each in a process, less start' \
    "$(difference "${cpu[mixed_alone]}" "${cpu[mixed_starts]}")" ms 1.03
}

# A run that finds all of a thousand outputs as it left them.
nothing() {
  local number
  if [[ ! -d nothing ]]; then
    say "Making nothing …"
    rm -rf new.nothing
    mkdir -p new.nothing/raw
    convert -i music-1h.wav -t 500 -f segment -segment_time 0.5 new.nothing/raw/%04d.wav
    mv new.nothing nothing
  fi
  rm -rf nothing/.avjob
  job nothing/job <<<'{ for_each: "raw/*.wav", output: { folder: out, flac: 16 bit } }'
  "$avjob" run nothing/job.yaml >"$log" 2>&1 </dev/null || failed "$avjob" run nothing/job.yaml
  nothing_to_do() { "$avjob" run nothing/job.yaml; }
  race "$rounds" nothing_to_do
  compare "nothing: $(find nothing/out -type f | wc -l) outputs up to date" \
    "${wall[nothing_to_do]}" 'a second' 1000 ms 1
}

# A file of few lines that means a hundred thousand jobs.
jobs() {
  local memory
  job jobs < <(
    printf 'clip: music-5s.wav\noutput: "out/jobs/${left}-${right}.flac"\n'
    printf 'for_each: { left: [%s], right: [%s] }\n' "$(seq -s ', ' 400)" "$(seq -s ', ' 250)"
  )
  jobs_checked() { "$avjob" check jobs.yaml; }
  race "$rounds" jobs_checked
  memory=$(peak "$avjob" check jobs.yaml)
  compare 'jobs: check of 100,000' "${wall[jobs_checked]}" 'ten seconds' 10000 ms 1
  compare '  memory at its peak' "$(megabytes "$memory")" 'the limit' 300 MB 1
}

# What each of many small jobs takes of memory, in a run that makes all and in one that makes none.
tiny() {
  local number kind
  local -A few many
  if [[ ! -d tiny ]]; then
    say "Making tiny …"
    rm -rf new.tiny
    mkdir -p new.tiny/in
    convert -i music-1h.wav -t 0.002 new.tiny/one.wav
    for ((number = 0; number < 9000; number++)); do
      cp new.tiny/one.wav "$(printf 'new.tiny/in/%04d.wav' "$number")"
    done
    mv new.tiny tiny
  fi
  rm -rf tiny/.avjob tiny/few tiny/all
  job tiny/few <<<'{ for_each: "in/0*.wav", output: { folder: few, wav: 16 bit } }'
  job tiny/all <<<'{ for_each: "in/*.wav", output: { folder: all, wav: 16 bit } }'
  for kind in 'first run' 'up to date'; do
    few[$kind]=$(peak "$avjob" run --quiet tiny/few.yaml)
    many[$kind]=$(peak "$avjob" run --quiet tiny/all.yaml)
    bound "tiny: memory for each job, $kind" \
      "$(awk "BEGIN { printf \"%.1f\", (${many[$kind]} - ${few[$kind]}) / 8000 }")" kB 6
  done
}

# What a process for each job costs.
isolate() {
  slice files 400 5 8
  job isolate <<<'{ for_each: "files/*.wav", output: { folder: out/isolate, mp3: V2 } }'
  isolate_shared() { "$avjob" run isolate.yaml; }
  isolate_alone() { "$avjob" run --isolate isolate.yaml; }
  race "$rounds" isolate_alone isolate_shared
  compare 'isolate: 400 files of 5 s to MP3' "${wall[isolate_alone]}" 'in one process' \
    "${wall[isolate_shared]}" ms
  compare '  processor time' "${cpu[isolate_alone]}" 'in one process' "${cpu[isolate_shared]}" ms
  probes_apart() { "$avjob" check --root . isolate.yaml; }
  probes_here() { "$avjob" check isolate.yaml; }
  race "$rounds" probes_apart probes_here
  compare '  probing them confined and apart' "${wall[probes_apart]}" 'here' \
    "${wall[probes_here]}" ms
  local added
  added=$(awk "BEGIN { print ${wall[probes_apart]} - ${wall[probes_here]} }")
  compare '  what that adds, of the batch' "$added" 'all' "${wall[isolate_shared]}" ms 0.05
}
