import TestSupport
import Testing

/// What jobs and plans make of media of servers.
@Suite("Jobs over media of servers") struct RemoteJobTests {
  @Test("media that a server calls the same are still two: by size, time and tag nothing differs")
  func sameValidators() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      sox -n -r 8000 -c 1 -b 16 kick.wav synth 2 sine 300 gain -6
      sox -n -r 8000 -c 1 -b 16 snare.wav synth 2 sine 500 gain -6
      touch -d 2026-01-01 *.wav
      """)
    func write(_ name: String) throws {
      try stage.stage.write(
        "job.yaml",
        "clip: \(stage.url("dateonly", name))\noutput: [a.flac, { file: a.json, json: sidecar }]\n")
    }
    let run = "avjob run -q --allow-host $host job.yaml; cp a.flac $it.flac; cp a.json $it.json"
    try write("kick.wav")
    try stage.make("it=first; " + run)
    try write("snare.wav")
    try stage.make("it=second; " + run)
    try stage.make(
      """
      grep -q $(sha256sum <kick.wav | cut -d ' ' -f 1) first.json
      grep -q $(sha256sum <snare.wav | cut -d ' ' -f 1) second.json
      avjob clip -q snare.wav -o here.flac
      for it in second here; do ffmpeg -v error -i $it.flac -f s16le $it.pcm; done
      cmp second.pcm here.pcm
      """)
  }

  @Test("what may not be kept, and has no version, is one medium for all processes of a run")
  func unkept() throws {
    let stage = try RemoteStage()
    let fault = "noetag+header=Cache-Control:no-store"
    try stage.stage.write(
      "job.yaml", "clip: \(stage.url(fault, "voice-8k.wav")) 1s..2s\noutput: a.flac\n")
    try stage.make(
      """
      avjob run -q --isolate --allow-host $host job.yaml
      avjob clip -q \(Fixture.path("voice-8k.wav")) --from 1s --to 2s -o here.flac
      cmp a.flac here.flac
      """)
  }

  @Test("a plan says what is still to be fetched, and a check that a server cannot be asked now")
  func plan() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 44100 -c 2 -b 16 a.wav synth 60 sine 300 gain -6")
    let url = stage.url("plain", "a.wav")
    let shown = "http://\(stage.host)/plain/a.wav?…"
    try stage.stage.write("job.yaml", "clip: \(url) 20s..30s\noutput: a.flac\n")
    let before = try stage.make("avjob plan --allow-host $host job.yaml").text
    #expect(
      before.contains("\n  to be fetched\n    \(shown)  about 1.8 MB of 11 MB\n"), "\(before)")
    let json = try stage.make("avjob plan --json --allow-host $host job.yaml").text
    #expect(json.contains("\"url\": \"\(shown)\"") && json.contains("\"size\": 10584044"))
    try stage.make("avjob run -q --allow-host $host job.yaml")
    let after = try stage.make("avjob plan --offline job.yaml").text
    #expect(after.contains("\n  in the cache\n    \(shown)  11 MB\n"), "\(after)")
    #expect(!after.contains("to be fetched"))
    try stage.stage.write(
      "busy.yaml", "clip: \(stage.url("busy=99,after=100", "a.wav"))\noutput: b.flac\n")
    for command in ["plan", "check", "run -q"] {
      let failed = try stage.run("avjob \(command) --allow-host $host busy.yaml")
      #expect(failed.status == 75, "\(command): \(failed.errors)")
    }
  }

  @Test("an output is held to --max-output, and not to the size of what it is made from")
  func outputLimit() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 44100 -c 2 -b 16 a.wav synth 20 pinknoise gain -6")
    try stage.stage.write(
      "job.yaml",
      """
      jobs:
        short: { clip: "\(stage.url("plain", "a.wav")) 15s..16s", output: short.flac }
        long: { clip: "\(stage.url("plain", "a.wav"))", output: long.flac }
      """)
    let result = try stage.run(
      "avjob run --isolate --max-output 1MB --workers 1 --allow-host $host job.yaml")
    #expect(result.status == 1)
    #expect(result.errors.contains("'long.flac': cannot write the file: File too large"))
    #expect(try stage.make("ls *.flac").text == "short.flac\n")
  }

  @Test(
    "ten seconds of two minutes cost about their bytes, and are those of the file",
    arguments: [
      ("a.wav", "", 512), ("a.flac", "", 832), ("a.m4a", "-c:a aac -b:a 128k", 512),
      ("front.m4a", "-c:a aac -b:a 128k -movflags +faststart", 512),
      ("a.opus", "-c:a libopus -b:a 96k", 512), ("a.ogg", "-c:a libvorbis -q:a 5", 512),
    ])
  func part(name: String, codec: String, more: Int) throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=120:c=pink:r=48000:a=0.2:seed=3 -ac 2 \(codec) \(name)
      avjob clip -q --allow-host $host '\(stage.url("plain", name))' --from 70s --to 80s -o there.wav
      avjob clip -q \(name) --from 70s --to 80s -o here.wav
      cmp here.wav there.wav
      """)
    let requests = try stage.requests()
    let size = try readFile(stage.stage.path(name)).count
    #expect(requests.bodyBytes <= size * 10 / 120 + more << 10, "\(requests.bodyBytes) of \(size)")
    #expect(requests.count <= 30 && Set(requests.map { $0["connection"] }).count <= 4)
  }
}
