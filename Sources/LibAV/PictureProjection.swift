internal import CFFmpeg

/// How pictures of 360 degrees, and those for two eyes, are to be seen: `sv3d` and `st3d` of MP4,
/// `Projection` and `StereoMode` of Matroska. Google's older record of MP4 (`uuid`) is read as these.
extension Stream {
  fileprivate static let projections = [AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_STEREO3D]

  /// What its header says of that, as this FFmpeg has it; two streams are seen alike where it is the same.
  package var projection: [[UInt8]] { Self.projections.map(projection) }

  /// Whether its pictures are of 360 degrees, or a part of these (`AV_PKT_DATA_SPHERICAL`).
  package var isSpherical: Bool { !projection(AV_PKT_DATA_SPHERICAL).isEmpty }

  /// Whether its pictures are for two eyes (`AV_PKT_DATA_STEREO3D`).
  package var isStereoscopic: Bool { !projection(AV_PKT_DATA_STEREO3D).isEmpty }

  /// Whether this FFmpeg knows what its header hides of pictures, and so writes it where all is copied.
  package var hasCropping: Bool { avjob_has_cropping(pointer) != 0 }

  private func projection(_ type: AVPacketSideDataType) -> [UInt8] {
    var size = 0
    guard let data = avjob_stream_side_data(pointer, type, &size) else { return [] }
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    // Its first field is 0 where a header says that pictures are for one eye (`AV_STEREO3D_2D`).
    let isFlat = type == AV_PKT_DATA_STEREO3D && bytes.prefix(4).allSatisfy { $0 == 0 }
    return isFlat ? [] : bytes
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Says that its pictures are seen as those of a stream.
  func takeProjection(of stream: Stream) throws(LibAVError) {
    for (type, bytes) in zip(Stream.projections, stream.projection) where !bytes.isEmpty {
      try check(
        avjob_add_stream_side_data(self, type, bytes, bytes.count), "av_packet_side_data_new")
    }
  }

  /// Whether libavformat writes its record of Dolby Vision, or its projection, into MP4 at
  /// `FF_COMPLIANCE_UNOFFICIAL` alone.
  var hasUnofficialRecord: Bool {
    var size = 0
    return avjob_has_dolby_vision(self) != 0
      || Stream.projections.contains { avjob_stream_side_data(self, $0, &size) != nil }
  }
}
