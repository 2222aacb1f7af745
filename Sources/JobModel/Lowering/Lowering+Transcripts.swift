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
    guard hasTranscripts, let written = transcript(at: place), written.value.clock == clock else {
      return true
    }
    let transcript: Transcript
    switch (written.value.source, item.content) {
    case (_, .silence):
      error("a silence has no transcript", at: written.origin, help: "leave it out")
      return false
    case (.read(let read), _): transcript = read
    case (.keep, .clip(let reference)):
      guard let kept = keptTranscript(of: reference, at: written.origin) else { return true }
      transcript = kept
    case (.keep, _): return true
    }
    var speech = SegmentSpeech()
    speech.transcript = transcript
    speech.offset = written.value.offset + (clock == .source ? .zero : lowered.source.start)
    speech.speaker = written.value.speaker
    speech.extent = lowered.source
    lowered.speech = [speech]
    return checkLength(of: speech, lowered, at: written.origin)
  }

  /// What gives the item at `place` its words. A transcript that clips keep is that of the clip, or of
  /// the nearest group around it; what replaces the words of a whole group is none of its clips'.
  private func transcript(at place: ItemPlace) -> Located<ItemTranscript>? {
    // Members, and not the items: copying one retains a dozen references.
    let (id, index) = (place.sequence, place.index)
    if let own = sequences[id].sequence.items[index].transcript { return own }
    guard case .clip = sequences[id].sequence.items[index].content else { return nil }
    var next = sequences[id].holder
    while let around = next {
      if let own = sequences[around.sequence].sequence.items[around.index].transcript {
        return own.value.source == .keep ? own : nil
      }
      next = sequences[around.sequence].holder
    }
    return nil
  }

  /// Refuses words of which more than a tenth begin after the end of what they belong to. A recogniser
  /// invents some in the silence after the end; many are the words of another recording.
  private mutating func checkLength(
    of speech: SegmentSpeech, _ lowered: LoweredItem, at origin: Origin
  ) -> Bool {
    guard let cues = speech.transcript?.cues, let last = cues.last else { return true }
    let end = lowered.source.end - speech.offset
    let heard = cues.partitioningIndex { $0.range.start >= end }
    guard (cues.count - heard) * 10 > cues.count else {
      if heard < cues.count {
        let count = cues.count - heard
        note(
          "\(count == 1 ? "1 cue begins" : "\(count) cues begin") after the end of \(lowered.name): "
            + "left out", at: origin,
          help:
            "recognisers invent words in silence; write an 'offset' if all of them come too late")
      }
      return true
    }
    let lengths = lengths(last.range.start + speech.offset, lowered.source.end)
    error(
      "the transcript is of another file", at: origin,
      help: "its last words are at \(lengths.a), but \(lowered.name) ends at \(lengths.b)")
    return false
  }

  /// Notes that words are lost where an item is reversed.
  mutating func noteReversedWords(of lowered: LoweredItem, by item: Item) {
    guard hasTranscripts, !transcript(of: lowered).cues.isEmpty else { return }
    note(
      "transcripts leave out the words of \(lowered.name), which is reversed", at: item.origin,
      help: "reversed words are no text")
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
    let first = redactions.partitioningIndex { $0.range.end > range.start }
    let end = redactions.partitioningIndex { $0.range.start >= range.end }
    guard first < end else { return }
    var own = speech.first ?? SegmentSpeech()
    own.redactions += redactions[first..<end].map { redaction in
      SegmentSpeech.Redaction(
        redaction.range.moved(by: lead - range.start), text: redaction.text)
    }
    speech = [own]
  }
}
