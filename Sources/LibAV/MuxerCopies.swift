internal import CFFmpeg

/// Streams that are copied beside the sound.
extension Muxer {
  /// Adds the streams that are copied, whose packets keep their times: those before 0 are hidden by an
  /// edit list.
  func add(
    _ streams: CopiedStreams, beside sound: UnsafeMutablePointer<AVStream>
  ) throws(LibAVError) {
    copied = (streams, Int(context.pointee.nb_streams))
    context.pointee.avoid_negative_ts = 0
    // Players take the sound that is made anew, and not one that stood first in the source.
    sound.pointee.disposition |= AV_DISPOSITION_DEFAULT
    if let language = streams.setting.language { try setLanguage(language, of: sound) }
    for stream in streams.streams {
      let own = try checkAllocated(avformat_new_stream(context, nil), "avformat_new_stream")
      try check(
        avjob_copy_stream(own, stream.pointer, context.pointee.oformat), "avjob_copy_stream")
      if stream.isAudio { own.pointee.disposition &= ~AV_DISPOSITION_DEFAULT }
      if let language = stream.metadata.first(where: { $0.key == "language" })?.value {
        try setLanguage(language, of: own)
      }
      if own.pointee.codecpar.pointee.width == 0, let size = streams.setting.sizes[stream.index] {
        own.pointee.codecpar.pointee.width = Int32(clamping: size.width)
        own.pointee.codecpar.pointee.height = Int32(clamping: size.height)
      }
    }
  }

  /// QuickTime has languages of its own, which libavformat finds by other codes than some that ISO 639-2
  /// has for them (`mov_mdhd_language_map`).
  private static let quickTimeLanguages = [
    "fre": "fra", "deu": "ger", "nld": "dut", "swe": "sve", "isl": "ice", "ell": "gre",
    "zho": "chi",
  ]

  private func setLanguage(
    _ language: String, of stream: UnsafeMutablePointer<AVStream>
  ) throws(LibAVError) {
    let isQuickTime = String(cString: context.pointee.oformat.pointee.name) == "mov"
    let code = isQuickTime ? Self.quickTimeLanguages[language] ?? language : language
    try check(av_dict_set(&stream.pointee.metadata, "language", code, 0), "av_dict_set")
  }

  /// Writes what is copied and decoded before a moment; all that is left without one.
  func writeCopied(
    before moment: (ticks: Int64, base: AVRational)? = nil
  ) throws(LibAVError) {
    guard let copied else { return }
    try copied.streams.take(before: moment) { packet, place throws(LibAVError) in
      guard let stream = context.pointee.streams[copied.first + place] else { return }
      packet.pointer.pointee.stream_index = Int32(copied.first + place)
      av_packet_rescale_ts(
        packet.pointer, copied.streams.streams[place].pointer.pointee.time_base,
        stream.pointee.time_base)
      packet.pointer.pointee.pos = -1
      try checkOutput(av_write_frame(context, packet.pointer), "av_write_frame")
    }
  }
}
