import Diagnosis
import MediaComposition
import MediaTime
import Transcripts

extension Lowering {
  /// The words of an item at its present stage, in its own time. O(n log n) in the number of its
  /// segments and cues; none without a search where the job has no transcripts.
  func transcript(of lowered: LoweredItem) -> Transcript {
    guard hasTranscripts else { return Transcript() }
    return Composition(tracks: [Track(segments: [lowered.segment(at: .zero)])]).transcript
  }

  /// Gives the item its words, if it has some that count in `clock`.
  mutating func addTranscript(
    of item: Item, _ clock: Clock, at place: ItemPlace, to lowered: inout LoweredItem
  ) -> Bool {
    guard hasTranscripts, let (written, group) = transcript(at: place),
      written.value.clock == clock
    else { return true }
    let transcript: Transcript
    switch (written.value.source, item.content) {
    case (_, .silence):
      error("a silence has no transcript", at: written.origin, help: "leave it out")
      return false
    case (.read(let read), _):
      transcript = read
      noteReplacedWords(at: place, by: written.origin)
    case (.keep, .clip(let reference)):
      guard let kept = keptTranscript(of: reference, at: written.origin, for: group) else {
        return true
      }
      guard let read = written.value.hasPrefixes ? kept.withSpeakersOfTexts : kept else {
        error(
          "the speakers of '\(reference.location)' make its words more than "
            + "\(grouped(Transcript.cueLimit)) cues", at: written.origin,
          help: "leave out 'speaker: prefix'")
        return false
      }
      transcript = read
    case (.keep, _): return true
    }
    var speech = SegmentSpeech()
    speech.transcript = transcript
    speech.offset = written.value.offset + (clock == .source ? .zero : lowered.source.start)
    speech.speaker = written.value.speaker
    speech.extent = lowered.source
    lowered.speech = [speech]
    return checkTimes(of: speech, lowered, at: written.origin)
  }

  /// Notes which words below an item count no longer, since it has its own. O(items below it).
  private mutating func noteReplacedWords(at place: ItemPlace, by origin: Origin) {
    var replaced: [String] = []
    var open = Array(children(of: place))
    while let id = open.popLast() {
      for (index, item) in sequences[id].sequence.items.enumerated() {
        if item.transcript != nil { replaced.append(replacedName(of: item)) }
        open += children(of: ItemPlace(sequence: id, index: index))
      }
    }
    let names = replaced.unique.sorted()
    guard !names.isEmpty else { return }
    note(
      "the words of \(Array(names.prefix(3)).listed("and"))\(names.count > 3 ? " and others" : "") are not "
        + "read: this transcript replaces them", at: origin, help: "leave out the one or the others"
    )
  }

  private func replacedName(of item: Item) -> String {
    if let name = item.name { return "'\(name.value)'" }
    return if case .clip(let clip) = item.content { "'\(clip.location)'" } else { "a group" }
  }

  /// What gives the item at `place` its words, and the group that it is of, if it is not the item's own.
  /// A transcript that clips keep is that of the clip, or of the nearest group around it; what replaces
  /// the words of a whole group is none of its clips'.
  private func transcript(
    at place: ItemPlace
  ) -> (transcript: Located<ItemTranscript>, group: ItemPlace?)? {
    // Members, and not the items: copying one retains a dozen references.
    let (id, index) = (place.sequence, place.index)
    if let own = sequences[id].sequence.items[index].transcript { return (own, nil) }
    guard case .clip = sequences[id].sequence.items[index].content else { return nil }
    var next = sequences[id].holder
    while let around = next {
      if let own = sequences[around.sequence].sequence.items[around.index].transcript {
        return own.value.source == .keep ? (own, around) : nil
      }
      next = sequences[around.sequence].holder
    }
    return nil
  }

  /// Whether the item at `place`, or one within it, has a transcript that was read, perhaps without a cue.
  /// O(items below it)
  mutating func readsTranscript(at place: ItemPlace) -> Bool {
    func isRead(_ item: Item) -> Bool {
      if case .read? = item.transcript?.value.source { true } else { false }
    }
    if isRead(sequences[place.sequence].sequence.items[place.index]) { return true }
    var open = Array(children(of: place))
    while let id = open.popLast() {
      for (index, item) in sequences[id].sequence.items.enumerated() {
        if isRead(item) { return true }
        open += children(of: ItemPlace(sequence: id, index: index))
      }
    }
    return false
  }

  /// How many cues of a recording that has few of them may lie outside of it: a recogniser may invent them
  /// after its end, and an offset move them before its start.
  private static let mostOutside = 2

  /// Reports words that come too early or too late for what they belong to; false after an error.
  private mutating func checkTimes(
    of speech: SegmentSpeech, _ lowered: LoweredItem, at origin: Origin
  ) -> Bool {
    let cues = speech.transcript?.cues ?? []
    guard let last = cues.last else { return true }
    let start = lowered.source.start - speech.offset
    // All cues begin before the last of these.
    let early = cues.prefix(cues.partitioningIndex { $0.range.start >= start })
      .count { $0.range.end <= start }
    let end = lowered.source.end - speech.offset
    let late = cues.count - cues.partitioningIndex { $0.range.start >= end }
    // A recogniser invents some in the silence after the end; many are the words of another recording.
    if late > Self.mostOutside, late * 10 > cues.count {
      // Words that count in the item count from where its range begins.
      let first = lowered.source.start
      let lengths = lengths(last.range.start + speech.offset - first, lowered.source.end - first)
      error(
        "the transcript is of another file", at: origin,
        help: "its last words are at \(lengths.a), but "
          + (first > .zero ? "the range of \(lowered.name) lasts" : "\(lowered.name) ends at")
          + " \(lengths.b)")
      return false
    }
    func subject(_ count: Int, _ verb: String) -> String {
      count == 1 ? "1 cue \(verb)s" : "\(count) cues \(verb)"
    }
    let before = "\(subject(early, "end")) before the start of \(lowered.name)"
    if early > Self.mostOutside, early * 10 > cues.count {
      error(
        "\(before), of \(cues.count)", at: origin,
        help: "write an 'offset' nearer to zero, or take the transcript of this file")
      return false
    }
    if early > 0 {
      note(
        "\(before): left out", at: origin,
        help: "write an 'offset' nearer to zero if they are heard")
    }
    if late > 0 {
      note(
        "\(subject(late, "begin")) after the end of \(lowered.name): left out", at: origin,
        help: "recognisers invent words in silence; write an 'offset' if all of them come too late")
    }
    return true
  }

  /// Notes that words are lost where an item is reversed.
  mutating func noteReversedWords(of lowered: LoweredItem, by item: Item) {
    guard hasTranscripts, !transcript(of: lowered).cues.isEmpty else { return }
    note(
      "transcripts leave out the words of \(lowered.name), which is reversed", at: item.origin,
      help: "reversed words are no text")
  }
}

// MARK: - Words that clips keep

/// What a group keeps of the files of its clips.
struct KeptGroup {
  /// Where it says so.
  var origin: Origin
  /// Whether any file may have words.
  var hasWords = false
  /// The clips of files without words, each file once, and why.
  var silent: [(clip: MediaReference, failure: Failure)] = []
}

extension Lowering {
  /// The words that a clip keeps of its file at `origin`, by itself or for a group; nil where there are
  /// none.
  private mutating func keptTranscript(
    of clip: MediaReference, at origin: Origin, for group: ItemPlace?
  ) -> Transcript? {
    let kept = keptTranscript(of: clip)
    if let group { keptGroups[group, default: KeptGroup(origin: origin)].add(kept, of: clip) }
    switch kept {
    case .success(let transcript): return transcript
    case .failure(let failure):
      // Of a group, some clips need not have any: that is reported when all are known.
      if group == nil || failure.remedy != .mendInput { report(failure, at: origin) }
      return nil
    }
  }

  /// Names the files of which groups keep no words; refuses groups without any.
  mutating func reportKeptGroups() {
    let order = keptGroups.keys.sorted { ($0.sequence, $0.index) < ($1.sequence, $1.index) }
    for group in order.compactMap({ keptGroups[$0] }) where !group.silent.isEmpty {
      let names = group.silent.map { "\($0.clip.location)" }
      let message =
        "there are no words in \(names.prefix(3).quoted)"
        + (names.count > 3 ? " and \(names.count - 3) more" : "")
      let help = "name a file of the words beside its clip, as 'transcript: talk.vtt'"
      let notes = group.silent.prefix(3).map { clip, failure in
        Diagnostic.Note("'\(clip.location)': \(failure.message)", at: clip.origin)
      }
      if group.hasWords {
        note(message, at: group.origin, help: help + ", if anything is said there", notes: notes)
      } else {
        error(message, at: group.origin, help: help, notes: notes)
      }
    }
  }
}

extension KeptGroup {
  fileprivate mutating func add(
    _ kept: Result<Transcript?, Failure>, of clip: MediaReference
  ) {
    guard case .failure(let failure) = kept, failure.remedy == .mendInput else {
      hasWords = true
      return
    }
    if !silent.contains(where: { $0.clip == clip }) { silent.append((clip, failure)) }
  }
}

extension LoweredItem {
  /// The same sound without words and without chapters.
  var sound: LoweredItem {
    var sound = withoutTranscripts
    sound.chapters = []
    return sound
  }

  /// The same item without words. O(segments).
  var withoutTranscripts: LoweredItem {
    var item = self
    item.speech = []
    if case .composition(let composition) = content, composition.hasSpeech {
      item.content = .composition(composition.withoutTranscripts)
    }
    return item
  }
}

extension Composition {
  /// Whether a segment has words, or bounds for words.
  fileprivate var hasSpeech: Bool {
    tracks.contains { track in
      track.segments.contains { segment in
        if segment.speech != nil { return true }
        if case .composition(let inner) = segment.content { return inner.hasSpeech }
        return false
      }
    }
  }

  /// The same sound without words. O(segments).
  fileprivate var withoutTranscripts: Composition {
    var copy = self
    for track in copy.tracks.indices {
      for index in copy.tracks[track].segments.indices {
        copy.tracks[track].segments[index].speech = nil
        guard case .composition(let inner) = copy.tracks[track].segments[index].content,
          inner.hasSpeech
        else { continue }
        copy.tracks[track].segments[index].content = .composition(inner.withoutTranscripts)
      }
    }
    return copy
  }
}

// MARK: - Bounds

extension LoweredItem {
  /// Lets its words end at `end`, in its own time as it sounds.
  mutating func hear(until end: Time) { hear(TimeRange(start: .zero, end: end)) }

  /// Lets its words begin at `start`, in its own time as it sounds.
  mutating func hear(from start: Time) { hear(TimeRange(start: start, end: duration)) }

  /// Lets no cue of what it is inserted into go on in it, nor of other insertions.
  mutating func keepWordsApart(asInsertion number: Int) {
    var own = speech.first ?? SegmentSpeech()
    own.insertion = number
    speech = [own]
  }

  private mutating func hear(_ range: TimeRange) {
    var own = speech.first ?? SegmentSpeech()
    own.heard = (own.heard ?? TimeRange(start: .zero, duration: duration)).intersection(range)
    speech = [own]
  }

  /// Bounds the words of a piece that an edit has made of an item. Where the sounds on both sides of a
  /// cut overlap, words change where the cut is.
  ///
  /// - Parameters:
  ///   - range: The piece, without the overlap, in the time of the item.
  ///   - redactions: In the time of the item.
  ///   - lead: How long the piece sounds before `range`.
  mutating func read(
    _ range: TimeRange, redacted redactions: [SegmentSpeech.Redaction], crossing lead: Time
  ) {
    if range.duration < duration {
      hear(TimeRange(start: lead, duration: range.duration))
    }
    // What is cut beside the piece is not read either, where a word or a cue goes on into it.
    let near = TimeRange(
      start: range.start - SegmentSpeech.reach, end: range.end + SegmentSpeech.reach)
    let first = redactions.partitioningIndex { $0.range.end > near.start }
    let end = redactions.partitioningIndex { $0.range.start >= near.end }
    guard first < end else { return }
    var own = speech.first ?? SegmentSpeech()
    own.redactions += redactions[first..<end].map { redaction in
      SegmentSpeech.Redaction(
        redaction.range.moved(by: lead - range.start), text: redaction.text)
    }
    speech = [own]
  }
}
