internal import CFFmpeg

/// The title, handler and roles of a track.
package struct TrackLabels: Sendable, Hashable {
  /// Its name (`title`): Matroska's `Name`, and `udta.name` of MP4 and QuickTime; nil: none.
  package var title: String?
  /// The name of its handler (ISO 14496-12, 8.4.3); nil: none. Matroska has none.
  package var handler: String?
  /// Its roles, such as a commentary: bits of `AV_DISPOSITION_…`.
  var roles: Int32 = 0

  /// None.
  package init() {}

  /// All roles of sounds. Which track is played by default is the output's to say.
  fileprivate static let allRoles =
    AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_COMMENT | AV_DISPOSITION_LYRICS
    | AV_DISPOSITION_KARAOKE | AV_DISPOSITION_FORCED | AV_DISPOSITION_HEARING_IMPAIRED
    | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_CAPTIONS | AV_DISPOSITION_DESCRIPTIONS
    | AV_DISPOSITION_CLEAN_EFFECTS | AV_DISPOSITION_DEPENDENT | AV_DISPOSITION_NON_DIEGETIC

  fileprivate init(_ stream: Stream) {
    func value(_ key: String) -> String? {
      stream.metadata.first { $0.key == key && !$0.value.isEmpty }?.value
    }
    (title, handler) = (value("title"), value("handler_name"))
    roles = stream.pointer.pointee.disposition & Self.allRoles
  }

  /// Gives them to a stream of an output.
  func put(
    on stream: UnsafeMutablePointer<AVStream>, in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    stream.pointee.disposition |= roles
    if let title {
      try check(av_dict_set(&stream.pointee.metadata, "title", title, 0), "av_dict_set")
    }
    if let handler, !container.pointee.isMatroska {
      try check(
        av_dict_set(&stream.pointee.metadata, "handler_name", handler, 0), "av_dict_set")
    }
  }
}

extension Stream {
  /// Its title, handler and roles.
  package var labels: TrackLabels { TrackLabels(self) }

  /// Its roles by FFmpeg's names, such as `comment`. MP4 has one for captions and the hearing impaired, and
  /// one for descriptions and the visually impaired (`ff_mov_track_kind_table`): they are called those of
  /// the impaired.
  package var roles: [String] {
    var bits = labels.roles
    if bits & AV_DISPOSITION_HEARING_IMPAIRED != 0 { bits &= ~AV_DISPOSITION_CAPTIONS }
    if bits & AV_DISPOSITION_VISUAL_IMPAIRED != 0 { bits &= ~AV_DISPOSITION_DESCRIPTIONS }
    return (0..<Int32.bitWidth - 1).compactMap { place in
      let bit = bits & (1 << Int32(place))
      return bit == 0 ? nil : av_disposition_to_string(bit).map { String(cString: $0) }
    }
  }

  /// Names it where it has no name: libavformat's demuxer of MP4 does not read the track's (`udta.name`),
  /// which its muxer writes (`mov_write_track_udta_tag`).
  package func name(_ title: String) throws(LibAVError) {
    try check(
      av_dict_set(&pointer.pointee.metadata, "title", title, AV_DICT_DONT_OVERWRITE),
      "av_dict_set")
  }

  /// The stream of the same file at a place.
  package func sibling(_ index: Int) -> Stream? {
    owner.streams.first { $0.index == index }
  }
}
