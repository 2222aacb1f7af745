import MPEGAudio
import TestSupport
import Testing

@Suite struct FrameIndexTests {
  @Test(
    "Real files have the frames that ffprobe finds, and as many samples as ffmpeg decodes",
    arguments: [
      ("librivox-sonnet.mp3", 2_349_056), ("voice-vbr.mp3", 238_447), ("lame-testcase.mp3", 25_000),
      ("sweep.mp3", 44_100),
    ] as [(String, Int64)])
  func fixtures(name: String, samples: Int64) throws {
    let path = Fixture.path(name)
    let index = try MP3Files.index(of: try readFile(path))
    #expect(
      (0..<index.count).map { index.byteRange(ofFrame: $0) } == (try MP3Files.packets(of: path)))
    #expect(index.validFrameCount == samples)
    #expect(
      try MP3Files.decodedLength(of: path, channels: index.channelCount) == index.validFrameCount)
  }

  @Test(
    "What LAME writes is read to the sample",
    arguments: [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000], [1, 2])
  func lame(rate: Int, channels: Int) throws {
    try MP3Files.withFolder { folder in
      let samples = 30_011
      try MP3Files.makeWAV(
        at: "\(folder)/a.wav", rate: rate, channels: channels, samples: samples)
      let settings: [[String]] = [
        ["-V", "0"], ["-V", "4"], ["-V", "9"], ["--abr", "56"], ["-b", "64"],
      ]
      for (number, setting) in settings.enumerated() {
        let path = "\(folder)/\(number).mp3"
        _ = try MP3Files.run(
          ["lame", "--quiet", "--resample", "\(Double(rate) / 1000)"] + setting
            + ["\(folder)/a.wav", path])
        let index = try MP3Files.index(of: try readFile(path))
        #expect(index.sampleRate == rate && index.channelCount == channels)
        #expect(index.validFrameCount == Int64(samples), "\(setting)")
        #expect(index.firstValidSample == 576 + 529)
        #expect(index.tag?.isChecksumValid == true && index.tag?.frameCount == index.count)
        #expect(index.tag?.encoder == "LAME3.100")
        #expect(index.anomalies == [])
        let frames = (0..<index.count).map { index.byteRange(ofFrame: $0) }
        #expect(frames == (try MP3Files.packets(of: path)), "\(setting)")
        #expect(try MP3Files.decodedLength(of: path, channels: channels) == Int64(samples))
      }
    }
  }

  @Test("Every quality, checksums, and ffmpeg's own tag are read to the sample")
  func writers() throws {
    try MP3Files.withFolder { folder in
      let wav = Fixture.path("lame-testcase.wav")
      let lame =
        (0...9).map { ["-V", "\($0)"] } + [["-p", "-b", "128"], ["-p", "-V2"], ["-m", "m"]]
      for (number, setting) in lame.enumerated() {
        let path = "\(folder)/\(number).mp3"
        _ = try MP3Files.run(["lame", "--quiet", "--resample", "44.1"] + setting + [wav, path])
        let index = try MP3Files.index(of: try readFile(path))
        #expect(index.validFrameCount == 25_000 && index.anomalies == [], "\(setting)")
      }
      let ffmpeg = [
        ["-b:a", "64k"], ["-q:a", "3"], ["-b:a", "64k", "-ac", "1", "-ar", "22050"],
        // Tag frames that are shorter than what FFmpeg sums.
        ["-b:a", "64k", "-ac", "1"], ["-b:a", "32k", "-ac", "1", "-ar", "22050"],
      ]
      for codec in ffmpeg {
        let path = "\(folder)/ffmpeg.mp3"
        _ = try MP3Files.run(["ffmpeg", "-v", "error", "-y", "-i", wav] + codec + [path])
        let index = try MP3Files.index(of: try readFile(path))
        #expect(index.tag?.encoder?.hasPrefix("Lavc") == true)
        #expect(index.anomalies == [], "\(codec)")
        let channels = index.channelCount
        #expect(try MP3Files.decodedLength(of: path, channels: channels) == index.validFrameCount)
      }
    }
  }

  @Test("Without a tag every frame counts, from the first sample")
  func withoutTag() throws {
    try MP3Files.withFolder { folder in
      let path = "\(folder)/a.mp3"
      _ = try MP3Files.run(
        ["lame", "--quiet", "-t", "-b", "128", Fixture.path("lame-testcase.wav"), path])
      let index = try MP3Files.index(of: try readFile(path))
      #expect(index.tag == nil && index.firstValidSample == 0 && !index.isGapless)
      #expect(index.validFrameCount == Int64(index.count) * 1152)
      #expect(try MP3Files.decodedLength(of: path, channels: 2) == index.validFrameCount)
    }
  }

  @Test("Delay and padding count in a tag whose frame ends before its checksum")
  func shortTag() throws {
    // As old Lavf wrote it at 32 kHz: frames of 180 bytes, and a tag of 188.
    let header: [UInt8] = [0xFF, 0xFB, 0x28, 0]
    let silence = header + [UInt8](repeating: 0, count: 176)
    var tag = header + [UInt8](repeating: 0, count: 32) + Array("Info".utf8)
    tag += [0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0x06, 0x54] + [UInt8](repeating: 0, count: 100)
    tag += Array("Lavf55.12".utf8) + [UInt8](repeating: 0, count: 12) + [0x24, 0x03, 0xE8]
    tag += [UInt8](repeating: 0, count: 180 - tag.count)
    let index = try MP3Files.index(of: tag + Array(repeating: silence, count: 8).joined())
    #expect(index.tag?.isChecksumValid == nil && index.tag?.delay == 576)
    #expect(index.count == 8 && index.firstValidSample == 1105)
    #expect(index.validFrameCount == 8 * 1152 - 576 - 1000)
  }

  @Test("The delay of iTunes' note is the encoder's alone")
  func noteOfITunes() throws {
    let silence = [0xFF, 0xFB, 0x28, 0] + [UInt8](repeating: 0, count: 176)
    let bare = try MP3Files.index(of: Array(Array(repeating: silence, count: 8).joined()))
    let note = try #require(
      ITunesGapless(parsing: " 00000000 00000210 00000270 0000000000001F80 00000000"))
    let index = bare.noting(note)
    #expect(index.isGapless && index.firstValidSample == 528 + 529)
    #expect(index.validFrameCount == 8064)
  }

  @Test("Samples and frames find one another across the encoder's delay")
  func positions() throws {
    let index = try MP3Files.index(of: try readFile(Fixture.path("lame-testcase.mp3")))
    #expect(index.firstValidSample == 1105)
    #expect(index.firstSample(ofFrame: 0) == -1105 && index.firstSample(ofFrame: 1) == 47)
    #expect(index.frame(containing: 0) == 0 && index.frame(containing: 46) == 0)
    #expect(index.frame(containing: 47) == 1 && index.frame(containing: 1_000_000) == 22)
    #expect(index.frame(containing: -5) == 0)
    for sample in stride(from: 0, to: index.validFrameCount, by: 97) {
      let frame = index.frame(containing: sample)
      let first = index.firstSample(ofFrame: frame)
      #expect(first <= sample && sample < first + 1152)
    }
  }

  @Test("The mean bit rate is that of the frames")
  func meanBitRate() throws {
    let index = try MP3Files.index(of: try readFile(Fixture.path("lame-testcase.mp3")))
    #expect((127_000...129_000).contains(index.meanBitRate))
  }

  /// MPEG-1 Layer III at 128 kbps and 44.1 kHz: 417 bytes.
  static let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + Array(repeating: 0, count: 413)

  @Test("A scan reads a file once, in pieces of no more than 256 KiB")
  func piecewise() throws {
    let bytes = [UInt8]((0..<10_000).map { _ in Self.frame }.joined())
    var read = 0
    let index = try FrameIndex(byteCount: bytes.count) { offset, target in
      #expect(target.count <= 1 << 18)
      target.copyBytes(from: bytes[offset..<offset + target.count])
      read += target.count
      return target.count
    }
    #expect(index.count == 10_000)
    // What is looked back at, and the looks at both ends, come on top.
    #expect(read < bytes.count * 5 / 4)
  }

  @Test("A file that is cut short while it is scanned ends where it was cut")
  func shrinking() throws {
    let bytes = [UInt8]((0..<10_000).map { _ in Self.frame }.joined())
    let end = 417 * 5000 + 100
    let index = try FrameIndex(byteCount: bytes.count) { offset, target in
      let count = max(0, min(target.count, end - offset))
      target.copyBytes(from: bytes[offset..<offset + count])
      return count
    }
    #expect((5000...5001).contains(index.count))
  }
}
