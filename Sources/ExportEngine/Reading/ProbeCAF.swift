import Diagnosis
import MediaComposition
import Tagging

extension Prober {
  /// Refuses PCM in a CAF whose samples have more bytes than their bits need (Apple Core Audio Format
  /// specification 1.0, "Audio Description Chunk"): libavformat reads them as packed.
  func requirePackedSamples() throws(Failure) {
    let chunks = try ContainerFacts.chunks(of: "caf", wave: nil, bytes)
    guard let chunk = chunks.first(where: { $0.name == "desc" }) else { return }
    let head = try bytes.bytes(at: chunk.body.lowerBound, count: 32)
    guard head.count == 32, head[8..<12].elementsEqual("lpcm".utf8) else { return }
    func number(_ place: Int) -> UInt64 { AtomHead.number(head[place..<place + 4]) }
    let (size, length, channels, bits) = (number(16), number(20), number(24), number(28))
    let needed = channels * ((bits + 7) / 8)
    guard size > 0, length == 1, size != needed else { return }
    throw Failure(
      .mendInput,
      "has \(channels) samples of \(bits) bits in \(size) bytes (desc), which are read only in "
        + "\(needed); make it again with samples that have no more bytes than their bits need",
      location: location)
  }
}

extension ProbedMarks {
  private typealias Marker = CAFMarkers.Marker

  /// Reads the markers of a CAF, its regions and its instrument. Loops are the regions that the instrument
  /// names for held notes and behind them, those that loop, and pairs of markers.
  mutating func readCAF(_ chunks: [ContainerFacts.Chunk]) throws(Failure) {
    let found = try read(["mark", "strg", "regn", "inst"], among: chunks)
    func content(_ name: String) -> [UInt8]? { found.first { $0.chunk.name == name }?.content }
    let strings = content("strg")
    let markers =
      content("mark").map { CAFMarkers(marks: $0, strings: strings, defects: &defects).markers }
      ?? []
    let regions =
      content("regn").map { CAFRegions($0, strings: strings, defects: &defects).regions } ?? []
    let instrument = content("inst").flatMap { CAFInstrument($0, defects: &defects) }
    hasNoPeriod = true
    let named = [instrument?.sustain, instrument?.release].compactMap(\.self).filter { $0 != 0 }
    let release = instrument.flatMap { $0.release != $0.sustain ? $0.release : nil } ?? 0
    var (looping, others): ([CAFRegions.Region], [CAFRegions.Region]) = ([], [])
    for region in regions {
      if named.contains(region.id) || region.flags & CAFRegions.Region.loop != 0 {
        looping.append(region)
      } else {
        others.append(region)
      }
    }
    // Those that the instrument names come first.
    looping =
      named.prefix(release == 0 ? 1 : 2).compactMap { id in looping.first { $0.id == id } }
      + looping.filter { !named.contains($0.id) }
    // One loop may be said twice.
    let frames = Set(looping.map(\.frames))
    looping += Self.loops(of: markers).filter { !frames.contains($0.frames) }
    takeLoops(looping, instrument, release: release)
    marks.cues =
      (Self.cues(of: markers) + others.compactMap(Self.cue)
      + (looping + others).flatMap(Self.syncPlaces)).sortedByFrame
    noteUnread(markers, regions)
  }

  private mutating func takeLoops(
    _ regions: [CAFRegions.Region], _ instrument: CAFInstrument?, release: UInt32
  ) {
    marks.instrument = instrument?.playing
    guard !regions.isEmpty else { return }
    var sampler = instrument?.sampler ?? SamplerChunk()
    for region in regions {
      if var loop = region.samplerLoop {
        loop.isRelease = release != 0 && region.id == release
        sampler.loops.append(loop)
        let (begin, end) = Self.names(of: region)
        if begin != nil || end != nil {
          marks.loopMarkers.append(
            .init(
              frames: Int64(loop.first)..<Int64(loop.last) + 1, isRelease: loop.isRelease,
              begin: .init(label: begin), end: .init(label: end)))
        }
      } else {
        let frames = region.frames ?? 0..<0
        defects.note(
          "regn",
          .badLoop(
            first: UInt32(clamping: frames.lowerBound), last: UInt32(clamping: frames.upperBound)))
      }
    }
    if !sampler.loops.isEmpty { marks.sampler = sampler }
  }

  /// The names of a loop's ends: those of a pair of markers, which are one if both have one number; the
  /// name of a region stands at its start.
  private static func names(
    of loop: CAFRegions.Region
  ) -> (begin: String?, end: String?) {
    guard let first = loop.markers.first, let last = loop.markers.last,
      Marker.loopStarts.contains(first.type)
    else { return (loop.name, nil) }
    return (first.name, first.id == last.id ? nil : last.name)
  }

  /// Pairs of markers that begin and end a loop, of held notes first.
  private static func loops(of markers: [Marker]) -> [CAFRegions.Region] {
    zip(Marker.loopStarts, Marker.loopEnds).flatMap { start, end in
      let ends = markers.filter { $0.type == end }.sorted { $0.frame < $1.frame }
      var next = ends[...]
      return markers.filter { $0.type == start }.sorted { $0.frame < $1.frame }.compactMap {
        first in
        next = next.drop { $0.frame <= first.frame }
        return next.popFirst().map { last in
          CAFRegions.Region(id: 0, flags: CAFRegions.Region.loop, markers: [first, last])
        }
      }
    }
  }

  /// Places as cues: a start and an end with one number are a region.
  private static func cues(of markers: [Marker]) -> [MediaMarks.Cue] {
    let ends = Dictionary(
      markers.filter { $0.type == Marker.regionEnd }.map { ($0.id, $0.frame) },
      uniquingKeysWith: { first, _ in first })
    return markers.filter { Marker.places.contains($0.type) }.map { marker in
      let end = marker.type == Marker.regionStart ? ends[marker.id] : nil
      let length = end.flatMap { $0 > marker.frame ? Int64(clamping: $0 - marker.frame) : nil }
      return MediaMarks.Cue(
        frame: Int64(clamping: marker.frame), length: length, label: marker.name)
    }
  }

  /// A region as a cue with a length, or without one where it has none; nil where it has no place.
  private static func cue(_ region: CAFRegions.Region) -> MediaMarks.Cue? {
    region.start.map { start in
      MediaMarks.Cue(
        frame: Int64(clamping: start), length: region.frames.map { Int64($0.count) },
        label: region.name)
    }
  }

  /// Places within a region (`rsyc`) as cues.
  private static func syncPlaces(_ region: CAFRegions.Region) -> [MediaMarks.Cue] {
    region.markers.filter { $0.type == Marker.regionSync }.map {
      MediaMarks.Cue(frame: Int64(clamping: $0.frame), label: $0.name)
    }
  }

  /// Names what cues and loops do not hold: markers that are no places of the sound, as tempo, selections
  /// and edits, and ends without their starts; what a place is the start of, its channel, and its time by
  /// SMPTE; regions without a place.
  private mutating func noteUnread(_ markers: [Marker], _ regions: [CAFRegions.Region]) {
    var names: [String] = []
    let begun = Set(markers.filter { $0.type == Marker.regionStart }.map(\.id))
    let paired = Self.loops(of: markers).flatMap(\.markers)
    for marker in markers {
      switch marker.type {
      case Marker.regionEnd where begun.contains(marker.id): break
      case Marker.regionStart, 0: break
      case let type where Marker.loopStarts.contains(type) || Marker.loopEnds.contains(type):
        if !paired.contains(marker) { names.append("mark \(marker.typeName)") }
      // A cue has its place and its name, and not that it is a program's, a track's or an index's.
      default: names.append("mark \(marker.typeName)")
      }
    }
    let all = markers + regions.flatMap(\.markers)
    if all.contains(where: { $0.smpteTime.contains { $0 != 0xFF && $0 != 0 } }) {
      names.append("SMPTE times of markers")
    }
    if all.contains(where: { $0.channel != 0 }) { names.append("channels of markers") }
    if regions.contains(where: \.markers.isEmpty) { names.append("regn without a place") }
    for name in names where !unread.contains(name) && unread.count < 100 { unread.append(name) }
  }
}
