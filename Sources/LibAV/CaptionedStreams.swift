internal import CFFmpeg

/// Streams beside a sound, and captions of what is said behind them all.
package final class CaptionedStreams: CompanionStreams {
  let setting: CompanionSetting
  private let base: (any CompanionStreams)?
  private let captions: CueTrack
  /// The place of the captions in `timeBases`.
  private let place: Int

  /// Captions beside other streams; nil: beside the sound alone.
  package init(_ captions: CueTrack, behind base: Companions?) {
    (self.captions, self.base) = (captions, base?.streams)
    setting = base?.streams.setting ?? CompanionSetting(delay: 0, language: nil)
    place = base?.streams.timeBases.count ?? 0
  }

  var timeBases: [AVRational] { (base?.timeBases ?? []) + [captions.timeBase] }

  var languages: [String?] { (base?.languages ?? []) + [captions.language] }

  var edits: (list: PictureEdits, firstDecoded: Int64)? { base?.edits }

  func soundStart(_ place: Int) -> Int64? {
    place < self.place ? base?.soundStart(place) : nil
  }

  func describe(
    _ place: Int, to own: UnsafeMutablePointer<AVStream>,
    in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    if let base, place < self.place { return try base.describe(place, to: own, in: container) }
    try captions.describe(to: own, in: container)
    own.pointee.time_base = captions.timeBase
  }

  func take(
    before moment: (ticks: Int64, base: AVRational)?,
    _ body: (Packet, Int) throws(LibAVError) -> Void
  ) throws(LibAVError) {
    if let base {
      let bases = base.timeBases
      try base.take(before: moment) { packet, place throws(LibAVError) in
        try takeCaptions(before: (packet.pointer.pointee.dts, bases[place]), body)
        try body(packet, place)
      }
    }
    try takeCaptions(before: moment, body)
  }

  /// libavformat's muxer ends a text by itself where it is given a later packet of another stream
  /// (`mov_write_packet`): all that begin before that must be there.
  private func takeCaptions(
    before moment: (ticks: Int64, base: AVRational)?,
    _ body: (Packet, Int) throws(LibAVError) -> Void
  ) throws(LibAVError) {
    while let packet = captions.ready {
      if let moment,
        av_compare_ts(packet.pointer.pointee.dts, captions.timeBase, moment.ticks, moment.base) >= 0
      {
        return
      }
      try body(packet, place)
      try captions.advance()
    }
  }
}

extension Companions {
  /// Frames from the start of the file's clock to the sound's first one.
  package var delay: Int64 { streams.setting.delay }

  /// The most ticks a second of any stream, as a muxer of MP4 counts them: of a picture with few it
  /// makes twice as many until they are 10,000 (`mov_init`).
  package var mostTicks: Int32 {
    streams.timeBases.map { max($0.den, 20_000) }.max() ?? 0
  }
}
