import Glibc
import TestSupport
import Testing

@Suite("avjob record") struct RecordingTests {
  let microphone = Microphone()
  var stage: Stage { microphone.stage }

  func card(
    _ definition: String = "speed 10", seconds: Int = 5
  ) throws -> (environment: [String: String], sound: [UInt8]) {
    try microphone.card(definition, seconds: seconds)
  }

  func decoded(_ name: String) throws -> [UInt8] { try microphone.decoded(name) }

  @Test("a length is recorded to the sample, and what was done is said")
  func duration() throws {
    let (environment, sound) = try card()
    let result = try stage.run(
      "avjob record take.wav --device card --duration '100000 samples' 2>&1; echo status $?",
      environment: environment)
    #expect(result.text.contains("status 2"), "\(result.text)")
    let done = try stage.run(
      "avjob record take.wav --device card --duration 2s", environment: environment)
    #expect(done.errors == "recording from 'card': 48 kHz stereo, as WAV 16 bit\n")
    #expect(done.text == "take.wav  0:02.000 (96000 samples), 384 kB\n")
    #expect(done.status == 0)
    #expect(try decoded("take.wav") == Array(sound.prefix(384_000)))
    let again = try stage.run(
      "avjob record take.wav --device card --duration 2s", environment: environment)
    #expect(
      again.errors == "error: 'take.wav' exists already\n  help: --force records over it\n")
    #expect(again.status == 2)
    let forced = try stage.run(
      "avjob record take.wav --device card --duration 1s --force", environment: environment)
    #expect(forced.status == 0)
    #expect(try decoded("take.wav") == Array(sound.prefix(192_000)))
  }

  @Test(
    "a pipe that nobody reads does not keep it from ending; who reads late is told all the same")
  func fullPipe() throws {
    let (environment, _) = try card()
    let result = try stage.run(
      """
      mkfifo full
      exec 9<>full
      dd if=/dev/zero of=full bs=4096 oflag=nonblock status=none 2>/dev/null
      recorded() {
        for _ in $(seq 600); do
          [ "$(stat -c %s $1 2> /dev/null || echo 0)" -gt 40000 ] && break
          sleep 0.05
        done
      }
      "$AVJOB" record unread.flac --device card >&9 2>&9 & process=$!
      recorded unread.flac
      kill -TERM $process
      wait $process
      echo $?
      "$AVJOB" record read.flac --device card >&9 2>&9 & process=$!
      recorded read.flac
      timeout 60 sed -u 's/^\\x00*//; 1q' <&9
      kill -TERM $process
      timeout 60 sed -u 1q <&9
      wait $process
      echo $?
      flac -t -s -w unread.flac read.flac && echo whole
      """, environment: environment)
    let lines = result.text.split(separator: "\n")
    try #require(lines.count == 5, "\(result.text) \(result.errors)")
    #expect(lines[0] == "0")
    #expect(lines[1] == "recording from 'card': 48 kHz stereo, as FLAC 16 bit")
    #expect(lines[2].hasPrefix("read.flac  0:0"))
    #expect(lines[3...] == ["0", "whole"])
  }

  @Test("a server that ends and begins anew is an unplugged device: told, and counted as lost")
  func dies() throws {
    let (environment, sound) = try card("speed 1 dies_at 48000 heard \"$/heard\"")
    let done = try stage.run(
      "avjob record take.wav --device card --duration 3s", environment: environment)
    #expect(done.status == 0)
    #expect(done.text == "take.wav  0:03.000 (144000 samples), 576 kB\n")
    let lines = done.errors.split(separator: "\n")
    try #require(lines.count == 3, "\(done.errors)")
    #expect(
      lines[1]
        == "warning: the device has disconnected; the recording continues when it is connected again"
    )
    #expect(lines[2].hasPrefix("warning: device disconnected at 0:0"))
    // What was read before the end, silence, and what was read of the device that was opened anew.
    let bytes = try decoded("take.wav")
    let before = bytes.commonPrefix(with: sound)
    let silence = bytes[before...].prefix { $0 == 0 }.count
    #expect(before > 100_000 && silence > 0)
    let after = bytes[(before + silence)...]
    #expect(!after.isEmpty)
    let isWhole = after == sound[before...].prefix(after.count)
    #expect(isWhole)
  }

  @Test("Ctrl-C and SIGTERM finish the file, and are no failure", arguments: ["INT", "TERM"])
  func signals(name: String) throws {
    let (environment, sound) = try card()
    let result = try stage.run(
      """
      "$AVJOB" record take.flac --device card & process=$!
      for _ in $(seq 2400); do
        [ "$(stat -c %s take.flac 2> /dev/null || echo 0)" -gt 40000 ] && break
        sleep 0.05
      done
      kill -\(name) $process
      wait $process
      echo $?
      """, environment: environment)
    #expect(result.text.hasPrefix("take.flac  0:0"), "\(result.errors)")
    #expect(result.text.hasSuffix("\n0\n"))
    let bytes = try decoded("take.flac")
    #expect(bytes.count > 20_000 && bytes.starts(with: sound.prefix(20_000)))
    // Finished: its header has the digest of all samples.
    let tested = try Tool.run(["flac", "-t", "-w", stage.path("take.flac")])
    #expect(tested.status == 0, "\(tested.errors)")
  }

  @Test("an overrun is told, and what follows stands behind silence in its place")
  func overrun() throws {
    let (environment, sound) = try card("speed 10 xrun_at 50000")
    let result = try stage.run(
      "avjob record take.wav --device card --duration 3s", environment: environment)
    #expect(result.status == 0)
    #expect(result.errors.contains("warning: overrun at 0:0"), "\(result.errors)")
    let bytes = try decoded("take.wav")
    #expect(bytes.count == 3 * 192_000)
    // No sample of the source is 0 in both bytes: the first that is belongs to the silence.
    let frames = bytes.count / 4
    func isSilent(_ frame: Int) -> Bool {
      bytes[(frame * 4)..<(frame * 4 + 4)].allSatisfy { $0 == 0 }
    }
    let start = try #require((0..<frames).first(where: isSilent))
    let end = (start..<frames).first { !isSilent($0) } ?? frames
    #expect(bytes.prefix(start * 4) == sound.prefix(start * 4))
    #expect(result.errors.contains("(\(end - start) samples)"), "\(result.errors)")
    // The card goes on a buffer's length, 24,000 frames, behind the last frame that was read.
    let resumes = (start + 24_000) * 4
    #expect(bytes[(end * 4)...] == sound[resumes..<(resumes + bytes.count - end * 4)])
    #expect(
      try Tool.succeed("sndfile-info", stage.path("take.wav")).text.contains("overrun, "))
  }

  @Test(
    "a device that keeps no time is read as fast as it is written, and stops when it is told to")
  func unpaced() throws {
    let result = try stage.run(
      """
      "$AVJOB" record take.wav --device null & process=$!
      for _ in $(seq 6000); do
        [ "$(stat -c %s take.wav 2> /dev/null || echo 0)" -gt 4000000 ] && break
        sleep 0.01
      done
      kill -TERM $process
      wait $process
      """)
    #expect(result.status == 0 && result.text.hasPrefix("take.wav  "), "\(result.text)")
    #expect(try readFile(stage.path("take.wav")).count > 4_000_000)
    #expect(!result.errors.contains("lost"), "\(result.errors)")
  }

  @Test("unplugged, it waits for the card and goes on with it at its time")
  func unplugged() throws {
    let (environment, sound) = try card("speed 4 unplugged \"$/gone\" heard \"$/heard\"")
    let result = try stage.run(
      """
      "$AVJOB" record take.wav --device card 2> said & process=$!
      until_heard() {
        for _ in $(seq 6000); do [ "$(stat -c %s heard)" -gt $1 ] && break; sleep 0.02; done
      }
      until_heard 50000
      touch gone
      for _ in $(seq 6000); do grep -q 'the device has disconnected; ' said && break; sleep 0.02; done
      rm gone
      until_heard $(($(stat -c %s heard) + 100000))
      kill -INT $process
      wait $process || exit
      cat said >&2
      """, environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning: the device has disconnected; "), "\(result.errors)")
    #expect(result.errors.contains("warning: device disconnected at 0:0"), "\(result.errors)")
    let bytes = try decoded("take.wav")
    #expect(result.text.contains(" (\(bytes.count / 4) samples), "), "\(result.text)")
    let start = try #require(bytes.firstIndex(of: 0)) / 4 * 4
    // Compared before they are expected: nobody wants to read megabytes.
    let isWhole = bytes[..<start] == sound[..<start]
    #expect(isWhole)
    let end = try #require(bytes[start...].firstIndex { $0 != 0 })
    let goesOn = bytes[end...].starts(with: sound[start...].prefix(40_000))
    #expect(goesOn, "with what the card has next")
  }

  @Test("parts of a recording are files of their own, none of which lacks a sample")
  func split() throws {
    let (environment, sound) = try card()
    let result = try stage.run(
      "avjob record take.flac --device card --duration 3s --split 700ms", environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.split(separator: "\n").count == 5)
    var all: [UInt8] = []
    for number in 1...5 { all += try decoded("take-00\(number).flac") }
    #expect(all == Array(sound.prefix(3 * 192_000)))
  }

  @Test("through alsa-lib's own file plugin, what its source holds is recorded, bit for bit")
  func filePlugin() throws {
    let samples = Signal.noise(seed: 8, count: 2 * 48_000)
    let bytes = samples.flatMap { withUnsafeBytes(of: $0, Array.init) }
    try writeFile(stage.path("source.raw"), bytes)
    let path = try SoundCard.configuration(
      [
        "card": """
        type file format raw file /dev/null infile "\(stage.path("source.raw"))"
        slave.pcm { type null }
        """
      ], in: stage.folder)
    let result = try stage.run(
      "avjob record take.wav --device card --duration 900ms",
      environment: ["ALSA_CONFIG_PATH": path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors == "recording from 'card': 48 kHz stereo, as WAV 32 bit float\n")
    let recorded = try WAVFile(stage.path("take.wav"))
    #expect(recorded.frameCount == 43_200)
    #expect(Array(recorded.data) == Array(bytes.prefix(43_200 * 8)))
  }

  @Test(
    "more than two channels come in WAV's order where the device tells its own, else as they are",
    arguments: [
      ("map [ FL FR RL RR FC LFE ]", 6, [0, 1, 4, 5, 2, 3], "5.1"),
      ("map [ FC FL RL FR RR LFE ]", 6, [1, 3, 0, 5, 2, 4], "5.1"),
      ("", 6, [0, 1, 2, 3, 4, 5], "5.1"),
      ("map [ FR FL RL RR ]", 4, [1, 0, 2, 3], "quad"),
      ("map [ FL FR RL RR FC LFE SL SR ]", 8, [0, 1, 4, 5, 2, 3, 6, 7], "7.1"),
      ("map [ UNKNOWN UNKNOWN UNKNOWN UNKNOWN ]", 4, [0, 1, 2, 3], "quad"),
    ])
  func channelOrder(map: String, count: Int, order: [Int], layout: String) throws {
    // Sample s of channel c is 100 × c + s.
    let frames = 4000
    let source = (0..<frames).flatMap { frame in
      (0..<count).flatMap { channel in
        withUnsafeBytes(of: Int16(100 * channel + frame % 100).littleEndian, Array.init)
      }
    }
    try writeFile(stage.path("source"), source)
    let path = try SoundCard.configuration(
      [
        "card": """
        type avpaced file "\(stage.path("source"))" stall yes speed 50 formats [ S16_LE ]
        rates [ 48000 ] channels [ \(count) ] \(map)
        """
      ], in: stage.folder)
    for name in ["take.wav", "take.flac"] {
      let result = try stage.run(
        "avjob record \(name) --device card --channels \(count) --duration 50ms",
        environment: ["ALSA_CONFIG_PATH": path])
      #expect(result.status == 0, "\(result.errors)")
      let bytes = try decoded(name)
      let first = stride(from: 0, to: count * 2, by: 2).map {
        Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8
      }
      #expect(first.map { $0 / 100 } == order)
      #expect(bytes.count == 2400 * count * 2)
      let probed = try Tool.succeed(
        "ffprobe", "-v", "error", "-show_entries", "stream=channel_layout", "-of", "csv=p=0",
        stage.path(name)
      ).text
      #expect(probed.hasPrefix(layout), "\(probed)")
    }
  }

  @Test("what is wrong is said before anything is opened")
  func refusals() throws {
    let (environment, _) = try card()
    func said(_ arguments: String) throws -> String {
      let result = try stage.run("avjob record \(arguments)", environment: environment)
      #expect(result.status == 2, "\(arguments)")
      return result.errors.split(separator: "\n").first.map(String.init) ?? ""
    }
    #expect(
      try said("a.aiff --device card")
        == "error: a.aiff: AIFF is not recorded, since such a file cannot be played before it is "
        + "whole; record WAV, FLAC, MP3, M4A, Opus or Ogg, and convert it afterwards")
    #expect(
      try said("a.wav --device card --rate 44.1kHz")
        == "error: the device does not record 44100 Hz but 48000 Hz; record that, and convert it "
        + "afterwards")
    #expect(
      try said("a.wav --rate 44")
        == "error: --rate: '44' has no unit; write '44 kHz'")
    #expect(try said("a.wav --mp3 V2") == "error: --mp3 is for a file that ends in .mp3")
    #expect(try said("a.opus --aac 96k") == "error: --aac is for a file that ends in .m4a")
    #expect(try said("a.m4a --opus 96k") == "error: --opus is for a file that ends in .opus")
    #expect(try said("a.m4a --aac 96") == "error: --aac: '96' has no unit; write '96k'")
    #expect(
      try said("a.m4a --aac 96k --format s16")
        == "error: --format is for WAV and FLAC; leave it out")
    #expect(
      try said("a.wav --from-sound 3dB")
        == "error: --from-sound: '3dB' is no level below full scale: write '-40 dB'")
    #expect(
      try said("a.wav --until-silence 3")
        == "error: --until-silence: '3' has no unit: write 3s")
    #expect(
      try said("a.mp3 --format s16 --device card")
        == "error: MP3 has no sample format; leave it out, or record WAV or FLAC")
    for option in ["--duration", "--split", "--until-silence"] {
      #expect(
        try said("a.wav \(option) 0s")
          == "error: \(option): '0s' is no length of sound: write 10s")
    }
    #expect(
      try said("a.wav --until-silence '0 dB,1s'")
        == "error: --until-silence: '0 dB' is no level below full scale: write '-40 dB'")
    #expect(try said("") == "error: missing expected argument '<file>'")
    let absent = try stage.run("avjob record a.wav --device other", environment: environment)
    #expect(absent.status == 1)
    #expect(
      absent.errors.hasPrefix(
        "error: the sound device 'other' is not there; connect it, or choose another ("))
    #expect(
      absent.errors.hasSuffix(
        "  help: 'avjob record --list-devices' lists the devices; --device selects one\n"))
    #expect(try stage.listing().filter { $0.hasPrefix("a.") } == [])
  }
}
