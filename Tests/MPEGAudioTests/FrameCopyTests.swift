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

  @Test("slopes follow block types: LAME's attacks begin and end with short ones")
  func slopes() throws {
    let frames = try unpacked(try lameStream(["-b", "128"]))
    let slopes = frames.map(\.slopes)
    // One encoder's blocks always meet.
    for (before, next) in zip(slopes, slopes.dropFirst()) {
      #expect(before.isShortAtEnd == next.isShortAtStart)
    }
  }
}
