import MPEGAudio
import TestSupport
import Testing

/// Frames as they lie in one stream, put into another.
@Suite("Copied frames")
struct FrameCopyTests {
  @Test(
    "copied frames are the same bytes, and what follows finds room",
    arguments: FramePackerTests.streams)
  func copies(_ options: [String]) throws {
    let stream = try lameStream(options)
    let index = try MP3Files.index(of: stream)
    let frames = try unpacked(stream)
    let (first, last) = (20, 60)
    var packer = FramePacker(.smallest(bitRateIndices: 1...14), like: index.header)
    var (bytes, lengths) = ([] as [UInt8], [] as [Int])
    let begin = frames[first].mainDataBegin
    try packer.pack(
      [.silence(like: frames[first].header)], leaving: begin, into: &bytes, lengths: &lengths)
    let before = (0..<first).flatMap { number in
      stream[index.byteRange(ofFrame: number)].suffix(index.mainDataCapacity(ofFrame: number))
    }
    try packer.fill(endingWith: before.suffix(begin), into: &bytes, lengths: &lengths)
    #expect(packer.reservoir == 0)
    let copied = (first..<last).map { stream[index.byteRange(ofFrame: $0)] }
    let free =
      frames[last - 1].mainDataBegin + index.mainDataCapacity(ofFrame: last - 1)
      - frames[last - 1].mainDataLength
    let start = bytes.count
    packer.copyEnd(copied, freeing: free, into: &bytes, lengths: &lengths)
    #expect(packer.reservoir >= index.header.largestMainDataBegin || options.contains("320"))
    try packer.pack(frames[70..<105], leaving: 0, into: &bytes, lengths: &lengths)
    packer.finish(into: &bytes, lengths: &lengths)
    #expect(lengths.reduce(0, +) == bytes.count && lengths.count == 1 + 40 + 35)
    // All but the last ones, whose slots were used again.
    var (used, capacity) = (1, index.mainDataCapacity(ofFrame: last - 1))
    while capacity < free, used < copied.count {
      used += 1
      capacity += index.mainDataCapacity(ofFrame: last - used)
    }
    let whole = copied.dropLast(used).flatMap(\.self)
    let isSame = Array(bytes[start..<start + whole.count]) == whole
    #expect(isSame)
    let again = try unpacked(bytes)
    let expected = frames[first..<last] + frames[70..<105]
    #expect(zip(again.dropFirst(), expected).allSatisfy { $0.hasSameSound(as: $1) })
  }

  @Test("a reservoir with less than frames reach back to is refused, and nothing is changed")
  func noRoom() throws {
    let header = try #require(FrameHeader(bits: 0xFFFB_9064))
    var packer = FramePacker(.smallest(bitRateIndices: 1...14), like: header)
    var (bytes, lengths) = ([] as [UInt8], [] as [Int])
    #expect(throws: FramePacker.NoRoom.self) {
      try packer.fill(endingWith: [1, 2], into: &bytes, lengths: &lengths)
    }
    #expect(bytes.isEmpty && packer.reservoir == 0)
  }

  @Test("a silenced frame keeps its slot, and has a right checksum")
  func silenced() throws {
    try MP3Files.withFolder { folder in
      let stream = try lameStream(["-p", "-b", "128"])
      let index = try MP3Files.index(of: stream)
      var silent: [UInt8] = []
      for number in 0..<index.count {
        silent += FrameHeader.silenced(stream[index.byteRange(ofFrame: number)])
      }
      #expect(silent.count == index.byteCount)
      try writeFile("\(folder)/silent.mp3", silent)
      let report = try Tool.succeed("mp3val", "\(folder)/silent.mp3").text
      #expect(report.contains("308 MPEG frames (MPEG 1 Layer III), no tags, CBR, CRC\n"))
      #expect(!report.contains("CRC error"))
      let samples = try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", "\(folder)/silent.mp3", "-f", "f32le", "-"
      ).floats
      #expect(samples.count > 100_000 && samples.allSatisfy { $0 == 0 })
    }
  }

  @Test("a copied frame with a wrong checksum keeps it, unless its slot gets longer")
  func checksums() throws {
    let stream = try lameStream(["-p", "-b", "128"])
    let index = try MP3Files.index(of: stream)
    var copied = (20..<23).map { stream[index.byteRange(ofFrame: $0)] }
    for number in copied.indices { copied[number][copied[number].startIndex + 4] ^= 0xFF }
    var packer = FramePacker(.smallest(bitRateIndices: 1...14), like: index.header)
    var (bytes, lengths) = ([] as [UInt8], [] as [Int])
    packer.copyEnd(copied, freeing: 0, into: &bytes, lengths: &lengths)
    packer.finish(into: &bytes, lengths: &lengths)
    #expect(bytes.starts(with: copied[0] + copied[1]))
    let last = try #require(FrameHeader(startOf: bytes[(lengths[0] + lengths[1])...]))
    #expect(last.bitRate > 128_000)
    #expect(bytes[lengths[0] + lengths[1] + 4] != copied[2][copied[2].startIndex + 4])
  }

  @Test("a copied frame that is shorter or longer than its header says is copied as it is")
  func wrongLength() throws {
    let stream = try lameStream(["-b", "128"])
    let index = try MP3Files.index(of: stream)
    for code: UInt8 in [0x10, 0xE0] {
      var copied = (20..<23).map { stream[index.byteRange(ofFrame: $0)] }
      let byte = copied[1].startIndex + 2
      copied[1][byte] = copied[1][byte] & 0xF | code
      for frames in [copied[...], copied.prefix(2)] {
        var packer = FramePacker(.smallest(bitRateIndices: 1...14), like: index.header)
        var (bytes, lengths) = ([] as [UInt8], [] as [Int])
        packer.copyEnd(Array(frames), freeing: 100, into: &bytes, lengths: &lengths)
        packer.finish(into: &bytes, lengths: &lengths)
        #expect(lengths.count == frames.count && lengths.reduce(0, +) == bytes.count)
        #expect(bytes.starts(with: frames.dropLast().flatMap(\.self)))
      }
    }
  }

  @Test("copied frames count, whatever collection their lengths are in")
  func counts() throws {
    let stream = try lameStream(["-b", "128"])
    let index = try MP3Files.index(of: stream)
    var bytes: [UInt8] = []
    var written = FrameStream(
      .smallest(bitRateIndices: 1...14), index.header, InfoFrameTests.encoding, &bytes)
    let lengths = (0..<9).map { index.byteRange(ofFrame: $0).count }
    let start = index.byteRange(ofFrame: 0).lowerBound
    written.copy(
      stream[start..<start + lengths.reduce(0, +)], lengths: lengths.lazy.filter { $0 > 0 },
      into: &bytes)
    #expect(written.frameCount == 9 && written.packer.count == 9)
    let error = #expect(throws: FramePacker.NoRoom.self) {
      try written.fill(endingWith: [1, 2], into: &bytes)
    }
    #expect(error?.frame == 9)
  }

  @Test("slopes follow block types: LAME's attacks begin and end with short ones")
  func slopes() throws {
    let frames = try unpacked(try lameStream(["-b", "128"]))
    let slopes = frames.map(\.slopes)
    #expect(slopes.contains { $0.isShortAtStart.contains(true) })
    #expect(slopes.contains { $0.isShortAtStart.contains(false) })
    // One encoder's blocks always meet.
    for (before, next) in zip(slopes, slopes.dropFirst()) {
      #expect(before.isShortAtEnd == next.isShortAtStart)
    }
  }

  /// Headers, and at which bits the standard's tables put `window_switching_flag` of each granule and
  /// channel (ISO 11172-3 §2.4.1.7, 13818-3 §2.4.1.7).
  static let windowSwitchingFlags: [(UInt32, [Int])] = [
    (0xFFFB_9064, [53, 112, 171, 230]), (0xFFFB_90C4, [51, 110]), (0xFFF3_9064, [48, 111]),
    (0xFFF3_90C4, [47]),
  ]

  @Test(
    "slopes are those of the first and the last granule's block types, by channel",
    arguments: windowSwitchingFlags)
  func blockTypes(_ bits: UInt32, flags: [Int]) throws {
    let header = try #require(FrameHeader(bits: bits))
    let channels = header.channelCount
    for flag in flags.indices {
      for type in 0..<4 {
        var side = [UInt8](repeating: 0, count: header.sideInformationLength)
        for (offset, bit) in [1, type >> 1, type & 1].enumerated() where bit == 1 {
          side[(flags[flag] + offset) / 8] |= 0x80 >> UInt8((flags[flag] + offset) % 8)
        }
        let slopes = side.withUnsafeBufferPointer { WindowSlopes($0, header) }
        // 1 is a start block, 2 short ones, 3 a stop block.
        let isFirst = flag < channels
        let isLast = flag >= flags.count - channels
        #expect(
          slopes.isShortAtStart
            == (0..<channels).map { isFirst && $0 == flag % channels && [2, 3].contains(type) })
        #expect(
          slopes.isShortAtEnd
            == (0..<channels).map { isLast && $0 == flag % channels && [1, 2].contains(type) })
      }
    }
  }

  @Test("a short cut of a constant bit rate, which begins with a longer frame, has its settings")
  func settings() throws {
    for options in [["-b", "128"], ["-b", "320"], ["--resample", "22.05", "-b", "32"]] {
      let stream = try lameStream(options)
      let index = try MP3Files.index(of: stream)
      let bits = index.header.bits & ~0xF000 | (options.contains("128") ? 0xB000 : 0xE000)
      let carrier = try #require(FrameHeader(bits: bits))
      let first = UnpackedFrame.silence(like: carrier)
      let rest = stream[..<index.byteRange(ofFrame: 12).lowerBound]
      let slot = [UInt8](repeating: 0, count: carrier.slotLength)
      let head = [24, 16, 8, 0].map { UInt8(carrier.bits >> $0 & 0xFF) }
      let cut = try MP3Files.index(of: head + first.content + slot + rest)
      #expect(cut.count == 13 && cut.settings == index.settings && cut.settings != nil)
    }
    #expect(try MP3Files.index(of: lameStream(["-V", "0"])).settings == nil)
  }
}
