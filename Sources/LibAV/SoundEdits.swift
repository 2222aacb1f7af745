internal import CFFmpeg
import Tagging

/// Where a sound lies in an MP4 or MOV, in ticks of a clock.
struct SoundSpan {
  /// Ticks a second.
  let clock: Int32
  /// How exact its times are, in ticks: 1, or more of what comes from a coarser clock.
  let precision: Int64
  /// The first packet's time.
  let first: Int64
  /// When the first sample is heard: what lies before it is the encoder's delay.
  private(set) var start: Int64
  /// Behind the last packet.
  private(set) var end: Int64
  private var isHeard = false

  /// None yet, at its first packet.
  init(clock: Int32, precision: Int64 = 1, at first: Int64) {
    (self.clock, self.precision) = (clock, max(1, precision))
    (self.first, start, end) = (first, first, first)
  }

  /// Adds a packet, from a moment of which on it is heard.
  mutating func add(_ packet: Packet, heardFrom moment: Int64) {
    end = max(end, packet.pointer.pointee.pts &+ packet.duration)
    guard !isHeard else { return }
    start = max(start, moment)
    isHeard = !packet.isDiscarded
  }

  /// What a track of another clock shows of it; nil where libavformat's own list says the same.
  /// libavformat has one edit from the first packet on (`mov_write_edts_tag`): it hides packets before 0, but
  /// no delay behind that, and ends at a tick of the track.
  func list(timescale: Int32) -> EditList? {
    let shown = max(0, start)..<max(0, start, end)
    let isLate = start > first && start >= precision
    let isBetweenTicks = [shown.lowerBound, shown.upperBound].contains {
      Int128($0) * Int128(timescale) % Int128(max(1, clock)) != 0
    }
    guard !shown.isEmpty, isLate || isBetweenTicks else { return nil }
    let media = av_rescale_q(
      shown.lowerBound &- first, AVRational(num: 1, den: clock), AVRational(num: 1, den: timescale))
    return EditList([EditList.Edit(shown: shown, media: media)])
  }
}

extension Muxer {
  /// Notes a packet of the sound, with its time in the file.
  func noteSound(_ packet: Packet, clock: AVRational) {
    guard context.pointee.oformat.pointee.isMovie, packet.size > 0, clock.num == 1 else { return }
    let span = SoundSpan(clock: clock.den, at: packet.pointer.pointee.pts)
    soundSpans[0, default: span].add(
      packet, heardFrom: companions?.streams.setting.delay ?? 0)
  }

  /// Notes a packet of a stream beside the sound, with its time in the file, if it is one of sound. Its
  /// own stream had ticks of `base`.
  func noteSound(_ packet: Packet, ofCompanion place: Int, in base: AVRational) {
    guard context.pointee.oformat.pointee.isMovie, packet.size > 0, let companions,
      let stream = context.pointee.streams[companions.first + place]?.pointee,
      let parameters = stream.codecpar?.pointee, parameters.codec_type == AVMEDIA_TYPE_AUDIO,
      stream.time_base.num == 1
    else { return }
    let first = packet.pointer.pointee.pts
    let span = SoundSpan(
      clock: stream.time_base.den, precision: av_rescale_q(1, base, stream.time_base), at: first)
    var start = first
    if let known = companions.streams.soundStart(place) {
      start = av_rescale_q(known, base, stream.time_base)
    } else if packet.skip.start > 0 {
      // MP4's demuxer counts in the track's ticks, which are core frames (`skip_samples_multiplier`).
      let isTrack =
        base.num == 1 && base.den >= 8000 && parameters.sample_rate.isMultiple(of: base.den)
      let unit = isTrack ? base : AVRational(num: 1, den: max(1, parameters.sample_rate))
      start += av_rescale_q(Int64(packet.skip.start), unit, stream.time_base)
    }
    soundSpans[companions.first + place, default: span].add(packet, heardFrom: start)
  }

  /// The edits of sounds that libavformat does not write so, by their tracks.
  var soundLists: [TrackEdits] {
    let spans = soundSpans.sorted { $0.key < $1.key }
    return spans.enumerated().compactMap { place, sound in
      guard let timescale = context.pointee.streams[sound.key]?.pointee.time_base.den,
        let list = sound.value.list(timescale: timescale)
      else { return nil }
      return TrackEdits(
        list: list, handler: "soun", place: place, timescale: UInt32(clamping: timescale),
        clock: UInt32(clamping: sound.value.clock))
    }
  }
}

extension AVOutputFormat {
  /// Whether it is of ISO/IEC 14496-12, or QuickTime's.
  fileprivate var isMovie: Bool { ["mp4", "mov", "ipod"].contains(String(cString: name)) }
}
