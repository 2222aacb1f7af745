import LibAV
import MediaComposition
import MediaTime

/// What users see of a file beside its sound.
extension Prober {
  func announcedDuration(of stream: LibAV.Stream, _ demuxer: Demuxer) -> Time? {
    // libavformat lowers a WAV's length in silence to what is there.
    if demuxer.formatName == "wav", stream.isLossless, stream.blockAlign > 0,
      stream.sampleRate > 0, let bytes = ContainerFacts.announcedWAVSize(path)
    {
      return Time(
        frames: Int64(clamping: bytes) / Int64(stream.blockAlign), rate: stream.sampleRate)
    }
    if let ticks = stream.duration {
      // An Opus stream's last granule counts what is left out at its start.
      let ticks =
        stream.codecName == "opus" && demuxer.formatName == "ogg"
        ? ticks &- Int64(stream.initialPadding) : ticks
      let value = Int128(ticks) * Int128(stream.timeBase.numerator)
      return Time(value: Int64(clamping: value), timescale: stream.timeBase.denominator)
    }
    return demuxer.announcedMicroseconds.map { Time(value: $0, timescale: 1_000_000) }
  }

  /// Says so where a header is off by more than a tenth of a second and a hundredth.
  func warning(announced: Time, found: Time) -> Warning? {
    let difference = announced > found ? announced - found : found - announced
    let limit = max(
      Time(value: 1, timescale: 10), Time(value: found.value, timescale: found.timescale).hundredth)
    guard difference > limit else { return nil }
    return Warning(
      "its header announces \(announced.inSeconds), \(found.inSeconds) can be decoded", path: path)
  }

  func metadata(of demuxer: Demuxer, _ stream: LibAV.Stream) -> Metadata {
    var metadata = Metadata()
    // Ogg keeps its comments on the stream, everything else on the file.
    for (key, value) in demuxer.metadata + stream.metadata where !Self.technicalTags.contains(key) {
      if metadata[key] == nil { metadata[key] = value }
    }
    return metadata
  }

  /// Tags that describe the file at hand and not the sound in it.
  private static let technicalTags: Set<String> = [
    "encoder", "major_brand", "minor_version", "compatible_brands", "creation_time",
    "handler_name", "vendor_id", "language", "DURATION", "iTunSMPB",
  ]

  func chapters(of demuxer: Demuxer) -> [Chapter] {
    demuxer.chapters.map { chapter in
      let ticks = Int128(chapter.start) * Int128(chapter.timeBase.numerator)
      return Chapter(
        start: Time(value: Int64(clamping: ticks), timescale: chapter.timeBase.denominator),
        title: chapter.title)
    }
  }
}

extension Time {
  fileprivate var hundredth: Time {
    timescale <= Int32.max / 100
      ? Time(value: value, timescale: timescale * 100)
      : Time(value: value / 100, timescale: timescale)
  }

  /// Seconds with three decimals, for messages.
  var inSeconds: String {
    let milliseconds = frames(atRate: 1000)
    let fraction = String(milliseconds.magnitude % 1000 + 1000).dropFirst()
    return "\(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000).\(fraction) s"
  }
}
