import Glibc
import TestSupport
import Testing

@Suite struct PreviewTests {
  @Test("what is heard is what an export as float WAV holds, of each entry, without a gap")
  func content() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.write(
      "both.yaml",
      """
      jobs:
        a: { clip: one.wav, gain: -3 dB, output: { file: a.wav, wav: 32 bit float } }
        b: { concat: [two.wav, one.wav], output: { file: b.wav, wav: 32 bit float } }
      """)
    let before = try sound.stage.make("ls -A").text
    let result = try sound.run("avjob preview both.yaml two.wav")
    #expect(try sound.stage.make("ls -A").text == before)
    #expect(result.errors == "")
    #expect(result.status == 0)
    #expect(
      result.text == """
        1 of 3: a (0:03.0)
        2 of 3: b (0:05.0)
        3 of 3: two.wav (0:02.0)
        two.wav: ended at 0:02.0 of 0:02.0

        """)
    try sound.stage.make("avjob run -q both.yaml")
    let expected = try ["a.wav", "b.wav", "two.wav"].flatMap {
      try WAVFile(sound.stage.path($0)).data
    }
    #expect(sound.heard == expected)
  }

  @Test("a range, another output and a chosen job are heard, and nothing is written")
  func choices() throws {
    let sound = try SoundStage()
    try sound.make()
    let before = try sound.stage.listing()
    let result = try sound.run("avjob preview one.wav --from 1s --to end-500ms")
    #expect(result.status == 0)
    let whole = try WAVFile(sound.stage.path("one.wav"))
    #expect(sound.heard == Array(whole.slice(48_000..<120_000)))
    #expect(try sound.stage.listing() == before)
    #expect(try sound.run("avjob preview job.yaml --job job").status == 0)
  }

  @Test("both ends of a range are times of the whole")
  func range() throws {
    let sound = try SoundStage()
    try sound.make()
    #expect(try sound.run("avjob preview one.wav --from end-2s --to end-500ms").status == 0)
    let whole = try WAVFile(sound.stage.path("one.wav"))
    #expect(sound.heard == Array(whole.slice(48_000..<120_000)))
  }

  @Test("a card with ten channels and no other number plays sound in its first two")
  func manyChannels() throws {
    let sound = try SoundStage("speed 50 stall yes channels [ 10 ] formats [ S16_LE ]")
    try sound.make()
    let result = try sound.run("avjob preview two.wav")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let heard = sound.heard
    #expect(heard.count == 2 * 48_000 * 10 * 2)
    let isSilent = stride(from: 4, to: heard.count, by: 20).allSatisfy { start in
      heard[start..<start + 16].allSatisfy { $0 == 0 }
    }
    #expect(isSilent)
    let isHeard = heard.contains { $0 != 0 }
    #expect(isHeard)
  }

  @Test("refusals are those of run, with what to do")
  func refusals() throws {
    let sound = try SoundStage()
    try sound.make()
    let unknown = try sound.run("avjob preview job.yaml --job jop")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("error: there is no job 'jop'"))
    #expect(unknown.errors.contains("help: did you mean 'job'?"))
    let outside = try sound.run("avjob preview one.wav --from 5s")
    #expect(outside.status == 2)
    #expect(
      outside.errors.hasPrefix(
        "error: --from: '5s' is outside of 'one.wav', which lasts 0:03.0\n"))
    let backwards = try sound.run("avjob preview one.wav --from 2s --to 1s")
    #expect(backwards.status == 2)
    #expect(
      backwards.errors
        == "error: --to: '0:01.0' of 'one.wav' is not behind 0:02.0, where it begins\n")
    let short = try sound.run("avjob preview one.wav --from 2s --to '96100 samples' --loop")
    #expect(short.status == 2)
    #expect(
      short.errors.hasPrefix(
        "error: --loop: what is to be heard of 'one.wav' lasts less than 10 ms, which is no loop\n")
    )
    let missing = try sound.run("avjob preview three.wav")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("error: 'three.wav' does not exist"))
    let device = try sound.run("avjob preview one.wav --device nothing")
    #expect(device.status == 1)
    #expect(device.errors.contains("the sound device 'nothing' is not there; connect it"))
    #expect(
      device.errors.hasSuffix(
        "  help: 'avjob preview --list-devices' lists the devices; --device selects one\n"))
  }

  @Test("what another job writes is heard as it is there, and is to be made first where it is not")
  func needed() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.write(
      "chain.yaml",
      """
      jobs:
        raw: { clip: one.wav, output: { file: raw.wav, wav: 32 bit float } }
        cut: { clip: raw.wav 1s..2s, output: { file: cut.wav, wav: 32 bit float } }
      """)
    let early = try sound.run("avjob preview chain.yaml --job cut")
    #expect(early.status == 2)
    #expect(
      early.errors == """
        chain.yaml:3:16: error: there is no file 'raw.wav' yet: 'raw' writes it
            3 |   cut: { clip: raw.wav 1s..2s, output: { file: cut.wav, wav: 32 bit float } }
              |                ^~~~~~~
          help: run that first: 'avjob run … --only raw'

        """)
    let both = try sound.run("avjob run chain.yaml --quiet && avjob preview chain.yaml --job cut")
    #expect(both.status == 0)
    #expect(both.errors == "")
  }

  @Test("devices are listed")
  func devices() throws {
    let sound = try SoundStage("hint { show on description \"A card\" }")
    let result = try sound.run("avjob preview --list-devices")
    #expect(result.status == 0)
    #expect(result.text.contains("default"))
  }

  @Test("its threads are its own: none of a pool that has to wait where there is none to spare")
  func threads() throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let result = try sound.run(
      """
      "$AVJOB" preview one.wav --loop > /dev/null & job=$!
      for n in $(seq 6000); do grep -qs start \(sound.folder.path("log")) && break; sleep 0.02; done
      # Where there is no bus, the thread that looks for one ends; a new one has no name yet.
      for n in $(seq 6000); do
        [ "$(cat /proc/$job/task/*/comm | grep -vc ^playback-)" != 2 ] || break
        sleep 0.02
      done
      cat /proc/$job/task/*/comm | sort
      kill $job
      wait $job
      """)
    let names = result.text.split(separator: "\n").filter { !$0.hasPrefix("playback-") }
    // The main one, and the one that makes items.
    #expect(names.count == 2, "\(names)")
    #expect(names.contains("preview-items"))
    #expect(result.status == 143)
  }

  @Test("xruns and a device that goes and comes back are told")
  func mishaps() throws {
    let sound = try SoundStage(
      "speed 20 stall yes xrun_at 30000 unplug_at 100000 unplugged \"$/gone\"")
    try sound.make()
    let result = try sound.run(
      """
      avjob preview one.wav & job=$!
      for n in $(seq 6000); do [ -e \(sound.folder.path("gone")) ] && break; sleep 0.02; done
      rm -f \(sound.folder.path("gone"))
      wait $job
      """)
    #expect(result.status == 0)
    #expect(result.text.contains("xrun at 0:0"))
    #expect(result.text.contains("default has disconnected at 0:0"))
    #expect(result.text.contains("default is connected again"))
  }

  @Test("a screen counts xruns, and keeps the answer to a key")
  func xruns() throws {
    let sound = try SoundStage("speed 1 stall yes xrun_at 100000")
    try sound.make(seconds: 30)
    let terminal = try sound.start("one.wav")
    try terminal.wait(for: "playing")
    terminal.type("m")
    try terminal.wait(for: "mark 1 at")
    try terminal.wait(for: "1 xrun")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(!terminal.transcript.contains("ran out of sound"))
  }
}
