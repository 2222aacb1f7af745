import MPEGAudio
import TestSupport
import Testing

@Suite struct HostileMP3Tests {
  private let whole: [UInt8]
  private let index: FrameIndex

  init() throws {
    whole = try readFile(Fixture.path("lame-testcase.mp3"))
    index = try MP3Files.index(of: whole)
  }

  private func ranges(_ index: FrameIndex) -> [Range<Int>] {
    (0..<index.count).map { index.byteRange(ofFrame: $0) }
  }

  @Test("Tags of every kind are skipped, also several, and are no junk")
  func tags() throws {
    let id3: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 2, 0] + pictureOfSyncWords(256)
    let footed: [UInt8] =
      Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 16] + pictureOfSyncWords(16)
      + Array("3DI".utf8) + [4, 0, 0x10, 0, 0, 0, 16]
    let ape = apeTag(pictureOfSyncWords(96))
    let id3v1: [UInt8] = Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)
    let padding = [UInt8](repeating: 0, count: 100)
    for (head, tail) in [
      (id3, []), (id3 + id3, id3v1), (id3 + padding, ape + id3v1), (ape, ape), (footed, footed),
      (ape + id3, footed + ape + id3v1), (padding, padding),
    ] {
      let scan = try MP3Files.index(of: head + whole + tail)
      #expect(
        ranges(scan)
          == ranges(index).map { $0.lowerBound + head.count..<$0.upperBound + head.count })
      #expect(scan.anomalies == [] && scan.validFrameCount == 25_000)
    }
  }

  @Test("A tag whose size is a lie hides nothing and adds nothing")
  func lyingTags() throws {
    let tooLong: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F] + [1, 2, 3]
    #expect(try MP3Files.index(of: tooLong + whole).count == index.count)
    let tooShort: [UInt8] =
      Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 7] + pictureOfSyncWords(3000)
    let scan = try MP3Files.index(of: tooShort + whole)
    #expect(scan.count == index.count)
    #expect(scan.anomalies == [.skippedBytes(2993, runs: 1, firstOffset: 17, frames: [0])])
    let ape: [UInt8] =
      Array("APETAGEX".utf8) + [208, 7, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F]
      + [UInt8](repeating: 0, count: 16)
    #expect(try MP3Files.index(of: ape + whole).count == index.count)
    #expect(try MP3Files.index(of: whole + ape).count == index.count)
  }

  @Test("Junk between frames is skipped, counted, and said")
  func junk() throws {
    let cut = index.byteRange(ofFrame: 7).lowerBound
    let joined = whole[..<cut] + Array("garbage".utf8) + whole[cut...]
    let scan = try MP3Files.index(of: Array(joined))
    #expect(scan.count == index.count && scan.validFrameCount == 25_000)
    #expect(scan.anomalies == [.skippedBytes(7, runs: 1, firstOffset: cut, frames: [7])])
    #expect(
      scan.anomalies.map(\.description)
        == ["has 7 bytes that are no frames in 1 place, first at byte \(cut)"])
    let later = index.byteRange(ofFrame: 12).lowerBound
    let twice = joined[..<(later + 7)] + Array("trash".utf8) + joined[(later + 7)...]
    #expect(
      try MP3Files.index(of: Array(twice)).anomalies
        == [.skippedBytes(12, runs: 2, firstOffset: cut, frames: [7, 12])])
  }

  @Test("A file that ends within a frame loses that frame, and the padding with it")
  func truncated() throws {
    let scan = try MP3Files.index(of: Array(whole.dropLast(100)))
    #expect(scan.count == index.count - 1)
    // mpg123 gives as many.
    #expect(scan.validFrameCount == 24_239)
    #expect(
      scan.anomalies == [
        .truncatedFrame(missingBytes: 100), .announcedFrameCount(23, found: 22),
      ])
    #expect(
      scan.anomalies.map(\.description) == [
        "ends 100 bytes before its last frame does", "announces 23 frames and holds 22",
      ])
  }

  @Test("Files joined byte by byte keep all their frames, and are said to be joined")
  func joined() throws {
    let scan = try MP3Files.index(of: whole + whole)
    #expect(scan.count == 47)
    #expect(scan.validFrameCount == 53_039)  // As ffmpeg decodes it.
    #expect(scan.anomalies == [.innerTag(frame: 23), .announcedFrameCount(23, found: 47)])
  }

  @Test("A change of rate ends the index, a change of channels does not")
  func changes() throws {
    try MP3Files.withFolder { folder in
      let wav = Fixture.path("lame-testcase.wav")
      let low = "\(folder)/low.mp3"
      let mono = "\(folder)/mono.mp3"
      _ = try MP3Files.run(["lame", "--quiet", "-t", "--resample", "22.05", "-b", "64", wav, low])
      _ = try MP3Files.run(["lame", "--quiet", "-t", "-m", "m", "-b", "64", wav, mono])
      let scan = try MP3Files.index(of: whole + (try readFile(low)))
      #expect(scan.count == 23 && scan.validFrameCount == 25_000)
      guard case .formatChange(23, whole.count, let header) = scan.anomalies.first else {
        Issue.record("\(scan.anomalies)")
        return
      }
      #expect(header.sampleRate == 22050 && scan.anomalies.count == 1)
      #expect(
        scan.anomalies[0].description
          == "changes to 22050 Hz Layer III at frame 23, byte \(whole.count); "
          + "the sound from there on is left out")
      let both = try MP3Files.index(of: whole + (try readFile(mono)))
      #expect(both.count > 40 && both.channelCount == 2)
      #expect(both.anomalies.contains(.channelCountChange(frame: 23, channelCount: 1)))
    }
  }

  @Test("Layers I and II, free format and other bytes are refused by name")
  func refusals() throws {
    try MP3Files.withFolder { folder in
      let wav = Fixture.path("lame-testcase.wav")
      _ = try MP3Files.run(["ffmpeg", "-v", "error", "-i", wav, "\(folder)/a.mp2"])
      let two = try readFile("\(folder)/a.mp2")
      #expect(throws: FrameIndex.Refusal.notLayer3(.layer2)) { try MP3Files.index(of: two) }
      _ = try MP3Files.run([
        "lame", "--quiet", "-t", "--freeformat", "-b", "400", wav, "\(folder)/f.mp3",
      ])
      let free = try readFile("\(folder)/f.mp3")
      #expect(throws: FrameIndex.Refusal.freeFormat) { try MP3Files.index(of: free) }
    }
    let music = try readFile(Fixture.path("feelings.ogg"))
    let others: [[UInt8]] = [[], [0xFF], [0xFF, 0xFB, 0x90], Array(whole.suffix(300)), music]
    for bytes in others {
      #expect(throws: FrameIndex.Refusal.noFrames) { try MP3Files.index(of: bytes) }
    }
    #expect(FrameIndex.Refusal.notLayer3(.layer2).description == "is MPEG audio Layer II, not MP3")
    #expect(FrameIndex.Refusal.noFrames.description == "holds no MPEG audio frames")
  }

  @Test("A tag with a wrong checksum is used, and said")
  func checksum() throws {
    var bytes = whole
    bytes[150] ^= 1
    #expect(try MP3Files.index(of: bytes).anomalies == [.tagChecksum])
  }

  @Test("Whatever happens to the bytes, the index is that of the slow search")
  func twin() throws {
    var random = Dice(1)
    let sources = [
      whole, try readFile(Fixture.path("voice-vbr.mp3")).suffix(30_000).map { $0 },
    ]
    for round in 0..<120 {
      var bytes = sources[round % 2]
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 700))
        case 2: bytes.insert(contentsOf: pictureOfSyncWords(90), at: place)
        default: bytes.insert(contentsOf: bytes[..<min(2000, place)], at: place)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      let twin = SlowFrameSearch(bytes)
      guard let scan = try? MP3Files.index(of: bytes) else {
        #expect(twin.frames.isEmpty)
        continue
      }
      let frames = (0..<scan.count).map {
        SlowFrameSearch.Frame(
          range: scan.byteRange(ofFrame: $0), mainDataBegin: scan.mainDataBegin(ofFrame: $0))
      }
      #expect(frames == twin.frames && (scan.tag != nil) == (twin.tagRange != nil))
      for frame in 0..<scan.count {
        #expect((0...frame).contains(scan.preRoll(ofFrame: frame)))
      }
      #expect(scan.validFrameCount >= 0)
    }
  }

  /// Bytes that look like the beginnings of frames.
  private func pictureOfSyncWords(_ count: Int) -> [UInt8] {
    (0..<count).map { [0xFF, 0xFB, 0x90, 0x44, 0xFF, 0xFA][($0 * 7 + $0 / 5) % 6] }
  }

  private func apeTag(_ items: [UInt8]) -> [UInt8] {
    func frame(_ flags: UInt8) -> [UInt8] {
      Array("APETAGEX".utf8) + [208, 7, 0, 0] + [UInt8(items.count + 32), 0, 0, 0]
        + [1, 0, 0, 0, 0, 0, 0, flags] + [UInt8](repeating: 0, count: 8)
    }
    return frame(0xA0) + items + frame(0x80)
  }
}
