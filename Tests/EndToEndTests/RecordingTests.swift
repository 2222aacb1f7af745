import Glibc
import TestSupport
import Testing

@Suite("avjob record") struct RecordingTests {
  let stage = Stage()

  /// A card `card` of the test's plugin that records noise of 16 bits, for `ALSA_CONFIG_PATH`; the
  /// sound, too. Six seconds of it fit into the recorder's own memory, so that no busy machine loses
  /// any.
  private func card(_ definition: String = "speed 10", seconds: Int = 5) throws -> (
    environment: [String: String], sound: [UInt8]
  ) {
    var dice = Dice(9)
    var sound: [UInt8] = []
    sound.reserveCapacity(seconds * 192_000)
    while sound.count < seconds * 192_000 {
      withUnsafeBytes(of: dice.next() | 0x0101_0101_0101_0101) { sound += $0 }
    }
    try writeFile(stage.path("source"), sound)
    let path = try SoundCard.configuration(
      [
        "card": """
        type avpaced file "\(stage.path("source"))" stall yes formats [ S16_LE ] rates [ 48000 ]
        channels [ 2 ] \(definition.replacing("$", with: stage.folder.root))
        """
      ], in: stage.folder)
    return (["ALSA_CONFIG_PATH": path], sound)
  }

  private func decoded(_ name: String) throws -> [UInt8] {
    try Tool.succeed("ffmpeg", "-v", "error", "-i", stage.path(name), "-f", "s16le", "-").output
  }

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
    "killed at any moment, it leaves a file that plays what was recorded until shortly before",
    arguments: ["take.wav", "take.flac", "take.mp3"])
  func killed(name: String) throws {
    let (environment, sound) = try card("speed 4")
    let result = try stage.run(
      """
      "$AVJOB" record \(name) --device card & process=$!
      for _ in $(seq 600); do
        [ "$(stat -c %s \(name) 2> /dev/null || echo 0)" -gt 40000 ] && break
        sleep 0.05
      done
      kill -9 $process
      wait $process
      echo $?
      """, environment: environment)
    #expect(result.text == "137\n", "\(result.errors)")
    let bytes = try decoded(name)
    #expect(bytes.count > 20_000)
    if name == "take.mp3" {
      #expect(try Tool.run(["mpg123", "-q", "-t", stage.path(name)]).status == 0)
    } else {
      // Behind the end of its sound the card records silence.
      let heard = sound + [UInt8](repeating: 0, count: max(0, bytes.count - sound.count))
      #expect(bytes == Array(heard.prefix(bytes.count)))
      try Tool.succeed("sox", stage.path(name), "-n", "stat")
    }
    if name == "take.flac" { try Tool.succeed("flac", "-t", "-s", stage.path(name)) }
  }

  @Test("Ctrl-C and SIGTERM finish the file, and are no failure", arguments: ["INT", "TERM"])
  func signals(name: String) throws {
    let (environment, sound) = try card()
    let result = try stage.run(
      """
      "$AVJOB" record take.flac --device card & process=$!
      for _ in $(seq 600); do
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

  @Test("unplugged, it waits for the card and goes on with it at its time")
  func unplugged() throws {
    let (environment, sound) = try card("speed 4 unplugged \"$/gone\" heard \"$/heard\"")
    let result = try stage.run(
      """
      {
        until [ "$(stat -c %s take.wav 2> /dev/null || echo 0)" -gt 100000 ]; do sleep 0.02; done
        touch gone
        sleep 0.3
        rm gone
      } &
      avjob record take.wav --device card --duration 16s
      """, environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning: the device is gone; "), "\(result.errors)")
    #expect(result.errors.contains("warning: device gone at 0:0"), "\(result.errors)")
    let bytes = try decoded("take.wav")
    #expect(bytes.count == 16 * 192_000)
    let start = try #require(bytes.firstIndex(of: 0)) / 4 * 4
    // Compared before they are expected: nobody wants to read megabytes.
    let isWhole = bytes[..<start] == sound[..<start]
    #expect(isWhole)
    let end = try #require(bytes[start...].firstIndex { $0 != 0 })
    let goesOn = bytes[end...].starts(with: sound[start...].prefix(40_000))
    #expect(goesOn, "with what the card has next")
    #expect(!result.errors.contains("disk too slow"), "\(result.errors)")
  }

  @Test("a disk that is full keeps what was recorded, and is a failure with a remedy")
  func fullDisk() throws {
    let (environment, sound) = try card()
    let result = try stage.run(
      "(ulimit -f 200; avjob record take.wav --device card --duration 4s)",
      environment: environment)
    #expect(result.status == 1)
    #expect(result.errors.contains("error: take.wav: cannot write the file: "), "\(result.errors)")
    #expect(result.errors.contains("ulimit -f"))
    #expect(result.text.contains("not finished: its end may be missing"))
    let bytes = try decoded("take.wav")
    #expect(bytes.count > 100_000 && bytes == Array(sound.prefix(bytes.count)))
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

  @Test(
    "at a terminal, keys pause and stop, a line shows what is recorded, and nothing is left of it")
  func terminal() throws {
    let (environment, _) = try card("speed 1 loop yes", seconds: 1)
    let result = try stage.run(
      """
      last() { grep -ao 'recording  0:[0-9.]*\\|paused  \\|q stops' screen 2> /dev/null | tail -n 1; }
      until_last() {
        for _ in $(seq 400); do [[ $(last) == $1 ]] && return; sleep 0.05; done
      }
      {
        until_last 'recording  0:00.[1-9]'; printf ' '; until_last 'paused*'; printf ' '
        until_last 'recording*'; printf q; sleep 0.3
      } | TERM=xterm script -qfec 'stty -g; "$AVJOB" record take.wav --device card; echo status $?; stty -g' \
        screen > /dev/null
      cat screen
      """, environment: environment)
    let screen = result.text
    #expect(screen.contains("space pauses, q stops"), "\(screen)")
    #expect(screen.contains("paused "))
    #expect(screen.contains("status 0"))
    let lines = screen.split(whereSeparator: \.isNewline)
    let settings = lines.filter { $0.contains(":") && $0.allSatisfy { $0.isHexDigit || $0 == ":" } }
    #expect(settings.count == 2 && settings.first == settings.last, "\(screen)")
    #expect(lines.contains { $0.contains("take.wav  0:0") })
    #expect(try decoded("take.wav").count > 0)
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
      try said("a.ogg --device card")
        == "error: a.ogg: Vorbis is not recorded, since such a file cannot be played before it is "
        + "whole; record WAV, FLAC or MP3, and convert it afterwards")
    #expect(
      try said("a.wav --device card --rate 44.1kHz")
        == "error: the device does not record 44100 Hz but 48000 Hz; record that, and convert it "
        + "afterwards")
    #expect(
      try said("a.wav --rate 44")
        == "Error: --rate: '44' has no unit; write '44 kHz'")
    #expect(try said("a.wav --mp3 V2") == "Error: --mp3 is for a file that ends in .mp3")
    #expect(
      try said("a.wav --from-sound 3dB")
        == "Error: '3dB' is no level below full scale: write '-40 dB'")
    #expect(
      try said("a.wav --until-silence 3")
        == "Error: --until-silence: '3' has no unit: write 3s")
    #expect(
      try said("a.mp3 --format s16 --device card")
        == "error: MP3 has no sample format; leave it out, or record WAV or FLAC")
    #expect(try said("") == "Error: Missing expected argument '<file>'")
    let absent = try stage.run("avjob record a.wav --device other", environment: environment)
    #expect(absent.status == 1)
    #expect(absent.errors.hasPrefix("error: cannot record from 'other': "))
    #expect(try stage.listing().filter { $0.hasPrefix("a.") } == [])
  }
}
