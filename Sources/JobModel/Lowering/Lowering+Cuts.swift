import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

extension Lowering {
  /// Removes the cuts and adds the insertions, all at times of the unedited item, and applies what
  /// else counts before the edits: silent ranges, and levels in the time of the source. `content` is
  /// the item before its range was taken; nil where nothing counts in it.
  mutating func edit(
    _ lowered: inout LoweredItem, from content: LoweredItem?, by item: Item, at place: ItemPlace
  ) -> Bool {
    if item.clocks[.chapters] != .source { addChapters(of: item, .edits, at: place, to: &lowered) }
    let mix = sourceMix(of: item, lowered, from: content, at: place)
    // Insertions, which are lowered next, have their own.
    let redactions = redactions
    guard item.isCut || !item.insertions.isEmpty || mix?.isUnity == false else {
      return mix != nil
    }
    let cuts = ranges(item.cuts, .cut, of: lowered, from: content, by: item, at: place)
    let insertions = insertions(into: lowered, by: item, at: place)
    guard let cuts, let insertions, let mix else { return false }
    // Words to cut may not be there.
    guard !cuts.isEmpty || !insertions.isEmpty || !mix.isUnity else { return true }
    let kept = cuts.map(\.value).gaps(in: lowered.duration)
    let origin = cuts.first?.origin ?? item.insertions.first?.origin ?? item.origin
    if kept.isEmpty, insertions.isEmpty {
      error(
        "nothing is left of \(lowered.name)", at: origin,
        help: item.keptWords == nil ? "cut less of it" : "keep more of it")
      return false
    }
    let count = kept.count + insertions.count
    guard
      takes(
        count, lowered.content, at: origin, "\(count) pieces of \(lowered.name)",
        help: "cut the items that it is made of, each on its own")
    else { return false }
    liftChapters(of: &lowered)
    nameStart(of: &lowered, item, for: insertions)
    let steps = EditStep.steps(kept, insertions)
    guard let fades = cutFades(of: item, cuts, steps, lowered) else { return false }
    assemble(steps, of: &lowered, mix, redactions, fades)
    return checkLimit(of: lowered.duration, at: item.origin)
  }

  /// Puts parts and insertions one after the other, with the cross-fade at the start of each step that
  /// has one.
  mutating func assemble(
    _ steps: [EditStep], of lowered: inout LoweredItem, _ mix: AudioMix,
    _ redactions: [SegmentSpeech.Redaction], _ fades: [Int: CutFade]
  ) {
    var lanes: [[Segment]] = [[], []]
    var lane = 0
    var parts: [EditedPart] = []
    var end = Time.zero
    for (index, step) in steps.enumerated() {
      switch step {
      case .part(let range):
        let (before, after) = (fades[index], fades[index + 1])
        let lead = before?.half ?? .zero
        if before != nil { lane = 1 - lane }
        var piece = lowered.piece(range, mix, crossing: before, after)
        if hasTranscripts || !redactions.isEmpty {
          piece.read(range, redacted: redactions, crossing: lead)
        }
        lanes[lane].append(piece.segment(at: end - lead))
        parts.append(.part(range))
        end = end + range.duration
      case .insertion(let insertion):
        var inserted = insertion.lowered
        let chapters = inserted.allChapters
        liftChapters(of: &inserted)
        inserted.chapters = []
        if hasTranscripts { inserted.keepWordsApart(asInsertion: insertion.number) }
        lanes[lane].append(inserted.placed(at: end))
        parts.append(.other(duration: inserted.duration, chapters: chapters))
        end = end + inserted.duration
      }
    }
    lowered.chapters = lowered.chapters.played(as: parts, of: lowered.duration)
    lowered.nest(as: lanes)
    edits = parts
  }

  /// Gives the item a chapter at its start where something with a chapter is inserted before its
  /// first one: the item's chapter continues after the insertion, and the inserted chapter ends.
  private func nameStart(
    of lowered: inout LoweredItem, _ item: Item, for insertions: [Insertion]
  ) {
    let first = lowered.chapters.first?.start ?? lowered.duration
    guard insertions.contains(where: { $0.time < first && !$0.lowered.allChapters.isEmpty }) else {
      return
    }
    var clip: MediaLocation?
    item.forEachClip { clip = clip ?? $0.location }
    var title = item.name?.value ?? clip?.stem ?? "\(lowered.name)"
    if item.name == nil, case .asset(let asset) = lowered.content {
      title = asset.metadata["title"] ?? title
    }
    let own = Chapter(start: .zero, title: title, isInherited: true, origin: item.origin)
    lowered.chapters.insert(item.chapter.map { Chapter($0, start: .zero) } ?? own, at: 0)
  }

  /// The insertions, in order of time, and of writing where two have one place.
  private mutating func insertions(
    into lowered: LoweredItem, by item: Item, at place: ItemPlace
  ) -> [Insertion]? {
    var found: [(index: Int, insertion: Insertion)] = []
    for (index, item) in item.insertions.enumerated() {
      let root = addRoot(item, isJob: false)
      let inserted = self.lowered(at: root)
      let at = item.at ?? Located(.start, at: item.origin)
      guard let time = time(at, of: lowered, at: place, .edits) else { continue }
      guard time >= .zero - Self.slack, time <= lowered.duration + Self.slack else {
        let lengths = lengths(time, lowered.duration)
        error(
          time < .zero
            ? "this is before the start of \(lowered.name)"
            : "this is at \(lengths.a), but \(lowered.name) lasts \(lengths.b)", at: at.origin,
          help: "write a time within it; what goes to its end is 'at: end'")
        continue
      }
      let place = max(.zero, min(time, lowered.duration))
      if let inserted {
        let insertion = Insertion(lowered: inserted, time: place, number: root.sequence)
        found.append((index, insertion))
      }
    }
    guard found.count == item.insertions.count else { return nil }
    return found.sorted { ($0.insertion.time, $0.index) < ($1.insertion.time, $1.index) }
      .map(\.insertion)
  }
}

/// A step of an edited item.
enum EditStep {
  case part(TimeRange)
  case insertion(Insertion)

  var duration: Time {
    switch self {
    case .part(let range): range.duration
    case .insertion(let insertion): insertion.lowered.duration
    }
  }

  /// Parts, split where something is inserted, and insertions in order.
  fileprivate static func steps(_ kept: [TimeRange], _ insertions: [Insertion]) -> [EditStep] {
    var steps: [EditStep] = []
    var rest = kept[...]
    for insertion in insertions {
      while let next = rest.first, next.start < insertion.time {
        let cut = min(next.end, insertion.time)
        steps.append(.part(TimeRange(start: next.start, end: cut)))
        guard cut == next.end else {
          rest[rest.startIndex] = TimeRange(start: cut, end: next.end)
          break
        }
        rest.removeFirst()
      }
      steps.append(.insertion(insertion))
    }
    return steps + rest.map(EditStep.part)
  }
}

extension [EditStep] {
  /// What was removed between two parts that a cut has joined.
  fileprivate func cut(before index: Int) -> TimeRange? {
    guard index > 0, index < count, case .part(let a) = self[index - 1],
      case .part(let b) = self[index]
    else { return nil }
    return TimeRange(start: a.end, end: b.start)
  }
}

struct Insertion {
  var lowered: LoweredItem
  var time: Time
  /// No other insertion of the job has it.
  var number: Int
}

// MARK: - Cross-fades

/// The cross-fade at a cut of an item. Each side goes on by half of it into what was removed, so the
/// parts keep their places.
struct CutFade {
  var duration = Time.zero
  var curve = VolumeCurve.equalPower
  var picture = PictureTransition.cut

  /// Where words are cut, unless another one is written.
  static let ofWords = Fade(.time(Time(value: 10, timescale: 1000)))

  var half: Time { duration.multiplied(by: 1, over: 2) }
}

extension Lowering {
  /// The cross-fades at the cuts, by the step after each; none where none is written, nil after a
  /// report.
  private mutating func cutFades(
    of item: Item, _ cuts: [Located<TimeRange>], _ steps: [EditStep], _ lowered: LoweredItem
  ) -> [Int: CutFade]? {
    let usual = item.cutsWords ? Located(CutFade.ofWords, at: item.origin) : nil
    guard let written = item.cutCrossfade ?? usual else { return [:] }
    let text = Located(written.value.duration, at: written.origin)
    guard let duration = time(text, rate: lowered.rate) else { return nil }
    let fade = CutFade(
      duration: duration, curve: written.value.curve ?? .equalPower,
      picture: written.value.cutsPicture ? .cut : .blend)
    guard duration > .zero else { return [:] }
    // How long a word is, nobody has chosen; the length of a written range, and of a written cross-fade,
    // somebody has.
    let ranges = item.cutCrossfade == nil ? [] : item.cuts.filter { !$0.value.hasPhrase }
    let origins = Set(ranges.map(\.origin))
    let chosen = Set(cuts.lazy.filter { origins.contains($0.origin) }.map(\.value))
    var fades: [Int: CutFade] = [:]
    for index in steps.indices {
      guard let removed = steps.cut(before: index) else { continue }
      fades[index] = fade
      guard item.cutsWords, !chosen.contains(removed) else { continue }
      let least = min(removed.duration, steps[index - 1].duration, steps[index].duration)
      fades[index]?.duration = min(duration, least.multiplied(by: 1, over: 4))
    }
    let fixed =
      item.cutsWords
      ? fades.filter { steps.cut(before: $0.key).map(chosen.contains) ?? false } : fades
    guard hasRoom(for: fixed, fades, at: cuts, steps, written) else { return nil }
    return fades
  }

  /// Whether the cross-fades that are not made shorter are no longer than their cuts and than what is
  /// left beside them; refused else.
  private mutating func hasRoom(
    for fixed: [Int: CutFade], _ fades: [Int: CutFade], at cuts: [Located<TimeRange>],
    _ steps: [EditStep], _ written: Located<Fade>
  ) -> Bool {
    for (index, step) in steps.enumerated() {
      guard case .part(let range) = step else { continue }
      if let fade = fixed[index], let removed = steps.cut(before: index),
        removed.duration < fade.duration
      {
        let lengths = lengths(removed.duration, fade.duration)
        refuse(
          "this cut removes \(lengths.a), less than the cross-fade of \(lengths.b)", removed, cuts,
          written)
        return false
      }
      let isFixed = (fixed[index] != nil, fixed[index + 1] != nil)
      let needed = (fades[index]?.half ?? .zero) + (fades[index + 1]?.half ?? .zero)
      guard isFixed.0 || isFixed.1, range.duration < needed else { continue }
      let lengths = lengths(range.duration, needed)
      refuse(
        "beside this cut \(lengths.a) are left, less than the \(lengths.b) of its cross-fade",
        steps.cut(before: isFixed.0 ? index : index + 1), cuts, written)
      return false
    }
    return true
  }

  private mutating func refuse(
    _ message: String, _ removed: TimeRange?, _ cuts: [Located<TimeRange>],
    _ fade: Located<Fade>
  ) {
    let cut = cuts.first { $0.value == removed }
    error(
      message, at: cut?.origin ?? fade.origin, help: "make the cross-fade shorter, or cut more",
      notes: [.init("the cross-fade is here", at: fade.origin)])
  }
}

extension LoweredItem {
  /// A part of the item, with its share of `mix`, which counts as the item does. At an end with a
  /// cross-fade the sound goes on by half of that.
  fileprivate func piece(
    _ range: TimeRange, _ mix: AudioMix, crossing before: CutFade?, _ after: CutFade?
  ) -> LoweredItem {
    let sounding = TimeRange(
      start: range.start - (before?.half ?? .zero), end: range.end + (after?.half ?? .zero))
    var piece = self
    piece.chapters = []
    piece.source = TimeRange(start: source.start + sounding.start, duration: sounding.duration)
    piece.duration = sounding.duration
    piece.mix = mix.part(sounding)
    func add(_ start: Gain, _ end: Gain, _ fade: CutFade, at time: Time) {
      let range = TimeRange(start: time, duration: fade.duration)
      piece.mix.addRamp(from: start, to: end, over: range, fade.curve, fade.picture)
    }
    if let before { add(.silence, .unity, before, at: .zero) }
    if let after { add(.unity, .silence, after, at: sounding.duration - after.duration) }
    return piece
  }

  var allChapters: [Chapter] {
    guard case .composition(let composition) = content else { return chapters }
    return (chapters + composition.chapters).sortedByStart
  }
}
