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
    parser = try checkAllocated(
      av_vorbis_parse_init(stream.parameters.extradata, stream.parameters.extradata_size),
      "av_vorbis_parse_init")
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
    defer { isFirst = false }
    return isFirst ? 0 : Int64(max(0, count))
  }

  /// Begins again, with the stream's first packet.
  package func restart() {
    av_vorbis_parse_reset(parser)
    isFirst = true
  }
}
