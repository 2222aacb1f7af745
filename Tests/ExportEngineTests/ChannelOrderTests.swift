import ExportGraph
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Six or eight channels in another order than that of FFmpeg's bits.
@Suite("Orders of channels")
struct ChannelOrderTests {
  private let folder = TestFolder()

  @Test(
    "of uncompressed sound in Apple's containers are those that the file says",
    arguments: ["caf", "aiff", "mov"])
  func tags(kind: String) throws {
    // L R C LFE Ls Rs is the order of the bits: which channel of the file is in each plane.
    for (tag, order) in [
      (121, [0, 1, 2, 3, 4, 5]), (122, [0, 1, 4, 5, 2, 3]), (123, [0, 2, 1, 5, 3, 4]),
      (124, [1, 2, 0, 5, 3, 4]),
    ] {
      let path = try make(kind, layout: MP4Bytes.big(tag << 16 | 6) + MP4Bytes.big(0, 8))
      #expect(try levels(path) == order, "\(kind), tag \(tag)")
    }
  }

  @Test(
    "of 7.1 are written as FFmpeg's bits, and named so",
    arguments: [Output.Format.aiff(.int16), .caf(.int16)])
  func written(format: Output.Format) throws {
    let path = folder.path("eight." + format.kind.capabilities.extensions[0])
    let channels = (0..<8).map { [Float](repeating: Float($0 + 1) / 10, count: 800) }
    try writeSound(channels, to: path, format, sampleRate: 8000, layout: .surround71)
    // UseChannelBitmap, and L R C LFE, the backs and the sides.
    let layout = MP4Bytes.big(0x10000) + MP4Bytes.big(0x63F) + MP4Bytes.big(0)
    let head = try readFile(path).prefix(100)
    #expect(head.indices.contains { head[$0...].starts(with: layout) })
    #expect(try levels(path, "7.1") == Array(0..<8))
    #expect(try probe(path, "stream=channel_layout") == "7.1")
  }

  @Test("of 7.1 by Apple's tag have the sides before the backs")
  func sidesFirst() throws {
    // MPEG_7_1_C
    let layout = MP4Bytes.big(128 << 16 | 8) + MP4Bytes.big(0, 8)
    let path = try make("caf", layout: layout, channels: "7.1")
    #expect(try levels(path, "7.1") == [0, 1, 2, 3, 6, 7, 4, 5])
  }

  @Test("of each tag are its own, and not that of the bits")
  func table() throws {
    for (tag, names) in ChannelOrder.ordersOfTags {
      let count = names.split(separator: " ").count
      let layout = MP4Bytes.big(tag << 16 | count) + MP4Bytes.big(0, 8)
      let order = try #require(
        ChannelOrder(appleLayout: layout, channelCount: count), "\(tag): \(names)")
      #expect(order.planes?.count == count, "\(tag)")
      #expect(ChannelOrder(appleLayout: layout, channelCount: count + 1) == nil)
    }
  }

  @Test(
    "stay in place through every layout of CAF and AIFF",
    arguments: [Output.Format.aiff(.int16), .caf(.int16)],
    [0x37, 0x3F, 0x60F, 0x63F, 0x6CF, 0xFF, 0x70F, 0x107, 0x13F, 0x73F, 0x503F, 0x2_D00F])
  func layouts(format: Output.Format, mask: UInt64) throws {
    let layout = ChannelLayout(mask: mask)
    let path = folder.path("\(mask)." + format.kind.capabilities.extensions[0])
    let channels = (0..<layout.count).map { [Float](repeating: Float($0 + 1) / 12, count: 800) }
    try writeSound(channels, to: path, format, sampleRate: 8000, layout: layout)
    let sound = try PlayedSound(path)
    #expect(sound.asset.channelLayout.count == layout.count)
    #expect(try sound.whole().map { Int(($0[400] * 12).rounded()) } == Array(1...layout.count))
  }

  @Test("are read of descriptions of each channel")
  func descriptions() throws {
    // Ls Rs L R C LFE, by their labels (`kAudioChannelLabel_…`).
    let labels = [5, 6, 1, 2, 3, 4]
    let layout =
      MP4Bytes.big(0, 8) + MP4Bytes.big(labels.count)
      + labels.flatMap { MP4Bytes.big($0) + [UInt8](repeating: 0, count: 16) }
    #expect(try levels(try make("caf", layout: layout)) == [2, 3, 4, 5, 0, 1])
  }

  /// Channels whose levels are one tenth, two tenths and so on in the order of the file, with a layout.
  private func make(
    _ kind: String, layout: [UInt8], channels: String = "5.1"
  ) throws -> String {
    let count = channels == "5.1" ? 6 : 8
    let levels = (1...count).map { "0.\($0)" }.joined(separator: "|")
    let made = folder.path("made.\(kind)")
    let codec = kind == "aiff" ? "pcm_s16be" : "pcm_s16le"
    _ = try Tool.succeed(
      "ffmpeg", "-y", "-v", "error", "-f", "lavfi", "-i",
      "aevalsrc=\(levels):c=\(channels):d=0.1:s=8000", "-c:a", codec, made)
    var bytes = try readFile(made)
    let name = kind == "aiff" ? "CHAN" : "chan"
    let chunk = try #require(bytes.indices.first { bytes[$0...].starts(with: name.utf8) })
    // Behind the chunk's size in AIFF, and behind the atom's version and flags in MOV.
    if kind == "caf" {
      let end = chunk + 12 + Int(bytes[chunk + 11])
      bytes.replaceSubrange(chunk + 4..<end, with: MP4Bytes.big(layout.count, 8) + layout)
    } else {
      bytes.replaceSubrange(chunk + 8..<chunk + 20, with: layout)
    }
    let path = folder.path("\(layout.count)-\(layout[1]).\(kind)")
    try writeFile(path, bytes)
    return path
  }

  /// Which channel of the file is in each plane.
  private func levels(_ path: String, _ name: String = "5.1") throws -> [Int] {
    let sound = try PlayedSound(path)
    #expect(sound.asset.channelLayout.name == name)
    return try sound.whole().map { Int(($0[400] * 10).rounded()) - 1 }
  }
}
