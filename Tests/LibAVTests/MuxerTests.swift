import Glibc
import TestSupport
import Testing

@testable import LibAV

/// An output in memory that fails on demand, and keeps only its start.
private final class MemoryOutput: ByteOutput {
  private(set) var bytes: [UInt8] = []
  private(set) var size: Int64 = 0
  private(set) var calls = 0
  /// Bytes that fit; what comes after fails with `failure`.
  var capacity = Int64.max
  var failure = ENOSPC
  /// Bytes that are kept.
  var kept = Int64.max

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
    calls += 1
    let end = offset + Int64(bytes.count)
    guard end <= capacity else { return failure }
    size = max(size, end)
    guard offset < kept else { return 0 }
    let keptEnd = Int(min(end, kept))
    if self.bytes.count < keptEnd {
      self.bytes += [UInt8](repeating: 0, count: keptEnd - self.bytes.count)
    }
    let length = keptEnd - Int(offset)
    self.bytes.replaceSubrange(Int(offset)..<keptEnd, with: bytes.prefix(length))
    return 0
  }
}

/// Encodes `count` frames of a tone and muxes them.
private func write(
  _ codec: Encoder.Codec, in container: Muxer.Container, to output: MemoryOutput,
  sampleRate: Int? = nil, channelMask: UInt64 = 3, count: Int
) throws(LibAVError) {
  Library.silence()
  let encoder = try Encoder.open(
    codec, sampleRate: sampleRate ?? codec.sampleRate, channelMask: channelMask)
  let muxer = try Muxer.open(container, to: output, for: .encoder(encoder))
  func mux() throws(LibAVError) {
    while let packet = try encoder.next() { try muxer.write(packet) }
  }
  var done = 0
  while done < count {
    let length = min(encoder.room, count - done)
    try encoder.fill(length) { _, destination in
      let isShort = [.int16, .planarInt16].contains(encoder.sampleFormat)
      let isPlanar = [.planarInt16, .planarInt24, .planarFloat].contains(encoder.sampleFormat)
      let (size, planes) = (isShort ? 2 : 4, isPlanar ? 1 : encoder.channelCount)
      memset(destination, 0, length * size * planes)
    }
    done += length
    guard encoder.room == 0 else { continue }
    try encoder.submit()
    try mux()
  }
  try encoder.finish()
  try mux()
  try muxer.finish()
}

extension Encoder.Codec {
  fileprivate static let pcm16 = Encoder.Codec.pcm(.int16, isBigEndian: false)

  /// libopus has no 44.1 kHz.
  fileprivate var sampleRate: Int { if case .opus = self { 48_000 } else { 44_100 } }
}

@Suite("Muxer and Encoder")
struct MuxerTests {
  static let pairs: [(Encoder.Codec, Muxer.Container)] = [
    (.pcm(.int24, isBigEndian: true), .aiff), (.pcm(.float, isBigEndian: true), .aiff),
    (.pcm16, .caf), (.flac(bitDepth: 16), .flac), (.flac(bitDepth: 24), .flac),
    (.alac(bitDepth: 16), .m4a), (.alac(bitDepth: 24), .m4a),
    (.aac(bitRate: 128_000), .m4a), (.vorbis(.quality(5)), .ogg(serial: 7)),
    (.opus(bitRate: 96_000), .ogg(serial: 7)),
  ]

  @Test(
    "a full output comes back as its errno, wherever the file ends",
    arguments: pairs, [ENOSPC, EFBIG, EIO])
  func fullOutput(_ pair: (Encoder.Codec, Muxer.Container), number: Int32) throws {
    let whole = MemoryOutput()
    try write(pair.0, in: pair.1, to: whole, count: 100_000)
    for part in [0, 1, 40, whole.size / 2, whole.size - 1] {
      let output = MemoryOutput()
      output.capacity = part
      output.failure = number
      let error = #expect(throws: LibAVError.self) {
        try write(pair.0, in: pair.1, to: output, count: 100_000)
      }
      #expect(error?.posix == number)
      #expect(error?.operation == "write")
    }
  }

  @Test("the same sound gives the same bytes", arguments: pairs)
  func deterministic(_ pair: (Encoder.Codec, Muxer.Container)) throws {
    let outputs = [MemoryOutput(), MemoryOutput()]
    for output in outputs { try write(pair.0, in: pair.1, to: output, count: 30_000) }
    #expect(outputs[0].bytes == outputs[1].bytes)
    #expect(!String(decoding: outputs[0].bytes, as: UTF8.self).contains("Lav"))
  }

  @Test("a bit rate that the encoder would change without a word is refused")
  func changedBitRate() {
    #expect(throws: LibAVError.self) {
      _ = try Encoder.open(.aac(bitRate: 900_000), sampleRate: 44100, channelMask: 3)
    }
  }

  @Test("an encoder that is not used is given back")
  func unused() throws {
    for (codec, container) in Self.pairs {
      weak var output: MemoryOutput?
      weak var unused: Encoder?
      do {
        let file = MemoryOutput()
        let encoder = try Encoder.open(codec, sampleRate: codec.sampleRate, channelMask: 3)
        _ = try Muxer.open(container, to: file, for: .encoder(encoder))
        (output, unused) = (file, encoder)
      }
      #expect(output == nil && unused == nil, "\(codec) in \(container)")
    }
  }
}

@Suite("Picture")
struct PictureTests {
  let folder = TestFolder()

  @Test("sizes are read from the headers of what ffmpeg writes", arguments: ["a.png", "a.jpg"])
  func sizes(name: String) throws {
    let path = folder.path(name)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=41x31", "-frames:v", "1", path)
    let bytes = try readFile(path)
    let picture = try #require(Picture(bytes))
    #expect(picture.width == 41 && picture.height == 31)
    #expect(picture.format == (name == "a.png" ? .png : .jpeg))
    // Any beginning of a file is either refused or has the same size.
    for count in 0..<min(bytes.count, 800) {
      guard let cut = Picture(Array(bytes[..<count])) else { continue }
      #expect(cut.width == 41 && cut.height == 31)
    }
  }

  @Test(
    "a picture is whole, or it is said what is wrong with it",
    arguments: ["a.png", "a.jpg", "pal.png", "progressive.jpg"])
  func damage(name: String) throws {
    let path = folder.path(name)
    let options = name == "pal.png" ? ["-pix_fmt", "pal8"] : ["-huffman", "optimal"]
    let result = try Tool.run(
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=310x200", "-frames:v", "1"]
        + (name.hasSuffix("png") && name != "pal.png" ? [] : options) + [path])
    #expect(result.status == 0, "\(result.errors)")
    let bytes = try readFile(path)
    let isPNG = name.hasSuffix("png")
    #expect(Picture(bytes)?.damage == nil)
    // What cameras and editors put behind the end.
    #expect(Picture(bytes + [1, 2, 3])?.damage == nil)
    for count in stride(from: 700, to: bytes.count, by: 97) + [bytes.count - 1, bytes.count - 2] {
      guard let cut = Picture(Array(bytes[..<count])) else { continue }
      #expect(cut.damage == "is cut off: its file ends before the picture does", "\(count)")
    }
    guard isPNG else { return }
    var wrong = bytes
    wrong[wrong.count - 30] ^= 1
    #expect(Picture(wrong)?.damage == "is damaged: its chunk 'IDAT' has a wrong checksum")
    wrong = bytes
    wrong[19] ^= 1
    #expect(Picture(wrong)?.damage == "is damaged: its chunk 'IHDR' has a wrong checksum")
  }

  @Test("a picture that says it is larger than its data can be is found out without decoding it")
  func lie() throws {
    let script = """
      import struct, sys, zlib
      def chunk(name, data):
          sum = zlib.crc32(name + data)
          return struct.pack('>I', len(data)) + name + data + struct.pack('>I', sum)
      def png(width, height, data):
          head = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
          packed = chunk(b'IDAT', zlib.compress(data, 9)) if data else b''
          signature = b'\\x89PNG\\r\\n\\x1a\\n'
          return signature + chunk(b'IHDR', head) + packed + chunk(b'IEND', b'')
      open('true.png', 'wb').write(png(3000, 3000, bytes(3000 * 9001)))
      open('lie.png', 'wb').write(png(65500, 65500, bytes(3000)))
      open('none.png', 'wb').write(png(3, 3, b''))
      """
    try Tool.succeed("/usr/bin/python3", "-c", script, in: folder.root)
    func damage(_ name: String) throws -> String? {
      Picture(try readFile(folder.path(name)))?.damage
    }
    // As small as deflate makes it.
    #expect(try damage("true.png") == nil)
    #expect(try damage("lie.png") == "says that it has 65500 × 65500 pixels, and holds fewer")
    #expect(try damage("none.png") == "is damaged: it has a header and no picture in it")
  }

  @Test("whatever else is no picture")
  func others() {
    #expect(Picture([]) == nil)
    #expect(Picture(Array("GIF89a".utf8)) == nil)
    #expect(Picture([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0xFF, count: 100_000)) == nil)
  }
}
