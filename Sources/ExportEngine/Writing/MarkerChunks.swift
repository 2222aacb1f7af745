import ExportGraph
import MediaComposition
import Tagging

extension SinkMarks {
  /// Cues and loops as chunks of AIFF: `MARK`, `COMT` for notes, and `INST`, whose loops are markers.
  var aiffChunks: [WaveFile.Chunk] {
    let markers = aiffMarkers
    return [
      ("MARK", markers.markBytes), ("COMT", markers.commentBytes),
      ("INST", markers.instrumentBytes),
    ].compactMap { name, content in content.map { WaveFile.Chunk(name, $0) } }
  }

  fileprivate var aiffMarkers: AIFFMarkers {
    var markers = AIFFMarkers()
    func add(_ frame: Int64, _ name: String, _ note: String?) -> UInt16 {
      let id = UInt16(clamping: markers.markers.count + 1)
      markers.markers.append(.init(id: id, frame: UInt32(clamping: frame), name: name))
      if let note { markers.comments.append(.init(marker: id, text: note)) }
      return id
    }
    for cue in cues { _ = add(cue.frame, cue.label ?? "", cue.note) }
    if sampler != nil || instrument != nil {
      var playing = instrument ?? InstrumentChunk()
      if instrument == nil, let note = sampler?.unityNote {
        playing.unityNote = UInt8(clamping: note)
      }
      let words = loopWords
      let loops = (sampler?.loops ?? []).prefix(2).map { loop -> AIFFMarkers.Loop in
        // A marker lies before its frame: the end is behind the last one that sounds.
        let frames = Int64(loop.first)..<Int64(loop.last) + 1
        let found = words[LoopKey(loop)]
        let (begin, end) = (found?.begin, found?.end)
        return AIFFMarkers.Loop(
          mode: loop.type == 1 ? 2 : 1,
          begin: add(frames.lowerBound, begin?.label ?? AIFFMarkers.Loop.beginName, begin?.note),
          end: add(frames.upperBound, end?.label ?? AIFFMarkers.Loop.endName, end?.note))
      }
      markers.instrument = .init(
        playing: playing, sustain: loops.first ?? .init(),
        release: loops.dropFirst().first ?? .init())
    }
    return markers
  }

  /// What tells the loops of a sampler apart.
  private struct LoopKey: Hashable {
    let frames: Range<Int64>
    let isRelease: Bool

    init(_ loop: SamplerChunk.Loop) {
      (frames, isRelease) = (Int64(loop.first)..<Int64(loop.last) + 1, loop.isRelease)
    }

    init(_ markers: MediaMarks.LoopMarkers) {
      (frames, isRelease) = (markers.frames, markers.isRelease)
    }
  }

  /// What the markers of loops say.
  private var loopWords: [LoopKey: MediaMarks.LoopMarkers] {
    Dictionary(loopMarkers.map { (LoopKey($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Cues as chunks of CAF: `mark`, with a start and an end for each region, and `strg` for labels.
  var cafChunks: [WaveFile.Chunk] {
    var markers = CAFMarkers()
    for (index, cue) in cues.enumerated() {
      let id = UInt32(index + 1)
      let frame = UInt64(clamping: cue.frame)
      markers.markers.append(
        .init(
          type: cue.length == nil ? 0 : CAFMarkers.Marker.regionStart, frame: frame, id: id,
          name: cue.label))
      if let length = cue.length {
        markers.markers.append(
          .init(type: CAFMarkers.Marker.regionEnd, frame: frame + UInt64(clamping: length), id: id))
      }
    }
    // The names of loops are behind those of cues.
    var named = markers
    let words = loopWords
    let sampled = (sampler?.loops ?? []).prefix(ChunkLimits.entries)
    for (index, loop) in sampled.enumerated() {
      guard let name = words[LoopKey(loop)]?.begin.label else { continue }
      named.markers.append(
        .init(type: 0, frame: 0, id: UInt32(cues.count + index + 1), name: name))
    }
    let loops = sampled.enumerated().map { index, loop in
      CAFRegions.Region(loop, id: UInt32(index + 1), marker: UInt32(cues.count + index + 1))
    }
    var playing: CAFInstrument?
    if sampler != nil || instrument != nil {
      playing = CAFInstrument(sampler, instrument)
      playing?.sustain = sampled.firstIndex { !$0.isRelease }.map { loops[$0].id } ?? 0
      playing?.release = sampled.firstIndex(where: \.isRelease).map { loops[$0].id } ?? 0
    }
    return [
      ("mark", markers.markBytes), ("strg", named.stringBytes), ("regn", CAFRegions(loops).bytes),
      ("inst", playing?.bytes),
    ].compactMap { name, content in content.map { WaveFile.Chunk(name, $0) } }
  }

  /// What a chunk with so many loops of some directions cannot hold of them: none says how often they
  /// sound.
  fileprivate func loopLosses(
    _ chunk: String, atMost limit: Int, types: ClosedRange<UInt32>
  ) -> [ChunkDefect] {
    var found: [ChunkDefect] = []
    let loops = sampler?.loops ?? []
    if loops.count > limit { found.note(chunk, .tooMany(limit: limit)) }
    for loop in loops.prefix(limit) {
      if loop.count != 0 { found.note(chunk, .noPlace("how often a loop sounds")) }
      if loop.fraction != 0 { found.note(chunk, .noPlace("fractions of frames of a loop")) }
      if !types.contains(loop.type) { found.note(chunk, .noPlace("the direction of a loop")) }
    }
    return found
  }
}

extension Sink {
  /// What its chunks cannot hold of its facts, a sentence each; chunks that are kept as they are hold all.
  var chunkOmissions: [String] {
    guard marks.identical == nil else { return [] }
    let losses: [ChunkDefect]
    switch format.kind {
    case .wav:
      losses =
        (broadcast(by: "avjob \(Engine.version)")?.losses ?? []) + (marks.cart?.losses ?? [])
    case .aiff:
      losses = marks.aiffMarkers.losses + marks.loopLosses("INST", atMost: 2, types: 0...1)
    case .caf:
      losses = marks.loopLosses("regn", atMost: ChunkLimits.entries, types: 0...2)
    case .flac: losses = marks.cueSheet?.losses ?? []
    default: losses = []
    }
    return losses.filter(\.isOmission).map(\.description)
  }
}
