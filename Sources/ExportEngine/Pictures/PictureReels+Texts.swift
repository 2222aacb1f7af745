import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// Texts that are cut and joined with the picture.
extension PictureReels {
  /// The tracks of a plan's texts. Their ticks are as fine as the sound's and, with `timescale`, the
  /// picture's: libavformat compares them with those as numbers.
  func texts(
    of plan: PicturePlan, _ spans: [PictureRange], timescale: Int32,
    atRate sampleRate: Int
  ) throws(LibAVError) -> [CueTrack] {
    let texts = plan.texts
    guard !texts.isEmpty else { return [] }
    let timescale =
      timescale * max(1, Int32(clamping: (sampleRate - 1) / Int(max(1, timescale)) + 1))
    var kept = Array(repeating: [Cue](), count: texts.count)
    var like = [LibAV.Stream?](repeating: nil, count: texts.count)
    for source in plan.assets.indices {
      let own = spans.filter { $0.source == source }
      let codecs = Dictionary(
        texts.compactMap { text in text.streams[source].map { ($0.index, $0.codec) } },
        uniquingKeysWith: { first, _ in first })
      guard !codecs.isEmpty else { continue }
      let found = try cues(ofSource: source, codecs, in: own)
      for (place, text) in texts.enumerated() {
        guard let index = text.streams[source]?.index else { continue }
        like[place] = like[place] ?? found.demuxer.streams.first { $0.index == index }
        kept[place] += Cue.parts(of: found.cues[index] ?? [], in: own)
      }
    }
    var tracks: [CueTrack] = []
    for case let (stream?, cues) in zip(like, kept) {
      tracks.append(
        try CueTrack(
          like: stream, timescale: timescale,
          CueTrack.Sample.all(of: cues, timescale: timescale)))
    }
    return tracks
  }

  /// Cues are looked for from so many seconds before a range on, in files without an index of them.
  private static let secondsBefore: Int64 = 300
  /// Pictures are read so many seconds beyond a range: cues may stand behind them.
  private static let secondsBehind: Int64 = 10
  /// The most bytes of a source's cues.
  private static let mostBytes = 1 << 26

  /// The cues of a source's streams, by their indexes.
  private func cues(
    ofSource source: Int, _ codecs: [Int: String], in spans: [PictureRange]
  ) throws(LibAVError) -> (demuxer: Demuxer, cues: [Int: [Cue]]) {
    let asset = assets[source]
    do throws(Failure) {
      let demuxer = try library.openPictures(of: asset)
      let cues = try reading(asset.location) { () throws(LibAVError) in
        try readCues(of: demuxer, asset, codecs, in: spans)
      }
      return (demuxer, cues)
    } catch {
      throw LibAVError.refusedPicture(error.message).blamed(on: error)
    }
  }

  private func readCues(
    of demuxer: Demuxer, _ asset: Asset, _ codecs: [Int: String], in spans: [PictureRange]
  ) throws(LibAVError) -> [Int: [Cue]] {
    let bases = demuxer.streams.map(\.timeBase)
    var streams = Set(codecs.keys)
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
    var found: [Int: [Cue]] = [:]
    var open: [Int: Time] = [:]
    var bytes = 0
    while !cancellation.isCancelled,
      let packet = try demuxer.read(unless: { [cancellation] in cancellation.isCancelled })
    {
      let index = packet.streamIndex
      guard let tick = packet.timestamp, bases.indices.contains(index) else { continue }
      let start = bases[index].time(of: tick)
      guard let codec = codecs[index] else {
        if let end, start > end { break }
        continue
      }
      guard !packet.isDiscarded else { continue }
      bytes += packet.size
      guard bytes <= Self.mostBytes else {
        throw LibAVError.refusedPicture("has more than 64 MB of subtitles")
      }
      // One without a duration is shown up to the next one.
      if let last = found[index]?.indices.last, open[index] != nil {
        found[index]?[last].end = start
        open[index] = nil
      }
      guard let sample = TimedText.sample(of: packet.bytes, codec: codec) else { continue }
      var cue = Cue(
        start: start, end: bases[index].time(of: tick &+ max(0, packet.duration)), sample: sample)
      if packet.duration <= 0 {
        cue.end = max(start, asset.start + asset.duration)
        open[index] = start
      }
      found[index, default: []].append(cue)
    }
    return found
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
