/// A CAF of sound that a codec has made: what stands before its packets, and behind them (Apple Core
/// Audio Format specification 1.0).
///
/// libavformat's muxer takes no AAC, says of no codec how much of its first and last packets is sound,
/// and ends IMA4 with a whole packet.
package struct CodedCAF: Sendable {
  /// How sound is coded.
  package enum Codec: Sendable, Hashable {
    /// AAC-LC, by its AudioSpecificConfig; bits a second in the mean, 0 where that is not known.
    case aac(configuration: [UInt8], bitRate: Int)
    /// Apple Lossless, by its ALACSpecificConfig of 24 bytes; 16 or 24 bits a sample.
    case alac(configuration: [UInt8], bitDepth: Int)
    /// IMA ADPCM, whose packets have 34 bytes for each channel.
    case ima4
  }

  private let codec: Codec
  private let sampleRate: Int
  private let channelCount: Int
  /// A bit for each channel (`AV_CH_…`), or 0.
  private let channelMask: UInt64
  /// The packet table's sizes.
  private var sizes: [UInt8] = []
  private var packetCount: Int64 = 0
  /// Bytes of all packets.
  package private(set) var soundSize: Int64 = 0
  /// Where the first packet begins, in frames of the sound, and behind the last.
  private var (first, end) = (Int64(0), Int64(0))

  /// A file without packets.
  package init(_ codec: Codec, sampleRate: Int, channelCount: Int, channelMask: UInt64) {
    (self.codec, self.sampleRate) = (codec, sampleRate)
    (self.channelCount, self.channelMask) = (channelCount, channelMask)
  }

  /// Frames of each packet.
  private var packetLength: Int64 {
    switch codec {
    case .aac: 1024
    case .alac: 4096
    case .ima4: 64
    }
  }

  /// All before the first packet, with these tags; the size of the sound is left open until `sizeField`
  /// is put over it. O(tags)
  package func head(tags: [(key: String, value: String)]) -> [UInt8] {
    var chunks: [(name: String, content: [UInt8])] = [("desc", description), ("chan", layout)]
    switch codec {
    case .aac(let configuration, let bitRate):
      let cookie = ElementaryStream.descriptor(configuration: configuration, bitRate: bitRate)
      chunks.append(("kuki", cookie))
    case .alac(let configuration, _): chunks.append(("kuki", configuration))
    case .ima4: break
    }
    if !tags.isEmpty { chunks.append(("info", Self.information(tags))) }
    var writer = ChunkWriter(isBigEndian: true)
    // The type of the file, its version and its flags.
    writer.append(Array("caff".utf8) + [0, 1, 0, 0])
    for chunk in chunks {
      writer.append(ChunkWalk.Layout.caf.chunk(chunk.name, chunk.content) ?? [])
    }
    writer.append(Array("data".utf8))
    writer.append(Int64(-1))
    // How often it was edited, which counts as content.
    writer.append(UInt32(0))
    return writer.bytes
  }

  /// How many bytes before the first packet the size of the sound stands.
  package static let sizeFieldOffset = 12

  /// The size of the sound.
  package var sizeField: [UInt8] {
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(soundSize + 4)
    return writer.bytes
  }

  /// Counts a packet behind those before it.
  ///
  /// - Parameters:
  ///   - byteCount: Its size, 0 or more.
  ///   - frames: Those of the sound that it holds: the first may be below 0, where a decoder has to begin
  ///     before the sound, and the last packet may have fewer than its codec codes.
  package mutating func add(byteCount: Int, _ frames: Range<Int64>) {
    if packetCount == 0 { first = frames.lowerBound }
    end = frames.upperBound
    packetCount += 1
    soundSize += Int64(byteCount)
    guard codec != .ima4 else { return }
    // Seven bits a byte, of which all but the last have the highest bit set.
    for shift in [28, 21, 14, 7] where byteCount >> shift > 0 {
      sizes.append(0x80 | UInt8(byteCount >> shift & 0x7F))
    }
    sizes.append(UInt8(byteCount & 0x7F))
  }

  /// The packet table, which stands behind the packets. Of packets of one size it lists none. O(packets)
  package var packetTable: [UInt8] {
    let priming = max(0, -first)
    let valid = max(0, end - max(0, first))
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(codec == .ima4 ? 0 : packetCount)
    writer.append(valid)
    writer.append(Int32(clamping: priming))
    writer.append(Int32(clamping: max(0, packetCount * packetLength - priming - valid)))
    writer.append(sizes)
    return ChunkWalk.Layout.caf.chunk("pakt", writer.bytes) ?? []
  }

  /// `CAFAudioDescription`.
  private var description: [UInt8] {
    // `kMPEG4Object_AAC_LC`; `kAppleLosslessFormatFlag_16BitSourceData` and `…24BitSourceData`.
    let (name, flags): (String, UInt32) =
      switch codec {
      case .aac: ("aac ", 2)
      case .alac(_, let bitDepth): ("alac", bitDepth <= 16 ? 1 : 3)
      case .ima4: ("ima4", 0)
      }
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(Double(sampleRate).bitPattern)
    writer.append(Array(name.utf8))
    writer.append(flags)
    writer.append(codec == .ima4 ? UInt32(34 * channelCount) : 0)
    writer.append(UInt32(packetLength))
    writer.append(UInt32(channelCount))
    writer.append(UInt32(0))
    return writer.bytes
  }

  /// Tags of layouts whose channels lie as AAC and Apple Lossless code them, by their places: the centre
  /// comes first, and the deep one last (ISO 14496-3, table 1.19).
  /// `kAudioChannelLayoutTag_MPEG_3_0_B`, `…4_0_B`, `…5_0_D` and `…5_1_D`.
  private static let layoutTags: [UInt64: UInt32] = [
    0x7: 114 << 16 | 3, 0x107: 116 << 16 | 4,
    0x37: 120 << 16 | 5, 0x3F: 124 << 16 | 6,
  ]

  /// `CAFChannelLayout`: a tag, `kAudioChannelLayoutTag_Mono` and `…Stereo` among them, or
  /// `kAudioChannelLayoutTag_UseChannelBitmap`, whose bits are those of WAVE and of FFmpeg.
  private var layout: [UInt8] {
    // One or two channels are named so whatever their places are.
    let tag =
      channelCount <= 2
      ? UInt32((99 + channelCount) << 16 | channelCount) : Self.layoutTags[channelMask]
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(tag ?? 0x10000)
    writer.append(tag == nil ? UInt32(truncatingIfNeeded: channelMask) : 0)
    writer.append(UInt32(0))
    return writer.bytes
  }

  /// `CAFStringsChunk` of `info`: names and values that end with a zero.
  private static func information(_ tags: [(key: String, value: String)]) -> [UInt8] {
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(UInt32(tags.count))
    for text in tags.flatMap({ [$0.key, $0.value] }) {
      writer.append(text.utf8.prefix { $0 != 0 })
      writer.append(zeros: 1)
    }
    return writer.bytes
  }
}
