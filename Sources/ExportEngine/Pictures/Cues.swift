import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// A text, and when it is shown.
struct Cue: Hashable {
  var start: Time
  var end: Time
  /// As `CueTrack.Sample.bytes`, of ASS without its first field.
  var sample: [UInt8]
  /// As `CueTrack.Sample.settings`.
  var settings: [UInt8] = []
  /// As `CueTrack.Sample.identifier`.
  var identifier: [UInt8] = []
  /// Whether times may stand in the text, as WebVTT has them: here they count from `start`.
  var hasInnerTimes = false
  /// The first field of ASS (`ReadOrder`): what is shown at once is drawn in this order.
  var order = 0

  /// Twice as many as a text of 100 hours has: so many of a source, and of an output's track, are held.
  static let most = 400_000

  /// What of a source's cues is shown in parts of it; nil: more than `most`.
  static func parts(of cues: [Cue], in spans: [PictureRange], atMost most: Int = most) -> [Cue]? {
    let cues = cues.sorted { $0.start < $1.start }
    // When all up to one have ended.
    var ends: [Time] = []
    for cue in cues { ends.append(max(ends.last ?? cue.end, cue.end)) }
    var parts: [Cue] = []
    for span in spans {
      let first = span.from.map { from in ends.partitioningIndex { $0 > from } } ?? 0
      for cue in cues[first...] {
        if let to = span.to, cue.start >= to { break }
        guard let part = cue.part(in: span) else { continue }
        guard parts.count < most else { return nil }
        parts.append(part)
      }
    }
    return parts
  }

  /// What of it is shown in a part of its source, at the output's times; nil: nothing.
  func part(in span: PictureRange) -> Cue? {
    let start = span.from.map { max($0, self.start) } ?? self.start
    let end = span.to.map { min($0, self.end) } ?? self.end
    guard start < end else { return nil }
    var part = self
    (part.start, part.end) = (max(.zero, span.place(start)), span.place(end))
    guard part.start < part.end else { return nil }
    if hasInnerTimes {
      part.sample = InnerTimes.placed(sample) { milliseconds in
        let moment = self.start + Time(value: milliseconds, timescale: 1000)
        guard moment > start, moment < end else { return nil }
        return (span.place(moment) - part.start).frames(atRate: 1000)
      }
    }
    return part
  }

  /// When it is shown, in ticks of which so many are a second.
  fileprivate func ticks(_ timescale: Int32) -> Range<Int64> {
    func tick(_ time: Time) -> Int64 { max(0, time.frames(atRate: Int(timescale))) }
    return tick(start)..<max(tick(start), tick(end))
  }
}

extension CueTrack.Sample {
  /// Samples of cues in any order, as a container has them in which texts may overlap: one for each, in
  /// order of their starts.
  static func each(of cues: [Cue], as form: TextForm, timescale: Int32) -> [CueTrack.Sample] {
    // Players leave out a text of ASS whose number they have met: each part of a cue has one of its own.
    let numbers = cues.indices.sorted { (cues[$0].order, $0) < (cues[$1].order, $1) }
    var samples = numbers.enumerated().map { number, index in
      let cue = cues[index]
      let text =
        cue.hasInnerTimes
        ? InnerTimes.moved(cue.sample, by: cue.start.frames(atRate: 1000)) : cue.sample
      var sample = CueTrack.Sample(
        ticks: cue.ticks(timescale), bytes: (form == .ass ? Array("\(number),".utf8) : []) + text)
      (sample.settings, sample.identifier) = (cue.settings, cue.identifier)
      return sample
    }
    samples.removeAll(where: \.ticks.isEmpty)
    return samples.enumerated().sorted {
      ($0.element.ticks.lowerBound, $0.offset) < ($1.element.ticks.lowerBound, $1.offset)
    }.map(\.element)
  }
}

/// Samples one after the other from 0 on, with empty ones where no cue is shown, for a container in which
/// texts may not overlap: cues that do are shown below each other meanwhile. Memory is that of the cues:
/// each sample is made when it is asked for.
struct CueSamples: Sequence, IteratorProtocol {
  /// Cues that are not shown yet, in order of their starts.
  private var coming: ArraySlice<CueTrack.Sample>
  private var shown: [(end: Int64, sample: [UInt8])] = []
  private var place: Int64 = 0
  private let last: Int64
  /// What the samples up to now do not have.
  private(set) var omissions = Omissions()

  /// Texts that samples do not have.
  struct Omissions: Hashable {
    /// Texts that would be shown beside too many others.
    var leftOut = 0
    /// Samples of several texts that lack their end.
    var cutShort = 0
  }

  /// Texts at once of which more are left out: what is written for effects, not to be read.
  static let mostAtOnce = 32

  /// Samples of cues in any order; the last one lasts to a tick at least.
  init(of cues: [Cue], timescale: Int32, until last: Int64 = 0) {
    self.last = last
    coming = CueTrack.Sample.each(of: cues, as: .timedText, timescale: timescale)[...]
  }

  mutating func next() -> CueTrack.Sample? {
    while let cue = coming.first, cue.ticks.lowerBound <= place {
      _ = coming.popFirst()
      show(cue)
    }
    // Up to where another one begins, or one that is shown ends.
    let moments = [coming.first?.ticks.lowerBound].compactMap(\.self) + shown.map(\.end)
    guard let end = moments.min() ?? (place < last ? last : nil) else { return nil }
    let joined = TimedText.joined(shown.map(\.sample))
    if joined.isCutShort { omissions.cutShort += 1 }
    let sample = CueTrack.Sample(ticks: place..<end, bytes: joined.bytes)
    place = end
    shown.removeAll { $0.end <= end }
    return sample
  }

  private mutating func show(_ cue: CueTrack.Sample) {
    guard
      !shown.contains(where: { $0.sample == cue.bytes && $0.end == cue.ticks.upperBound })
    else { return }
    guard shown.count < Self.mostAtOnce else {
      omissions.leftOut += 1
      return
    }
    shown.append((cue.ticks.upperBound, cue.bytes))
  }
}

extension CueSamples {
  /// What all of its samples together do not have, in words; `name` is what texts are called, and `names`
  /// several of them. O(samples)
  func omissionTexts(_ name: String, _ names: String) -> [String] {
    var rest = self
    while rest.next() != nil {}
    var texts: [String] = []
    let (leftOut, cutShort) = (rest.omissions.leftOut, rest.omissions.cutShort)
    if leftOut > 0 {
      texts.append(
        "\(leftOut == 1 ? "1 \(name) begins" : "\(leftOut) \(names) begin") beside "
          + "\(Self.mostAtOnce) others: left out")
    }
    if cutShort > 0 {
      texts.append(
        "\(names) that are shown at once have more than \(UInt16.max) bytes "
          + (cutShort == 1 ? "at one time" : "at \(cutShort) times") + ": their ends are left out")
    }
    return texts
  }
}
