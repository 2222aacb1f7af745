internal import CFFmpeg

/// How many frames each packet of a Vorbis stream gives (`av_vorbis_parse_frame`): a quarter of its own
/// block and of the one before (Vorbis I, 4.3.8).
///
/// libavformat's timestamps of Vorbis are off where block lengths change between pages; these are not.
/// One thread at a time.
package final class VorbisBlocks {
  private let parser: OpaquePointer
  private var isFirst = true

  /// Those of a stream, before its first packet.
  ///
  /// - Throws: Where it has not the headers of Vorbis (its sections 4.2.2 and 4.2.4).
  package init(_ stream: Stream) throws(LibAVError) {
    parser = try Self.parser(
      av_vorbis_parse_init(stream.parameters.extradata, stream.parameters.extradata_size))
  }

  /// The blocks of a stream with two of its three headers, before its first packet.
  ///
  /// - Throws: Where they are no headers of Vorbis.
  package init(identification: [UInt8], setup: [UInt8]) throws(LibAVError) {
    // Sizes of all but the last header, in Xiph's lacing, of which 30 bytes are the first one's.
    let headers = [2, UInt8(clamping: identification.count), 0] + identification + setup
    parser = try Self.parser(av_vorbis_parse_init(headers, Int32(clamping: headers.count)))
  }

  /// The parser that libavcodec made: it has none for wrong headers, nor for want of memory, which is rare.
  /// Both are called invalid data.
  private static func parser(_ parser: OpaquePointer?) throws(LibAVError) -> OpaquePointer {
    guard let parser else {
      throw LibAVError(code: avjob_averror_invaliddata(), operation: "av_vorbis_parse_init")
    }
    return parser
  }

  deinit {
    var parser: OpaquePointer? = parser
    av_vorbis_parse_free(&parser)
  }

  /// The frames that a decoder makes of the next packet: none of the first one, and of one that is
  /// no sound.
  package func frameCount(of packet: Packet) -> Int64 {
    let count = packet.withBytes { bytes in
      av_vorbis_parse_frame(parser, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    return self.count(count) ?? 0
  }

  /// As `frameCount(of:)`, of a packet by its first byte; nil of one that is no sound.
  package func frameCount(ofFirstByte byte: UInt8) -> Int64? {
    count(av_vorbis_parse_frame(parser, [byte], 1))
  }

  private func count(_ frames: Int32) -> Int64? {
    defer { isFirst = false }
    return isFirst ? 0 : frames < 0 ? nil : Int64(frames)
  }

  /// Begins again, with the stream's first packet.
  package func restart() {
    av_vorbis_parse_reset(parser)
    isFirst = true
  }
}
