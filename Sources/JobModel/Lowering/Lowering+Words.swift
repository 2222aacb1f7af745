import Diagnosis
import MediaComposition
import MediaTime
import Transcripts

/// What becomes of selected words.
enum WordUse: String {
  case cut = "is cut"
  case kept = "stays"
  case muted = "is silent"
}

extension Item {
  /// The words that `key` names beside ranges, and what becomes of them.
  func words(for key: ClockedKey) -> [(WordSelection, WordUse)] {
    switch key {
    case .cut:
      [(cutWords, .cut), (keptWords, .kept)].compactMap { words, use in
        words.map { ($0, use) }
      }
    case .mute: mutedWords.map { [($0, .muted)] } ?? []
    case .chapters, .volume, .pan: []
    }
  }
}

// MARK: - Moments

extension Lowering {
  /// When a phrase begins or ends, in the time of `lowered`; nil after a report, or where it is not known
  /// yet. Without an offset it is the quietest moment beside the phrase.
  mutating func time(
    of phrase: PhrasePlace, _ moment: Located<Moment>, in lowered: LoweredItem,
    at place: ItemPlace, _ stage: Stage
  ) -> Time? {
    guard stage == .content || stage == .edits else {
      error(
        "\(phrase) are words of the source, and this time counts in the item as it sounds",
        at: moment.origin, help: "write seconds, or name 'clock: source'")
      return nil
    }
    guard stage == .content || !unrangedItems.contains(place),
      let text = spokenText(of: lowered, at: place, for: "\(phrase)", at: moment.origin),
      let words = occurrence(of: phrase, in: text, of: lowered, at: moment.origin),
      let range = range(of: words, in: text, of: lowered, at: moment.origin)
    else { return nil }
    let edges = text.edges(of: words, in: range, goes: false)
    let edge = phrase.isAfter ? edges.end : edges.start
    var time = edge.time
    if moment.value.offset == .time(.zero) {
      guard let found = quietest([edge], in: lowered, at: moment.origin)?.first else { return nil }
      time = found
      remark(
        "\(phrase) \(phrase.isAfter ? "ends" : "begins") at "
          + "\(Self.text(time - lowered.source.start)) of \(lowered.name), moved by "
          + Self.move(from: phrase.isAfter ? range.end : range.start, to: time), at: moment.origin)
    }
    return time - lowered.source.start
  }

  /// The words of a phrase that is meant; nil after a report.
  private mutating func occurrence(
    of phrase: PhrasePlace, in text: SpokenWords, of lowered: LoweredItem, at origin: Origin
  ) -> Range<Int>? {
    let found = text.occurrences(of: phrase.text, within: lowered.source)
    let isKnown = phrase.occurrence.map { found.indices.contains($0 - 1) } ?? (found.count == 1)
    guard !isKnown else { return found[(phrase.occurrence ?? 1) - 1] }
    guard !found.isEmpty else {
      let nearest = text.nearest(to: phrase.text).map {
        "the nearest words are \(quotesWords ? "'\(text.shortText(of: $0))', " : "")at "
          + Self.text(text.approximateStart(of: $0) - lowered.source.start)
      }
      error(
        "\(phrase) is not in the transcript of \(lowered.name)", at: origin,
        help: nearest ?? "write words as they stand in the transcript")
      return nil
    }
    let times = found.prefix(3).map {
      Self.text(text.approximateStart(of: $0) - lowered.source.start)
    }
    let count = found.count == 1 ? "once" : "\(found.count) times"
    error(
      "\(phrase) is \(count) in the transcript of \(lowered.name): at "
        + times.joined(separator: ", ") + (found.count > 3 ? " and later" : ""), at: origin,
      help: found.count == 1
        ? "leave 'occurrence' out"
        : "name the one that is meant, as 'occurrence: 2'")
    return nil
  }

  /// `-15 ms`
  private static func move(from time: Time, to moved: Time) -> String {
    let milliseconds = (moved - time).frames(atRate: 1000)
    return "\(milliseconds > 0 ? "+" : "")\(milliseconds) ms"
  }
}

// MARK: - Ranges

extension Lowering {
  /// The ranges of a selection's words, in the time of an item after its range and before its edits; of
  /// words that are kept, all others. nil after a report, or where they are not known yet.
  mutating func ranges(
    of selection: WordSelection, _ use: WordUse, in lowered: LoweredItem, by item: Item,
    at place: ItemPlace
  ) -> [Located<TimeRange>]? {
    let origin = selection.origin
    // Of a list of fillers, silence has none.
    let mayBeEmpty = use != .kept && selection.speakers.isEmpty && selection.cues.isEmpty
    guard !unrangedItems.contains(place),
      let text = spokenText(
        of: lowered, at: place, for: "a word", mayBeEmpty: mayBeEmpty, at: origin),
      let runs = runs(of: selection, use, in: text, of: lowered)
    else { return nil }
    var times: [TimeRange] = []
    for run in runs {
      guard let range = range(of: run.words, in: text, of: lowered, at: run.origin) else {
        return nil
      }
      times.append(range)
    }
    let edges = zip(runs, times).flatMap { run, range in
      let edges = text.edges(of: run.words, in: range, goes: use == .cut)
      return [edges.start, edges.end]
    }
    guard let moved = quietest(edges, in: lowered, at: origin) else { return nil }
    noteOtherVoices(beside: zip(runs.map(\.words), times), use, in: text, of: lowered, at: origin)
    var found: [Located<TimeRange>] = []
    for (index, run) in runs.enumerated() {
      var ends = (start: moved[2 * index], end: moved[2 * index + 1])
      if use == .muted { ends = text.silencing(run.words, in: times[index], around: ends) }
      ends = text.closingRims(ends, beside: run.words, of: lowered.source)
      let start = max(.zero, ends.start - lowered.source.start)
      let end = min(lowered.duration, ends.end - lowered.source.start)
      let words = quotesWords ? "'\(text.context(of: run.words))'" : "what is said"
      guard start < end else {
        remark("\(words) lasts no time in the transcript of \(lowered.name)", at: run.origin)
        continue
      }
      let moves = (
        Self.move(from: times[index].start, to: ends.start),
        Self.move(from: times[index].end, to: ends.end)
      )
      remark(
        "\(words) \(use.rawValue): \(Self.text(start)) to \(Self.text(end)) of \(lowered.name), "
          + "its edges moved by \(moves.0) and \(moves.1)", at: run.origin)
      var range = TimeRange(start: start, end: end)
      if use != .muted {
        guard let snapped = snapped(range, of: lowered, by: item, else: run.origin) else {
          return nil
        }
        range = snapped
      }
      found.append(Located(range, at: run.origin))
    }
    guard use == .kept else { return found }
    return found.merged.map(\.value).gaps(in: lowered.duration).map { Located($0, at: origin) }
  }
}

// MARK: - Words

extension Lowering {
  /// The words of all of the content of an item; nil, after a report at `origin`, without a transcript, or
  /// without any words where there must be some.
  private mutating func spokenText(
    of lowered: LoweredItem, at place: ItemPlace, for subject: String, mayBeEmpty: Bool = false,
    at origin: Origin
  ) -> SpokenWords? {
    // A transcript that counts in the item comes after its range.
    let isWhole = lowered.speech.isEmpty
    if let spokenContent, spokenContent.place == place, spokenContent.isWhole == isWhole {
      return spokenContent.text
    }
    let transcript = transcript(of: lowered.whole)
    if transcript.cues.isEmpty {
      let isRead = readsTranscript(at: place)
      if isRead, mayBeEmpty { return SpokenWords(transcript) }
      error(
        "\(subject) is looked for in a transcript, and "
          + (isRead ? "that of \(lowered.name) has no cue" : "\(lowered.name) has none"),
        at: origin,
        help: isRead
          ? "write a time, or leave the edit out" : "name one beside it, as 'transcript: talk.vtt'")
      return nil
    }
    let text = SpokenWords(transcript)
    spokenContent = (place, isWhole, text)
    return text
  }

  /// The time of words in a row by the transcript; nil after a report.
  private mutating func range(
    of words: Range<Int>, in text: SpokenWords, of lowered: LoweredItem, at origin: Origin
  ) -> TimeRange? {
    do throws(UntimedWord) {
      return try text.range(of: words)
    } catch let untimed {
      let word = text.words[untimed.index]
      let cue = text.words(ofCue: word.cue)
      let isTimed = text.words[cue].dropFirst().contains { $0.start != nil }
      let around = max(0, untimed.index - 1)..<min(text.words.count, untimed.index + 2)
      error(
        (quotesWords ? "'\(word.text)'" : "a word of cue \(word.cue + 1)")
          + " has no time in the transcript of \(lowered.name), and can be no edge"
          + (quotesWords ? ": '\(text.text(of: around))'" : ""), at: origin,
        help: isTimed
          ? "name words that begin and end with others, or write a time"
          : "name whole cues, or take a transcript that has times of words")
      return nil
    }
  }

  /// Edges in the content's time, each moved to the quietest place near it; nil after a report, or where
  /// the sound was not listened to yet.
  private mutating func quietest(
    _ edges: [SpokenEdge], in lowered: LoweredItem, at origin: Origin
  ) -> [Time]? {
    guard !edges.isEmpty else { return [] }
    let whole = lowered.whole
    let bounded = edges.map { edge in
      SpokenEdge(
        whole.source.clamp(edge.time), from: whole.source.clamp(edge.earliest),
        to: whole.source.clamp(edge.latest))
    }
    let search = SilenceSearch(in: whole.sound.composition, near: bounded)
    guard let found = silences(search, at: origin)?.edges else { return nil }
    return found.count == edges.count ? found : bounded.map(\.time)
  }
}

extension LoweredItem {
  /// All of what a part was taken from, before any other edit.
  fileprivate var whole: LoweredItem {
    guard content != .silence else { return self }
    var whole = self
    whole.source = content.extent
    whole.duration = whole.source.duration
    return whole
  }
}
