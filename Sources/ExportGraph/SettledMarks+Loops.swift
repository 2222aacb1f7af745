import MediaComposition
import MediaTime
import Tagging

/// Loops of samplers and of tags.
extension MarkSettler {
  mutating func settleLoops() {
    let loops = isLoopRemoved && base?.hasLoopsOfTags == true ? [] : base?.loops ?? []
    let (sampler, instrument) = (base?.marks?.sampler, base?.marks?.instrument)
    let hasPlace = places.contains(.loops)
    guard hasPlace || sink.capabilities.heldTags == nil else {
      nameUnplaced(loops)
      return
    }
    let isUnchanged = isIdentical && base?.marks?.givenLoops == nil && sampler != nil
    if base?.hasLoopsBehindEnd == true, !(hasPlace && isUnchanged) {
      lose("loops behind the end of the sound", Self.momentReason)
    }
    let heard = loops.compactMap { loop in map.loop(loop.frames).map { (loop, $0) } }
    if heard.count < loops.count { lose("loops", Self.momentReason) }
    if loops.isEmpty {
      // Of no valid loop: nothing is known of them.
      for item in loopTags where !isIdentical || !isOfBase(item) {
        sink.metadata[item.key] = nil
        lose(item.key, LoopTags.isValid(item.value) ? Self.momentReason : Self.numberReason)
      }
    }
    guard hasPlace else {
      if !loops.isEmpty { tag(heard.map { ($0.0, $0.1.frames, $0.1.isExact) }) }
      if heard.contains(where: { $0.0.fraction > 0 }) {
        lose(Self.fractions, Self.placeReason)
      }
      nameSampler(besides: loops)
      return
    }
    if let (loop, place) = heard.first(where: { !$0.1.isExact }) {
      noteInexact(loop, place.frames)
    }
    if heard.contains(where: { $0.0.isShortened }) { noteShortened() }
    sink.marks.instrument = instrument
    if !loops.isEmpty { removeLoopTags() }
    guard sampler != nil || !heard.isEmpty else { return }
    var written = sampler ?? SamplerChunk()
    written.period = SamplerChunk.period(sampleRate: sampleRate)
    if !isUnchanged {
      written.loops = heard.enumerated().compactMap { number, pair in
        guard let first = UInt32(exactly: pair.1.frames.lowerBound),
          let last = UInt32(exactly: pair.1.frames.upperBound - 1)
        else { return nil }
        let keepsLength = isAtOwnSpeed && pair.1.frames.count == pair.0.frames.count
        if pair.0.fraction > 0, !keepsLength { lose(Self.fractions, Self.lengthReason) }
        return SamplerChunk.Loop(
          id: pair.0.id ?? UInt32(number), type: pair.0.type, first: first, last: last,
          fraction: keepsLength ? pair.0.fraction : 0, count: pair.0.count,
          isRelease: pair.0.isRelease)
      }
    }
    sink.marks.sampler = isUnchanged ? sampler : written
  }

  /// Names the loops, and what samplers have beside them, in a format that has no place for any.
  private mutating func nameUnplaced(_ loops: [Asset.Loop]) {
    if base?.marks?.givenLoops != nil {
      if !loops.isEmpty {
        sink.markNotes.append("'loop_points' left out, since \(Self.placeReason)")
      }
    } else if !loops.isEmpty {
      for name in base?.loopNames ?? [] { lose(name, Self.placeReason) }
    }
    nameSampler(besides: loops)
  }

  private mutating func nameSampler(besides loops: [Asset.Loop]) {
    if loops.isEmpty, base?.marks?.sampler != nil { lose("smpl", Self.placeReason) }
    if base?.marks?.instrument != nil { lose("inst", Self.placeReason) }
  }

  private mutating func noteInexact(_ loop: Asset.Loop, _ now: Range<Int64>) {
    sink.markNotes.append(
      "its loop of \(loop.frames.count) frames is \(now.count) now, which is not exact: it may click "
        + "where it begins again")
  }

  private mutating func noteShortened() {
    sink.markNotes.append(
      "its loop would end behind the end of the source, by the source's tags: it ends there")
  }

  private static let fractions = "fractions of frames of loops"
  private static let lengthReason = "its loops have not the source's length"

  /// Whether frames of the base are frames of the output, forwards.
  private var isAtOwnSpeed: Bool {
    base?.sampleRate == sampleRate && !map.parts.contains(where: \.isReversed)
  }

  /// Gives the loops of a WAV the numbers of the cues that name them, which are numbered from 1 on. Those
  /// without a cue have others than these.
  mutating func numberLoops() {
    guard sink.format.kind == .wav, var sampler = sink.marks.sampler, let marks = base?.marks,
      sampler != marks.sampler || sink.marks.cues != marks.cues
    else { return }
    let isNamed = marks.givenLoops == nil && marks.sampler?.loops.isEmpty == false
    let count = UInt32(clamping: sink.marks.cues.count)
    for index in sampler.loops.indices {
      let id = sampler.loops[index].id
      if isNamed, let place = marks.cueNumbers.firstIndex(of: id), place < marks.cues.count {
        if let number = number(ofCue: marks.cues[place]) {
          sampler.loops[index].id = number
          continue
        }
        lose("the cue that names a loop", Self.momentReason)
      }
      // Not the number of another cue.
      if 1...max(1, count) ~= id, count > 0 { sampler.loops[index].id = count + 1 + UInt32(index) }
    }
    sink.marks.sampler = sampler
  }

  /// The number that a cue of the base has in the output.
  private func number(ofCue cue: MediaMarks.Cue) -> UInt32? {
    guard let frame = map.frame(cue.frame, isEnd: false) else { return nil }
    return sink.marks.cues.firstIndex { $0.frame == frame && $0.label == cue.label }
      .map { UInt32(clamping: $0 + 1) }
  }

  /// Tags of a loop that the job does not give its output itself.
  private var loopTags: [Metadata.Item] {
    let items = sink.metadata.items.filter { TagClass(of: $0.key) == .place(.loop) }
    return export.inherits(items, of: tags, in: sink.output)
  }

  private mutating func removeLoopTags() { for item in loopTags { sink.metadata[item.key] = nil } }

  /// Whether a tag is of the source whose loops they are.
  private func isOfBase(_ item: Metadata.Item) -> Bool {
    base?.metadata.items.contains(item) == true
  }

  /// Whether the job takes the loop of the source's tags away. Where the output gives a start itself, the
  /// source's loop does not come back: it is another one.
  var isLoopRemoved: Bool { removedKeys.contains { LoopTags.Part(key: $0) == .start } }

  /// Puts the first loop into tags, under the source's keys where it has some.
  private mutating func tag(_ loops: [(old: Asset.Loop, frames: Range<Int64>, isExact: Bool)]) {
    guard let first = loops.first else { return removeLoopTags() }
    let own = loopTags
    // As they are written.
    if isIdentical, !own.isEmpty, own.allSatisfy(isOfBase), base?.marks?.givenLoops == nil {
      return
    }
    var keys = own.map(\.key)
    if keys.isEmpty {
      guard !isLoopRemoved,
        !sink.metadata.items.contains(where: { TagClass(of: $0.key) == .place(.loop) })
      else { return }
      keys = base.map { $0.hasLoopsOfTags ? $0.loopKeys : [] } ?? []
      if keys.isEmpty { keys = ["LOOPSTART", "LOOPLENGTH"] }
    }
    if !first.isExact { noteInexact(first.old, first.frames) }
    if first.old.isShortened { noteShortened() }
    let loop = LoopTags(first.frames)
    for key in keys {
      guard let part = LoopTags.Part(key: key) else { continue }
      sink.metadata[key] = loop[part]
      if !sink.movedTags.contains(key) { sink.movedTags.append(key) }
    }
    if loops.count > 1 { lose("loops behind the first", Self.placeReason) }
  }
}
