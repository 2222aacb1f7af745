internal import CFFmpeg

/// The light of HDR pictures, as libavutil has it: of the display on which they were made (SMPTE ST 2086), and
/// the most of their own (CTA-861.3).
struct PictureLight {
  /// The bytes of an `AVMasteringDisplayMetadata`; empty where it is not known.
  private let display: [UInt8]
  /// Those of an `AVContentLightMetadata`.
  private let level: [UInt8]

  /// That of a picture, or else of the stream that it is of.
  init(of frame: Frame?, in stream: Stream?) {
    func bytes(_ kind: AVFrameSideDataType, _ other: AVPacketSideDataType) -> [UInt8] {
      let side = frame.flatMap { av_frame_get_side_data($0.pointer, kind) }?.pointee
      if let side, let data = side.data {
        return Array(UnsafeBufferPointer(start: data, count: Int(side.size)))
      }
      var size = 0
      guard let stream, let data = avjob_stream_side_data(stream.pointer, other, &size) else {
        return []
      }
      return Array(UnsafeBufferPointer(start: data, count: size))
    }
    display = bytes(
      AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA)
    level = bytes(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL)
  }

  /// The same in x265's parameters, in units of 0.00002 and of 0.0001 cd/m² (H.265, D.3.28).
  var x265Parameters: [String] {
    var parameters: [String] = []
    if let known = Self.value(AVMasteringDisplayMetadata.self, display), known.has_primaries != 0,
      known.has_luminance != 0
    {
      func number(_ ratio: AVRational, _ unit: Int64) -> Int64 {
        ratio.den > 0 ? max(0, av_rescale(Int64(ratio.num), unit, Int64(ratio.den))) : 0
      }
      func pair(_ name: String, _ place: (AVRational, AVRational)) -> String {
        "\(name)(\(number(place.0, 50_000)),\(number(place.1, 50_000)))"
      }
      let (red, green, blue) = known.display_primaries
      let (most, least) = (known.max_luminance, known.min_luminance)
      parameters.append(
        "master-display=" + pair("G", green) + pair("B", blue) + pair("R", red)
          + pair("WP", known.white_point)
          + "L(\(number(most, 10_000)),\(number(least, 10_000)))")
    }
    if let known = Self.value(AVContentLightMetadata.self, level) {
      parameters.append("max-cll=\(known.MaxCLL),\(known.MaxFALL)")
    }
    return parameters
  }

  private static func value<Value>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    guard bytes.count >= MemoryLayout<Value>.size else { return nil }
    return bytes.withUnsafeBytes { $0.load(as: type) }
  }

  /// Gives it to a stream, so that its container says it.
  func describe(_ stream: UnsafeMutablePointer<AVStream>) throws(LibAVError) {
    for (type, bytes) in [
      (AV_PKT_DATA_MASTERING_DISPLAY_METADATA, display), (AV_PKT_DATA_CONTENT_LIGHT_LEVEL, level),
    ] where !bytes.isEmpty {
      try check(
        avjob_add_stream_side_data(stream, type, bytes, bytes.count), "av_packet_side_data_new")
    }
  }
}
