import MPEGAudio
import TestSupport
import Testing

@Suite struct GrowingFrameIndexTests {
  /// A file of which is counted how far it was read, but for its last bytes.
  private final class CostlyFile {
    let bytes: [UInt8]
    private(set) var end = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Where the tags at the end of a file are looked for, and what a look behind brings with them.
    private static let tail = 1 << 16

    func fill(_ offset: Int, _ target: UnsafeMutableRawBufferPointer) -> Int {
      let part = bytes[offset..<min(bytes.count, offset + target.count)]
      target.copyBytes(from: part)
      if offset < bytes.count - Self.tail { end = max(end, part.endIndex) }
      return part.count
    }

    func grow() throws -> GrowingFrameIndex? {
      try GrowingFrameIndex(byteCount: bytes.count, reading: fill)
    }
  }

  /// Files of ten encoders' settings, each of about a MB.
  private static let settings: [[String]] = [
    ["lame", "--quiet", "-V", "0"], ["lame", "--quiet", "-V", "9"],
    ["lame", "--quiet", "--abr", "96"], ["lame", "--quiet", "-b", "320"],
    ["lame", "--quiet", "-p", "-m", "m", "-b", "128"],
    ["lame", "--quiet", "--resample", "16", "-b", "64"],
    ["lame", "--quiet", "--tt", "Title", "--id3v2-only", "-V", "2"],
    ["lame", "--quiet", "--tt", "Title", "--id3v1-only", "-V", "4"],
    ["ffmpeg", "-v", "error", "-i", "-b:a", "128k"], ["ffmpeg", "-v", "error", "-i", "-q:a", "4"],
  ]

  private func file(_ setting: [String]) throws -> [UInt8] {
    try MP3Files.withFolder { folder in
      let (wav, path) = ("\(folder)/a.wav", "\(folder)/a.mp3")
      try MP3Files.makeWAV(at: wav, rate: 44100, channels: 2, samples: 40 * 44100 + 11)
      var command = setting
      if let input = command.firstIndex(of: "-i") {
        command.insert(wav, at: input + 1)
      } else {
        command.append(wav)
      }
      _ = try MP3Files.run(command + [path])
      return try readFile(path)
    }
  }

  @Test(
    "frames are found as far as they are needed, and are those of the whole index",
    arguments: Self.settings)
  func grows(setting: [String]) throws {
    let file = CostlyFile(try file(setting))
    let whole = try MP3Files.index(of: file.bytes)
    var growing = try #require(try file.grow())
    #expect(!growing.isWhole && file.end <= 1 << 18)
    #expect(growing.index.count == whole.count && growing.index.byteCount == whole.byteCount)
    #expect(growing.index.validFrameCount == whole.validFrameCount)
    #expect(growing.index.firstValidSample == whole.firstValidSample)
    #expect(growing.index.meanBitRate == whole.meanBitRate)
    #expect(growing.index.settings == whole.settings, "\(setting)")
    var dice = Dice(16)
    let last = whole.count - 1
    for number in (0..<20).map({ _ in Int(dice.number(0..<Int64(last))) }) + [last] {
      try growing.find(number)
      for frame in [0, number / 2, number] {
        #expect(growing.index.byteRange(ofFrame: frame) == whole.byteRange(ofFrame: frame))
        #expect(growing.index.mainDataBegin(ofFrame: frame) == whole.mainDataBegin(ofFrame: frame))
        #expect(growing.index.preRoll(ofFrame: frame) == whole.preRoll(ofFrame: frame))
      }
    }
    #expect(growing.isWhole && growing.index.anomalies == whole.anomalies)
  }

  @Test("a frame costs the bytes before it, and a window")
  func cost() throws {
    let file = CostlyFile(try file(["lame", "--quiet", "-b", "320"]))
    var growing = try #require(try file.grow())
    for number in stride(from: 100, to: growing.index.count * 3 / 4, by: 100) {
      try growing.find(number)
      #expect(file.end <= growing.index.byteRange(ofFrame: number).upperBound + 5 << 16)
    }
  }

  @Test("a tag that is wrong, incomplete or of another stream is not believed")
  func doubtful() throws {
    let bytes = try file(["lame", "--quiet", "-V", "4"])
    #expect(try CostlyFile(bytes).grow() != nil)
    var wrong = bytes
    wrong[0xB4] ^= 1
    #expect(try CostlyFile(wrong).grow() == nil, "a byte of the encoder's extension")
    #expect(try CostlyFile(Array(bytes.dropLast(5000))).grow() == nil, "cut short")
    #expect(try CostlyFile(bytes + bytes).grow() == nil, "two files")
    let untagged = try self.file(["lame", "--quiet", "-t", "-V", "4"])
    #expect(try CostlyFile(untagged).grow() == nil, "no tag, and a variable bit rate")
    let constant = try self.file(["lame", "--quiet", "-t", "-b", "128"])
    #expect(try CostlyFile(Array(constant.dropLast(100))).grow() == nil, "cut within a frame")
    #expect(
      try CostlyFile(constant + Array(repeating: 0, count: 418)).grow() == nil, "zeros behind")
  }

  /// A file whose encoder's extension, with delay and padding, is gone from its tag, or that has no tag.
  private func stripped(_ setting: [String], ofTag: Bool) throws -> [UInt8] {
    guard !ofTag else { return try file(["lame", "--quiet", "-t"] + setting) }
    var bytes = try file(["lame", "--quiet"] + setting)
    let name = try #require(bytes.firstRange(of: Array("LAME3".utf8))?.lowerBound)
    for place in name..<name + 36 { bytes[place] = 0 }
    return bytes
  }

  @Test(
    "without LAME's extension a tag tells the length, and without a tag a constant bit rate",
    arguments: [
      (["-V", "5"], false), (["-b", "192"], false), (["-b", "128"], true), (["-b", "320"], true),
      (["--resample", "24", "-b", "64"], true), (["--resample", "48", "-b", "160"], true),
      (["-m", "m", "-b", "56"], true), (["--resample", "11.025", "-b", "16"], true),
    ])
  func shortHeads(setting: [String], hasNoTag: Bool) throws {
    let bytes = try stripped(setting, ofTag: hasNoTag)
    let (file, whole) = (CostlyFile(bytes), try MP3Files.index(of: bytes))
    #expect((whole.tag == nil) == hasNoTag)
    var growing = try #require(try file.grow())
    #expect(!growing.isWhole && file.end <= 1 << 18)
    #expect(growing.index.count == whole.count)
    #expect(growing.index.validFrameCount == whole.validFrameCount)
    #expect(growing.index.meanBitRate == whole.meanBitRate)
    #expect(growing.index.settings == whole.settings)
    let middle = whole.count / 2
    try growing.find(middle)
    #expect(growing.index.byteRange(ofFrame: middle) == whole.byteRange(ofFrame: middle))
    try growing.find(whole.count - 1)
    #expect(growing.isWhole)
  }

  @Test("another bit rate in the middle is found out where it is met")
  func changes() throws {
    let (first, other) = (
      try stripped(["-b", "128"], ofTag: true), try stripped(["-b", "64"], ofTag: true)
    )
    let head = try MP3Files.index(of: first)
    let part = try MP3Files.index(of: other)
    // Two frames of 64 kbps have the bytes of one of 128: only the frames themselves tell.
    let cut = head.byteRange(ofFrame: 200).lowerBound
    var bytes = Array(first[..<cut])
    bytes +=
      other[part.byteRange(ofFrame: 100).lowerBound..<part.byteRange(ofFrame: 300).lowerBound]
    let rest = head.byteRange(ofFrame: 300).lowerBound
    bytes += first[rest...]
    let file = CostlyFile(bytes)
    guard var growing = try file.grow() else { return }
    let count = try MP3Files.index(of: bytes).count
    let lie = #expect(throws: GrowingFrameIndex.Contradiction.self) {
      try growing.find(growing.index.count - 1)
    }
    #expect(lie?.found == count)
  }

  @Test("frames are found from the bytes that are here, up to the last whole one before a gap")
  func gap() throws {
    let bytes = try file(["lame", "--quiet", "-V", "4"])
    let whole = try MP3Files.index(of: bytes)
    let gap = bytes.count / 2..<bytes.count * 3 / 4
    var failures = 0
    let growing = try GrowingFrameIndex(byteCount: bytes.count) { offset, target in
      if gap.contains(offset) {
        failures += 1
        return 0
      }
      let end = offset < gap.lowerBound ? gap.lowerBound : bytes.count
      let part = bytes[offset..<min(end, offset + target.count)]
      target.copyBytes(from: part)
      return part.count
    }
    var index = try #require(growing)
    let last = try #require(
      (0..<whole.count).last { whole.byteRange(ofFrame: $0).upperBound <= gap.lowerBound })
    for number in [100, last / 2, last] {
      try index.find(number)
      #expect(index.index.byteRange(ofFrame: number) == whole.byteRange(ofFrame: number))
    }
    #expect(failures == 0)
    #expect(throws: GrowingFrameIndex.Contradiction.self) { try index.find(last + 10) }
    #expect(failures > 0)
  }

  /// The file with a tag that counts `more` frames, and sums itself rightly; and the true count.
  private func lie(_ more: Int, in file: [UInt8]) throws -> (bytes: [UInt8], count: Int) {
    var bytes = file
    let tag = try #require(bytes.firstRange(of: Array("Xing".utf8))?.lowerBound)
    let count = bytes[tag + 8..<tag + 12].reduce(0) { $0 << 8 | Int($1) }
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      bytes[tag + 8 + index] = UInt8(truncatingIfNeeded: (count + more) >> shift)
    }
    let end = tag + 8 + 4 + 4 + 100 + 4 + 34
    let checksum = CRC16.checksum(bytes[..<end])
    (bytes[end], bytes[end + 1]) = (UInt8(checksum >> 8), UInt8(checksum & 255))
    return (bytes, count)
  }

  @Test(
    "a tag that counts other frames than there are is found out at the last frame",
    arguments: [7, 1, -1, -7])
  func lies(more: Int) throws {
    let (bytes, count) = try lie(more, in: try file(["lame", "--quiet", "-V", "4"]))
    var growing = try #require(try CostlyFile(bytes).grow())
    #expect(growing.index.count == count + more)
    try growing.find(count / 2)
    let lie = #expect(throws: GrowingFrameIndex.Contradiction.self) {
      try growing.find(count + more - 1)
    }
    #expect(lie?.announced == count + more && lie?.found == count)
  }

  @Test("bytes between frames, noise or zeros, make all frames be counted", arguments: [0x55, 0])
  func hole(byte: UInt8) throws {
    let whole = try file(["lame", "--quiet", "-b", "128"])
    let index = try MP3Files.index(of: whole)
    let (first, last) = (index.byteRange(ofFrame: 700), index.byteRange(ofFrame: 704))
    var bytes = whole
    for place in first.lowerBound..<last.upperBound { bytes[place] = byte }
    let file = CostlyFile(bytes)
    var growing = try #require(try file.grow())
    // The bytes and the sum of all headers agree with the tag.
    #expect(growing.index.count == index.count)
    try growing.find(99)
    #expect(!growing.isWhole)
    let gap = #expect(throws: GrowingFrameIndex.Contradiction.self) { try growing.find(800) }
    #expect(gap?.announced == index.count && gap?.found == index.count - 5)
    #expect(file.end == bytes.count)
  }

  @Test("where bytes cannot be read a scan ends, however long the file is said to be")
  func unreadable() throws {
    let bytes = try file(["lame", "--quiet", "-b", "128"])
    var calls = 0
    let index = try FrameIndex(byteCount: 1 << 42) { offset, target in
      calls += 1
      guard offset < bytes.count else { return 0 }
      let part = bytes[offset..<min(bytes.count, offset + target.count)]
      target.copyBytes(from: part)
      return part.count
    }
    #expect(index.count == (try MP3Files.index(of: bytes)).count)
    #expect(calls < 20)
  }

  @Test("a file whose frames are all found at once is held to its tag as well", arguments: [0, -2])
  func short(more: Int) throws {
    let bytes = try MP3Files.withFolder { folder in
      let (wav, path) = ("\(folder)/a.wav", "\(folder)/a.mp3")
      try MP3Files.makeWAV(at: wav, rate: 44100, channels: 2, samples: 6000)
      _ = try MP3Files.run(["lame", "--quiet", "-V", "4", wav, path])
      return try readFile(path)
    }
    let (changed, count) = try lie(more, in: bytes)
    var growing = try #require(try CostlyFile(changed).grow())
    if more == 0 {
      try growing.find(count - 1)
      #expect(growing.isWhole)
    } else {
      #expect(throws: GrowingFrameIndex.Contradiction.self) { try growing.find(count + more - 1) }
    }
  }
}
