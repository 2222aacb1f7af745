import MediaTime
import Transcripts

/// What is said in a segment, and how much of that may be read.
package struct SegmentSpeech: Sendable, Hashable, Codable {
  /// The words of the content, which count instead of those of what is nested in it; nil: those.
  package var transcript: Transcript?
  /// Added to the times of `transcript`, it gives those of the content.
  package var offset = Time.zero
  /// Who says what `transcript` has no speaker for; nil: whom the track is named after.
  package var speaker: String?
  /// Where in the content `transcript` counts: cues go on no further; nil: all of the content.
  package var extent: TimeRange?
  /// In the segment's own time: when its words count, which a cross-fade ends before the sound; nil: as
  /// long as it sounds.
  package var heard: TimeRange?
  /// In the segment's own time, in order, without overlaps; also those of sound that an edit has removed
  /// beside it: what was said then is not read, whatever is left of a word or a cue.
  package var redactions: [Redaction] = []

  /// Of what was inserted into what is around it, a number that no other insertion has: what is said in it
  /// is part of no cue there, nor of one in another insertion, also where all are of one recording. nil:
  /// it was not inserted.
  package var insertion: Int?

  /// How far from a segment redactions count: longer than anybody says a word, or captions show one.
  package static let reach = Time(value: 60, timescale: 1)

  /// No words, and no bounds for those of the content.
  package init() {}

  /// A range in which words may not be read.
  package struct Redaction: Sendable, Hashable, Codable {
    /// When.
    package var range: TimeRange
    /// What stands there instead; nil: `…`.
    package var text: String?

    /// A redaction of `range`.
    package init(_ range: TimeRange, text: String? = nil) {
      self.range = range
      self.text = text
    }
  }

  /// Equal ones hash alike. Only the number of cues counts: there may be many, and many segments share
  /// them.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(transcript?.cues.count)
    hasher.combine(offset)
    hasher.combine(speaker)
    hasher.combine(extent)
    hasher.combine(heard)
    hasher.combine(redactions)
    hasher.combine(insertion)
  }
}

extension SegmentSpeech {
  /// What belongs to the content; nil: nothing.
  package var ofContent: SegmentSpeech? {
    guard transcript != nil else { return nil }
    var content = self
    (content.heard, content.redactions, content.insertion) = (nil, [], nil)
    return content
  }

  /// What belongs to the segment's own time; nil: nothing.
  package var ofPlace: SegmentSpeech? {
    guard heard != nil || !redactions.isEmpty || insertion != nil else { return nil }
    var place = SegmentSpeech()
    (place.heard, place.redactions, place.insertion) = (heard, redactions, insertion)
    return place
  }

  /// The words of the content, in its time.
  var transcriptOfContent: Transcript? {
    guard let transcript, offset != .zero || speaker != nil else { return transcript }
    let cues = transcript.cues.map { cue in
      var moved = cue.moved(by: offset)
      moved.speaker = cue.speaker ?? speaker
      return moved
    }
    return Transcript(cues, language: transcript.language)
  }

  /// The same for the part of the segment until `length`.
  func first(lasting length: Time) -> SegmentSpeech {
    var first = self
    first.redactions.removeAll { $0.range.start >= length + Self.reach }
    return first
  }

  /// The same for the part of the segment from `length` on.
  func rest(after length: Time) -> SegmentSpeech {
    var rest = self
    rest.redactions.removeAll { $0.range.end <= length - Self.reach }
    rest.move(by: -length)
    return rest
  }

  /// Moves what is in the segment's own time.
  private mutating func move(by offset: Time) {
    if let heard { self.heard = heard.moved(by: offset) }
    for index in redactions.indices {
      redactions[index].range = redactions[index].range.moved(by: offset)
    }
  }

  /// The same for a segment that lasts as `new` and lasted as `old`.
  func stretched(from old: TimeRange, to new: TimeRange) -> SegmentSpeech {
    func map(_ range: TimeRange) -> TimeRange {
      TimeRange(start: old.map(range.start, to: new), end: old.map(range.end, to: new))
    }
    var stretched = self
    stretched.heard = heard.map(map)
    for index in redactions.indices {
      stretched.redactions[index].range = map(redactions[index].range)
    }
    return stretched
  }
}

extension Optional<SegmentSpeech> {
  /// That of a segment and of the next one, `length` later, as one; nil where they are no parts of one.
  func joined(with next: SegmentSpeech?, after length: Time) -> SegmentSpeech?? {
    guard var next = next ?? self.map({ _ in SegmentSpeech() }) else { return .some(nil) }
    let first = self ?? SegmentSpeech()
    next = next.rest(after: -length)
    guard first.ofContent == next.ofContent, first.heard == next.heard,
      first.insertion == next.insertion
    else { return nil }
    var joined = first
    joined.redactions += next.redactions.filter { !first.redactions.contains($0) }
    return joined
  }
}

extension TimeRange {
  /// The same range, later by `offset`.
  package func moved(by offset: Time) -> TimeRange {
    TimeRange(start: start + offset, duration: duration)
  }
}

extension Cue {
  /// The same cue, later by `offset`.
  package func moved(by offset: Time) -> Cue {
    guard offset != .zero else { return self }
    var moved = self
    moved.range = range.moved(by: offset)
    for index in words.indices {
      moved.words[index].range = words[index].range?.moved(by: offset)
    }
    moved.markup = markup?.mappingMoments { $0 + offset }
    return moved
  }
}

extension Segment.Content {
  /// All of its time.
  package var extent: TimeRange {
    switch self {
    case .silence: TimeRange(start: .zero, duration: Composition.longestDuration)
    case .asset(let asset): TimeRange(start: .zero, duration: asset.duration)
    case .composition(let inner): TimeRange(start: .zero, duration: inner.duration)
    }
  }
}
