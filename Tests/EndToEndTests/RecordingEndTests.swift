import TestSupport
import Testing

extension RecordingTests {
  @Test(
    "killed at any moment, it leaves a file that plays what was recorded until shortly before",
    arguments: [
      ("take.wav", ""), ("take.flac", ""), ("take.mp3", ""), ("take.m4a", "--aac 320k"),
      ("take.opus", "--opus 320k"), ("take.ogg", ""),
    ])
  func killed(name: String, settings: String) throws {
    let (environment, sound) = try card("speed 4")
    let result = try stage.run(
      """
      "$AVJOB" record \(name) \(settings) --device card & process=$!
      for _ in $(seq 2400); do
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
    let isLossy = name != "take.wav" && name != "take.flac"
    if isLossy {
      // Whatever was cut off, the beginning is in its place.
      func mono(_ bytes: [UInt8]) -> [Float] {
        stride(from: 0, to: 80_000, by: 4).map { place in
          (0..<2).reduce(0) { sum, channel in
            let index = place + 2 * channel
            return sum
              + Float(Int16(truncatingIfNeeded: Int(bytes[index]) | Int(bytes[index + 1]) << 8))
          }
        }
      }
      try #require(bytes.count >= 80_000)
      #expect(name == "take.mp3" || Signal.correlation(mono(bytes), mono(sound)) > 0.5)
    }
    if name == "take.mp3" {
      #expect(try Tool.run(["mpg123", "-q", "-t", stage.path(name)]).status == 0)
    } else if !isLossy {
      // Behind the end of its sound the card records silence.
      let heard = sound + [UInt8](repeating: 0, count: max(0, bytes.count - sound.count))
      #expect(bytes == Array(heard.prefix(bytes.count)))
      try Tool.succeed("sox", stage.path(name), "-n", "stat")
    }
    if name == "take.flac" { try Tool.succeed("flac", "-t", "-s", stage.path(name)) }
  }

  @Test(
    "a disk that is full keeps what was recorded, says how much that is, and is a failure with a remedy",
    arguments: [
      ("take.wav", ""), ("take.flac", ""), ("take.mp3", "--mp3 'cbr 320k'"),
      ("take.m4a", "--aac 320k"), ("take.opus", "--opus 320k"),
    ])
  func fullDisk(name: String, settings: String) throws {
    let (environment, sound) = try card()
    let result = try stage.run(
      "(ulimit -f 100; avjob record \(name) --device card --duration 4s \(settings))",
      environment: environment)
    #expect(result.status == 1)
    #expect(
      result.errors.contains("error: \(name): cannot write the file: "), "\(result.errors)")
    #expect(result.errors.contains("ulimit -f"))
    #expect(result.text.contains(", not finished: later sound is lost"))
    let bytes = try decoded(name)
    #expect(bytes.count > 60_000)
    if settings.isEmpty { #expect(bytes == Array(sound.prefix(bytes.count))) }
    // Of MP3, whose last word on that is missing, a decoder gives its delay, and LAME's, too, and the
    // place of that word as a frame.
    let frames = bytes.count / 4 - (name == "take.mp3" ? 1152 + 576 + 529 : 0)
    #expect(result.text.contains(" (\(frames) samples), "), "\(frames): \(result.text)")
    let size = try readFile(stage.path(name)).count
    #expect(result.text.contains(", \((size + 500) / 1000) kB, "), "\(size): \(result.text)")
  }

  @Test("a disk that is full in a later part advises nobody to record over the parts before")
  func fullDiskInParts() throws {
    let (environment, _) = try card()
    let result = try stage.run(
      "(ulimit -f 100; avjob record take.flac --device card --split 2s --duration 4s)",
      environment: environment)
    #expect(result.status == 1)
    #expect(result.errors.contains("cannot write the file: "), "\(result.errors)")
    #expect(!result.errors.contains("--force"), "\(result.errors)")
    let again = try stage.run(
      "avjob record take.flac --device card --split 2s --duration 4s", environment: environment)
    #expect(
      again.errors.hasSuffix(
        "error: take-001.flac: exists already; record to another file\n"
          + "  help: --force records over it\n"), "\(again.errors)")
  }

  @Test(
    "AAC, Opus and Vorbis are recorded at their bit rates, to the sample",
    arguments: [
      ("take.m4a", "--aac 96k", "AAC 96 kbps"), ("take.opus", "--opus 64k", "Opus 64 kbps"),
      ("take.ogg", "", "Vorbis"),
    ])
  func codecs(name: String, settings: String, said: String) throws {
    let (environment, _) = try card()
    let result = try stage.run(
      "avjob record \(name) \(settings) --device card --duration 2.05s",
      environment: environment)
    #expect(result.status == 0)
    #expect(
      result.errors.hasPrefix("recording from 'card': 48 kHz stereo, as \(said)"),
      "\(result.errors)")
    #expect(result.text.hasPrefix("\(name)  0:02.050 (98400 samples), "), "\(result.text)")
    let probed = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0",
      stage.path(name)
    ).text
    // The clock of Ogg counts from the encoder's delay on.
    let delay = name == "take.opus" ? 312 : 0
    #expect(probed == "\(98_400 + delay)\n")
  }
}
