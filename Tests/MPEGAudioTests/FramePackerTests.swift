import MPEGAudio
import Synchronization
import TestSupport
import Testing

@Suite("Frames out of the reservoir and into another one")
struct FramePackerTests {
  /// Streams with little and with much in their reservoirs, of all versions.
  static let streams = [
    ["-V", "0"], ["-V", "9"], ["--abr", "96"], ["-b", "320"], ["-b", "64"],
    ["-b", "128", "--nores"],
    ["-m", "m", "-V", "4"], ["--resample", "22.05", "-b", "32"], ["--resample", "8", "-b", "8"],
    ["-m", "m", "--resample", "16", "-b", "24"], ["-p", "-b", "128"],
  ]

  @Test("frames unpacked from any pieces of a stream are the same", arguments: streams)
  func pieces(_ options: [String]) throws {
    let stream = try lameStream(options)
    let whole = try unpacked(stream)
    #expect(whole.count > 100)
    #expect(try unpacked(stream, piece: 977) == whole)
    let start = try unpacked(Array(stream.prefix(12_000)), piece: 1)
    #expect(start.count > 10 && start[...] == whole.prefix(start.count))
  }

  @Test("a stream that is laid out anew has the same frames", arguments: streams)
  func roundTrip(_ options: [String]) throws {
    let frames = try unpacked(try lameStream(options))
    for slots in [FramePacker.Slots.own, .smallest(bitRateIndices: 1...14)] {
      let again = try unpacked(try packed(frames, slots))
      #expect(again.count == frames.count)
      #expect(zip(frames, again).allSatisfy { $0.hasSameSound(as: $1) })
    }
  }

  @Test("slots of a variable rate take no more than LAME's, and as little as there is")
  func size() throws {
    let stream = try lameStream(["-V", "2"])
    let small = try packed(try unpacked(stream), .smallest(bitRateIndices: 1...14))
    #expect(small.count <= stream.count + 1152)
    let large = try packed(try unpacked(stream), .smallest(bitRateIndices: 13...14))
    #expect(try unpacked(large).allSatisfy { $0.header.bitRate >= 256_000 })
  }

  @Test("ffmpeg decodes a stream that is laid out anew to the same samples, without a word")
  func decoding() throws {
    let stream = try lameStream(["-V", "2"])
    let again = try packed(try unpacked(stream), .smallest(bitRateIndices: 1...14))
    #expect(try decoded(again) == decoded(stream))
  }

  @Test("bytes that are no stream are refused with the place")
  func refusals() throws {
    #expect(throws: FrameUnpacker.Problem.noHeader(offset: 0)) { try unpacked([1, 2, 3, 4]) }
    let stream = try lameStream(["-b", "128"])
    let frames = try unpacked(stream)
    let starts = try MP3Files.index(of: stream)
    let second = try #require(
      (1..<starts.count).first { frames[$0].mainDataBegin > 0 })
    let late = Array(stream[starts.byteRange(ofFrame: second).lowerBound...])
    #expect(throws: FrameUnpacker.Problem.missingMainData(frame: 0)) { try unpacked(late) }
  }

  @Test("frames that find no room are refused before any is packed")
  func noRoom() throws {
    let frames = try unpacked(try lameStream(["-b", "128"]))
    let late = frames.drop { $0.mainDataLength <= $0.header.slotLength }
    let first = try #require(late.first)
    var packer = FramePacker(.own, like: first.header)
    var (bytes, lengths) = ([UInt8](), [Int]())
    #expect(packer.mostReservoir(after: first, from: 0) < 0)
    #expect(throws: FramePacker.NoRoom.self) {
      try packer.pack(late, leaving: 0, into: &bytes, lengths: &lengths)
    }
    #expect(bytes.isEmpty && packer.count == 0)
  }
}

private let streams = Mutex<[[String]: [UInt8]]>([:])

/// What LAME makes of music, without a tag; each is made once.
func lameStream(_ options: [String]) throws -> [UInt8] {
  try streams.withLock { streams in
    if let stream = streams[options] { return stream }
    let folder = TestFolder()
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("feelings.ogg"), "-t", "8",
      folder.path("a.wav"))
    _ = try MP3Files.run(
      ["lame", "--quiet", "-t"] + options + [folder.path("a.wav"), folder.path("a.mp3")])
    let stream = try readFile(folder.path("a.mp3"))
    streams[options] = stream
    return stream
  }
}

func unpacked(_ stream: [UInt8], piece: Int = .max) throws -> [UnpackedFrame] {
  var unpacker = FrameUnpacker()
  var frames: [UnpackedFrame] = []
  try stream.withUnsafeBufferPointer { stream in
    var rest = stream[...]
    while !rest.isEmpty {
      let count = min(piece, rest.count)
      try unpacker.unpack(UnsafeBufferPointer(rebasing: rest.prefix(count)), into: &frames)
      rest = rest.dropFirst(count)
    }
  }
  return frames
}

private func packed(_ frames: [UnpackedFrame], _ slots: FramePacker.Slots) throws -> [UInt8] {
  let first = try #require(frames.first)
  var packer = FramePacker(slots, like: first.header)
  var (bytes, lengths) = ([UInt8](), [Int]())
  // In two parts, the first leaving what the second had.
  let middle = frames.count / 2
  try packer.pack(
    frames[..<middle], leaving: frames[middle].mainDataBegin, into: &bytes, lengths: &lengths)
  try packer.pack(frames[middle...], leaving: 0, into: &bytes, lengths: &lengths)
  packer.finish(into: &bytes, lengths: &lengths)
  #expect(lengths.count == frames.count)
  #expect(lengths.reduce(0, +) == bytes.count)
  return bytes
}

private func decoded(_ stream: [UInt8]) throws -> [UInt8] {
  let folder = TestFolder()
  try writeFile(folder.path("a.mp3"), stream)
  let result = try MP3Files.run(
    ["ffmpeg", "-v", "error", "-i", folder.path("a.mp3"), "-f", "f32le", "-"])
  #expect(result.errors.isEmpty)
  return result.output
}
