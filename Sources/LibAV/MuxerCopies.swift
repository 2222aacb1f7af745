internal import CFFmpeg

/// Streams beside the sound.
extension Muxer {
  /// Adds the streams that stand beside the sound, whose packets keep their times: those before 0 are
  /// hidden by an edit list.
  func add(
    _ streams: any CompanionStreams, beside sound: UnsafeMutablePointer<AVStream>
  ) throws(LibAVError) {
    companions = (streams, Int(context.pointee.nb_streams))
    context.pointee.avoid_negative_ts = 0
    // Players take the sound that is made anew, and not one that stood first in the source.
    sound.pointee.disposition |= AV_DISPOSITION_DEFAULT
    if let language = streams.setting.language { try setLanguage(language, of: sound) }
    try streams.setting.labels.put(on: sound, in: context.pointee.oformat)
    for (place, language) in streams.languages.enumerated() {
      let own = try checkAllocated(avformat_new_stream(context, nil), "avformat_new_stream")
      try streams.describe(place, to: own, in: context.pointee.oformat)
      // Without that libavformat leaves these out of MP4, silently.
      if own.hasUnofficialRecord {
        context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
      }
      if let language { try setLanguage(language, of: own) }
    }
  }

  private var isMatroska: Bool { context.pointee.oformat.pointee.isMatroska }

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

  /// Writes what stands beside the sound and is decoded before a moment; all that is left without one.
  func writeCompanions(
    before moment: (ticks: Int64, base: AVRational)? = nil
  ) throws(LibAVError) {
    guard let companions else { return }
    let bases = companions.streams.timeBases
    try companions.streams.take(before: moment) { packet, place throws(LibAVError) in
      guard let stream = context.pointee.streams[companions.first + place] else { return }
      packet.pointer.pointee.stream_index = Int32(companions.first + place)
      av_packet_rescale_ts(packet.pointer, bases[place], stream.pointee.time_base)
      if isMatroska {
        // The demuxer has subtracted it.
        let lead = av_rescale_q(
          avjob_matroska_lead(stream.pointee.codecpar), AVRational(num: 1, den: 48_000),
          stream.pointee.time_base)
        packet.pointer.pointee.pts &+= lead
        packet.pointer.pointee.dts &+= lead
      }
      noteSound(packet, ofCompanion: place, in: bases[place])
      packet.pointer.pointee.pos = -1
      try checkOutput(av_write_frame(context, packet.pointer), "av_write_frame")
    }
  }
}
