import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// Texts that are cut and joined with the picture.
extension PictureReels {
  /// The tracks of a plan's texts. In MP4 their ticks are as fine as the sound's and, with `timescale`, the
  /// picture's: libavformat compares them with those as numbers. In Matroska they are milliseconds, so
  /// that both ends of a cue are rounded for themselves.
  func texts(
    of plan: PicturePlan, _ spans: [PictureRange], timescale: Int32,
    atRate sampleRate: Int
  ) throws(LibAVError) -> [CueTrack] {
    let texts = plan.texts
    guard !texts.isEmpty else { return [] }
    let timescale =
      plan.container.isMatroska
      ? 1000 : timescale * max(1, Int32(clamping: (sampleRate - 1) / Int(max(1, timescale)) + 1))
    let forms = texts.map { $0.form(in: plan.container) }
    var kept = Array(repeating: [Cue](), count: texts.count)
    var like = [LibAV.Stream?](repeating: nil, count: texts.count)
    for source in plan.assets.indices {
      let own = spans.filter { $0.source == source }
      var conversions: [Int: TextConversion] = [:]
      for (text, form) in zip(texts, forms) {
        guard let stream = text.streams[source] else { continue }
        conversions[stream.index] = TextConversion(codec: stream.codec, form: form)
      }
      guard !conversions.isEmpty else { continue }
      let found = try cues(ofSource: source, conversions, in: own)
      for (place, text) in texts.enumerated() {
        guard let index = text.streams[source]?.index else { continue }
        like[place] = like[place] ?? found.demuxer.streams.first { $0.index == index }
        let parts = Cue.parts(
          of: found.cues[index] ?? [], in: own, atMost: Cue.most - kept[place].count)
        guard let parts else { throw Self.tooManyParts }
        kept[place] += parts
      }
    }
    var tracks: [CueTrack] = []
    for (place, form) in forms.enumerated() {
      guard let stream = like[place] else { continue }
      let samples: any Sequence<CueTrack.Sample>
      if form == .timedText {
        let joined = CueSamples(of: kept[place], timescale: timescale)
        tally.textOmissions += joined.omissionTexts("subtitle", "subtitles")
        samples = joined
      } else {
        samples = CueTrack.Sample.each(of: kept[place], as: form, timescale: timescale)
      }
      tracks.append(
        try CueTrack(like: stream, as: form.rawValue, timescale: timescale, samples))
    }
    return tracks
  }

  /// Cues are looked for from so many seconds before a range on, in files without an index of them.
  private static let secondsBefore: Int64 = 300
  /// Pictures are read so many seconds beyond a range: cues may stand behind them.
  private static let secondsBehind: Int64 = 10
  /// An output that repeats texts again and again.
  private static let tooManyParts: LibAVError = {
    let phrase =
      "would have more than \(Cue.most) subtitles in one track; split it, or take sources without "
      + "subtitles"
    return .refusedPicture(phrase).blamed(on: Failure(.mendJob, phrase))
  }()

  /// The cues of a source's streams, by their indexes.
  private func cues(
    ofSource source: Int, _ conversions: [Int: TextConversion], in spans: [PictureRange]
  ) throws(LibAVError) -> (demuxer: Demuxer, cues: [Int: [Cue]]) {
    let asset = assets[source]
    do throws(Failure) {
      let demuxer = try library.openPictures(of: asset)
      let cues = try reading(asset.location) { () throws(LibAVError) in
        try readCues(of: demuxer, asset, conversions, in: spans)
      }
      return (demuxer, cues)
    } catch {
      throw LibAVError.refusedPicture(error.message).blamed(on: error)
    }
  }

  private func readCues(
    of demuxer: Demuxer, _ asset: Asset, _ conversions: [Int: TextConversion],
    in spans: [PictureRange]
  ) throws(LibAVError) -> [Int: [Cue]] {
    let bases = demuxer.streams.map(\.timeBase)
    var streams = Set(conversions.keys)
    var end: Time?
    // The index of an MP4 shows where its cues lie; other files are read with their pictures.
    if !demuxer.formatName.hasPrefix("mov,"), let picture = asset.pictureTrack?.index,
      bases.indices.contains(picture)
    {
      streams.insert(picture)
      if let last = Self.latest(spans.map(\.to)) {
        end = last + Time(value: Self.secondsBehind, timescale: 1)
      }
      let before = Time(value: Self.secondsBefore, timescale: 1)
      if let first = Self.earliest(spans.map(\.from)), first > before {
        do throws(LibAVError) {
          try demuxer.seek(stream: picture, to: bases[picture].tick(atOrBefore: first - before))
        } catch {
          // Where a file has no index, it is read from its start.
          guard error.cause == nil else { throw error }
        }
      }
    }
    demuxer.select(streams: streams)
    var found = FoundCues(end: asset.start + asset.duration)
    while let packet = try demuxer.read(unless: { [cancellation] in cancellation.isCancelled }) {
      guard !cancellation.isCancelled else { throw LibAVError.cancelled }
      let index = packet.streamIndex
      guard let tick = packet.timestamp, bases.indices.contains(index) else { continue }
      let start = bases[index].time(of: tick)
      guard let conversion = conversions[index] else {
        if let end, start > end { break }
        continue
      }
      guard !packet.isDiscarded else { continue }
      let shownEnd = bases[index].time(of: tick &+ max(0, packet.duration))
      try found.add(packet, conversion, from: start, to: shownEnd)
    }
    return found.cues
  }

  /// nil where one of them is: all that there is.
  private static func latest(_ times: [Time?]) -> Time? {
    let known = times.compactMap(\.self)
    return known.count == times.count ? known.max() : nil
  }

  private static func earliest(_ times: [Time?]) -> Time? {
    let known = times.compactMap(\.self)
    return known.count == times.count ? known.min() : nil
  }
}

/// The cues of a source's streams, as they are read.
private struct FoundCues {
  /// By their streams' indexes.
  private(set) var cues: [Int: [Cue]] = [:]
  /// Of all that are looked for.
  let end: Time
  /// Streams whose last cue has no end yet.
  private var open: Set<Int> = []
  private var byteCount = 0
  private var count = 0

  init(end: Time) { self.end = end }

  private static let mostBytes = 1 << 26
  private static let remedy =
    "; leave them out of it first, as with 'ffmpeg -i IN -map 0 -map -0:s -c copy OUT'"

  /// Adds a packet, which is shown from a moment to another one; one without a duration is shown up to the
  /// next one.
  mutating func add(
    _ packet: Packet, _ conversion: TextConversion, from start: Time, to shownEnd: Time
  ) throws(LibAVError) {
    let stream = packet.streamIndex
    byteCount += packet.size
    guard byteCount <= Self.mostBytes else {
      throw LibAVError.refusedPicture("has more than 64 MB of subtitles" + Self.remedy)
    }
    if open.remove(stream) != nil, let last = cues[stream]?.indices.last {
      cues[stream]?[last].end = start
    }
    guard var cue = conversion.cue(packet.bytes, from: start, to: shownEnd) else { return }
    if conversion.form == .webVTT {
      (cue.settings, cue.identifier) = (packet.textSettings, packet.textIdentifier)
    }
    // Packets have the times of the file's clock in their texts.
    if cue.hasInnerTimes {
      cue.sample = InnerTimes.moved(cue.sample, by: (.zero - start).frames(atRate: 1000))
    }
    if packet.duration <= 0 {
      cue.end = max(start, end)
      open.insert(stream)
    }
    count += 1
    guard count <= Cue.most else {
      throw LibAVError.refusedPicture("has more than \(Cue.most) subtitles" + Self.remedy)
    }
    cues[stream, default: []].append(cue)
  }
}
