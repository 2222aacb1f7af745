import MediaTime
import Transcripts

extension Composition {
  /// What is said in it, in its own time: the words of its segments of sound and of what is nested in
  /// them.
  ///
  /// It follows every edit: what a range leaves out is gone, what is played faster comes earlier, and
  /// the parts of a cue that a cut has joined are one cue. A part of a cue keeps the words of which it has
  /// the middle; where words have no times, the text stays where at least half of it is said, on the
  /// longest part. What is played backwards or silenced is gone. A cue without a speaker has the name of
  /// its track. O(log n) for each segment and each cue that is heard, and O(n log n) for the cues of each
  /// transcript.
  public var transcript: Transcript {
    var walk = TranscriptWalk(TimeRange(start: .zero, duration: duration))
    walk.visit(self)
    return walk.transcript
  }
}

extension Export {
  /// What is said in the written part, in its own time: `transcript`, and the words of segments.
  ///
  /// - Parameters:
  ///   - frames: Those that are written; no cue goes on after the last of them.
  ///   - rate: Frames a second.
  /// - Returns: The cues, in order of time.
  /// - Complexity: As of `Composition.transcript`, for what is in the part.
  package func transcript(in frames: Range<Int64>, rate: Int) -> Transcript {
    guard mix.gain != .silence else { return Transcript() }
    let written = Time(frames: Int64(frames.count), rate: rate)
    let part = timeRange ?? TimeRange(start: .zero, duration: composition.duration)
    var walk = TranscriptWalk(
      TimeRange(start: part.start, duration: min(part.duration, written)))
    if let transcript { walk.visit(transcript) }
    walk.visit(composition)
    return walk.transcript
  }
}

/// One walk over a composition, which collects the parts of cues that are heard and when that is.
///
/// It goes from the outside to the inside with the range that is still heard, so it meets nothing of
/// what an edit has left out.
struct TranscriptWalk {
  /// What is heard of a timeline, in its time, and when it is heard in the result.
  struct Window {
    var start: Time
    var end: Time
    /// Of `start`; after that of `end` where it is played backwards.
    var heardStart: Time
    var heardEnd: Time

    var isReversed: Bool { heardEnd < heardStart }
  }

  /// From the time of a segment's content to that of its track.
  fileprivate struct Step {
    var source: TimeRange
    var target: TimeRange
    var isReversed: Bool

    func inner(_ time: Time) -> Time {
      let mapped = target.map(time, to: source)
      return isReversed ? source.start + (source.end - mapped) : mapped
    }

    /// Redactions of the track in the time of the content, in order; nil: none.
    func inner(_ redactions: [SegmentSpeech.Redaction]) -> [SegmentSpeech.Redaction]? {
      guard !redactions.isEmpty else { return nil }
      let mapped = redactions.map { redaction in
        let ends = (inner(redaction.range.start), inner(redaction.range.end))
        return SegmentSpeech.Redaction(
          TimeRange(start: min(ends.0, ends.1), end: max(ends.0, ends.1)), text: redaction.text)
      }
      return isReversed ? mapped.reversed() : mapped
    }

    func outer(_ time: Time) -> Time {
      source.map(isReversed ? source.start + (source.end - time) : time, to: target)
    }
  }

  /// A segment with words of its own.
  struct Visit {
    let index: CueIndex
    let speech: SegmentSpeech
    /// The name of the track around it.
    let trackName: String?
    let window: Window
    /// Where its transcript counts.
    let extent: TimeRange
    /// Outwards.
    private let steps: [Step]
    /// Lists in order, without overlaps.
    let redactions: [[SegmentSpeech.Redaction]]

    fileprivate init(
      _ index: CueIndex, _ speech: SegmentSpeech, extent: TimeRange, _ around: Around
    ) {
      self.index = index
      self.speech = speech
      self.extent = extent
      trackName = around.trackName
      window = around.window
      steps = around.steps
      redactions = around.redactions
    }

    /// When a moment of the content is heard; of one outside the window the nearest edge.
    func heard(_ time: Time) -> Time {
      if time <= window.start { return window.heardStart }
      if time >= window.end { return window.heardEnd }
      return steps.reversed().reduce(time) { $1.outer($0) }
    }
  }

  /// What is known on the way inwards.
  fileprivate struct Around {
    var window: Window
    var steps: [Step] = []
    var redactions: [[SegmentSpeech.Redaction]] = []
    var voice = 0
    var trackName: String?
  }

  /// The tracks that play one sequence: items of one that cross-fade are on tracks of one name, and what
  /// an edit makes of an item is on tracks without a name.
  private struct Voice: Hashable {
    var around: Int
    /// The name of a track, or else the number of an insertion.
    var name: String?
    var insertion: Int?
  }

  private let root: Around
  /// A transcript with its place in time.
  private struct Source: Hashable {
    var index: Int
    var offset: Time
  }

  private var voices: [Voice: Int] = [:]
  private var indices: [CueIndex] = []
  /// Of transcripts, by where their cues lie in memory.
  private var numbers: [Int: Int] = [:]
  /// The same by what they say: equal ones may share no memory.
  private var numbersOfEqual: [Transcript: Int] = [:]
  private var sources: [Source: Int] = [:]
  private var visits: [Visit] = []
  private var pieces: [CuePiece] = []

  /// A walk over what is heard in `range`; the result counts from its start.
  init(_ range: TimeRange) {
    let heard = TimeRange(start: .zero, duration: range.duration)
    root = Around(
      window: Window(
        start: range.start, end: range.end, heardStart: .zero, heardEnd: range.duration),
      steps: [Step(source: range, target: heard, isReversed: false)])
  }

  /// Adds what is said in a composition on the timeline.
  mutating func visit(_ composition: Composition) { visit(composition, root) }

  /// Adds what is said on the timeline itself.
  mutating func visit(_ transcript: Transcript) {
    var speech = SegmentSpeech()
    speech.transcript = transcript
    let last = transcript.cues.map(\.said.end).max() ?? .zero
    collect(transcript, speech, extent: TimeRange(start: .zero, end: max(last, .zero)), root)
  }

  /// What is said in all that was visited.
  var transcript: Transcript {
    var languages = Set(indices.map(\.transcript.language))
    let language = languages.count == 1 ? languages.removeFirst() : nil
    return Transcript(pieces.cues(of: visits), language: language)
  }

  private mutating func visit(_ composition: Composition, _ around: Around) {
    for track in composition.tracks where track.sounds && !track.isSilenced {
      var inside = around
      inside.trackName = track.name ?? around.trackName
      if let name = track.name {
        inside.voice = number(of: Voice(around: around.voice, name: name))
      }
      var index = track.index(endingAfter: around.window.start)
      while index < track.segments.count,
        track.segments[index].target.start < around.window.end
      {
        visit(track.segments[index], inside)
        index += 1
      }
    }
  }

  private mutating func number(of voice: Voice) -> Int {
    let number = voices[voice] ?? voices.count + 1
    voices[voice] = number
    return number
  }

  private mutating func visit(_ segment: Segment, _ around: Around) {
    let speech = segment.speech
    guard !segment.isEmpty, !segment.isSilenced, var inside = around.inside(segment) else { return }
    if let insertion = speech?.insertion {
      inside.voice = number(of: Voice(around: around.voice, insertion: insertion))
    }
    if let speech, let transcript = speech.transcript {
      if case .composition(let inner) = segment.content {
        // What is silent in the content is so in the words of the whole.
        inside.redactions.append(
          inner.redactions(from: inside.window.start, until: inside.window.end))
      }
      collect(transcript, speech, extent: speech.extent ?? segment.content.extent, inside)
    } else if case .composition(let inner) = segment.content {
      visit(inner, inside)
    }
  }

  private mutating func collect(
    _ transcript: Transcript, _ speech: SegmentSpeech, extent: TimeRange, _ around: Around
  ) {
    // Reversed words are no text.
    guard !around.window.isReversed, let (index, number) = index(transcript) else { return }
    let source = Source(index: number, offset: speech.offset)
    let sourceNumber = sources[source] ?? sources.count
    sources[source] = sourceNumber
    let visit = Visit(index, speech, extent: extent, around)
    let offset = speech.offset
    let start = max(around.window.start, extent.start)
    let end = min(around.window.end, extent.end)
    guard start < end else { return }
    index.forEachCue(from: start - offset, until: end - offset) { cue in
      let range = index.said[cue]
      let source = (start: max(start, range.start + offset), end: min(end, range.end + offset))
      pieces.append(
        CuePiece(
          visit: visits.count, voice: around.voice, source: sourceNumber, cue: cue,
          start: source.start, end: source.end, heardStart: visit.heard(source.start),
          heardEnd: visit.heard(source.end)))
    }
    visits.append(visit)
  }

  /// What finds the cues of a transcript, and its number; nil where there are none. Equal transcripts
  /// are one, also where they share no memory.
  private mutating func index(_ transcript: Transcript) -> (CueIndex, Int)? {
    let place = transcript.cues.withUnsafeBufferPointer {
      $0.baseAddress.map { Int(bitPattern: $0) }
    }
    guard let place, !transcript.cues.isEmpty else { return nil }
    if let number = numbers[place] { return (indices[number], number) }
    let number = numbersOfEqual[transcript] ?? indices.count
    if number == indices.count {
      indices.append(CueIndex(transcript))
      numbersOfEqual[transcript] = number
    }
    numbers[place] = number
    return (indices[number], number)
  }
}

extension TranscriptWalk.Around {
  /// The same within a segment; nil where nothing of it is heard.
  fileprivate func inside(_ segment: Segment) -> Self? {
    let target = segment.target
    var start = max(window.start, target.start)
    var end = min(window.end, target.end)
    if let heard = segment.speech?.heard {
      start = max(start, target.start + heard.start)
      end = min(end, target.start + heard.end)
    }
    guard !segment.source.isEmpty, start < end else { return nil }
    let step = TranscriptWalk.Step(
      source: segment.source, target: target, isReversed: segment.isReversed)
    // The same moment for what touches it on both sides, whatever is rounded.
    let heardStart = start == window.start ? window.heardStart : heard(start)
    let heardEnd = end == window.end ? window.heardEnd : heard(end)
    var inside = self
    inside.steps.append(step)
    // Also of what is not heard of the segment, where a word may go on into what is left; but not of what
    // stands beside it, which is another sound.
    let own = segment.speech?.redactions.map {
      SegmentSpeech.Redaction($0.range.moved(by: target.start), text: $0.text)
    }
    inside.redactions = (redactions.map { $0.within(target) } + [own ?? []])
      .compactMap(step.inner)
    let (innerStart, innerEnd) = (step.inner(start), step.inner(end))
    inside.window =
      segment.isReversed
      ? .init(start: innerEnd, end: innerStart, heardStart: heardEnd, heardEnd: heardStart)
      : .init(start: innerStart, end: innerEnd, heardStart: heardStart, heardEnd: heardEnd)
    return inside
  }

  /// When a moment of this timeline is heard.
  private func heard(_ time: Time) -> Time { steps.reversed().reduce(time) { $1.outer($0) } }
}
