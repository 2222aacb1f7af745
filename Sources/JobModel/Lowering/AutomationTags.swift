import Diagnosis
import MediaComposition
import MediaTime

/// Turns what automation reads into tags of a timeline whose length is known.
struct AutomationTags {
  private let automation: Automation
  private let timeline: Export
  private let rate: Int?
  private let end: Time
  private var lowering: Lowering
  /// What is between the silences at both ends, with what stays of them.
  private var sounding: TimeRange?

  /// - Parameters:
  ///   - automation: What it reads.
  ///   - timeline: The whole, with the formats of its outputs.
  ///   - rate: The rate for times in samples; nil where none is known.
  ///   - listen: As of `Job.exports`.
  init(
    _ automation: Automation, of timeline: Export, rate: Int?, _ listen: @escaping Job.Listen
  ) {
    (self.automation, self.timeline, self.rate) = (automation, timeline, rate)
    lowering = Lowering(assets: [:], sampleRate: rate, listen: listen)
    end = timeline.composition.duration
  }

  /// The tags.
  ///
  /// - Parameter own: The job's, which must not have the same names.
  /// - Returns: One for each mark.
  /// - Throws: What is wrong; nothing where the sound cannot be analysed now.
  mutating func tags(beside own: Metadata) throws(Diagnostics) -> Metadata {
    requirePlace()
    var tags = Metadata()
    var times: [(tag: String, time: Time, origin: Origin)] = []
    for (tag, place) in automation.places {
      guard let time = time(place, isEnd: tag != "liq_cue_in") else { continue }
      times.append((tag, time, place.origin))
      tags[tag] = Self.seconds(time)
    }
    requireOrder(times)
    let heard =
      (times.first { $0.tag == "liq_cue_out" }?.time ?? end)
      - (times.first { $0.tag == "liq_cue_in" }?.time ?? .zero)
    for (tag, fade) in [("liq_fade_in", automation.fadeIn), ("liq_fade_out", automation.fadeOut)] {
      guard let fade, let time = lowering.time(fade, rate: rate) else { continue }
      if time > heard {
        let lengths = lowering.lengths(time, heard)
        lowering.error(
          "a fade of \(lengths.a) in \(lengths.b) that are heard", at: fade.origin,
          help: "write a shorter one")
      }
      tags[tag] = Self.seconds(time)
    }
    if let gain = automation.amplify, !gain.value.decibels.isFinite {
      lowering.error(
        "with this gain it would be silent", at: gain.origin, help: "write a gain, as '-3 dB'")
    } else if let gain = automation.amplify {
      let hundredths = Int((gain.value.decibels * 100).rounded())
      let digits = (hundredths.magnitude % 100).digits(2)
      tags["liq_amplify"] =
        "\(hundredths < 0 ? "-" : "")\(hundredths.magnitude / 100).\(digits) dB"
    }
    for item in tags.items where own[item.key] != nil {
      lowering.error(
        "'automation' gives the tag '\(item.key)', which 'metadata' gives, too",
        at: automation.origin, help: "leave one of them out")
    }
    let isWhole = times.count == automation.places.count
    guard lowering.diagnostics.isEmpty, isWhole else { throw lowering.diagnostics }
    return tags
  }

  /// Refuses a job none of whose files has a place for the tags.
  private mutating func requirePlace() {
    let held = timeline.outputs.map { output in
      output.kind.map { output.capabilities(as: $0).holdsFreeTags } ?? true
    }
    guard !held.contains(true) else { return }
    let name = timeline.outputs.first.flatMap { output in
      output.kind.map { output.capabilities(as: $0).name }
    }
    lowering.error(
      "'automation' writes tags, and no output has a place for them: "
        + "\(name ?? "this format") has none that automation reads", at: automation.origin,
      help: "write MP3, M4A, FLAC, Ogg, Opus or AIFF")
  }

  /// A place's time; nil after a report, or where the sound cannot be analysed now.
  private mutating func time(_ place: Located<Automation.Place>, isEnd: Bool) -> Time? {
    let time: Time
    switch place.value {
    case .moment(let moment):
      let text = Located(moment.offset, at: place.origin)
      guard let offset = lowering.time(text, rate: rate) else { return nil }
      let anchor = moment.anchor == .end ? end : .zero
      time = moment.isEarlier ? anchor - offset : anchor + offset
    case .chapter(let title):
      guard let start = start(ofChapter: title, at: place.origin) else { return nil }
      time = start
    case .trim:
      guard let sounding = sounding(at: place.origin) else { return nil }
      time = isEnd ? sounding.end : sounding.start
    }
    guard time < .zero || time > end else { return time }
    lowering.error(
      "this moment is not in '\(timeline.name)', which lasts \(Lowering.text(end))",
      at: place.origin, help: "write a time from its start, or 'end-4s' for one before its end")
    return nil
  }

  private mutating func start(ofChapter title: String, at origin: Origin) -> Time? {
    let chapters = (timeline.chapters + timeline.composition.chapters).sortedByStart
    let found = chapters.filter { $0.title == title }
    guard found.count != 1 else { return found[0].start }
    let titles = chapters.prefix(10).map(\.title).quoted
    lowering.error(
      found.isEmpty
        ? "'\(timeline.name)' has no chapter '\(title)'"
        : "\(found.count) chapters are called '\(title)'", at: origin,
      help: found.isEmpty && !chapters.isEmpty ? "it has \(titles)" : "write a time, as 'end-4s'")
    return nil
  }

  /// What is between the silences at both ends; nil after a report, or where it cannot be found now.
  private mutating func sounding(at origin: Origin) -> TimeRange? {
    if let sounding { return sounding }
    guard let trim = automation.trim,
      let keep = lowering.time(Located(trim.keep, at: origin), rate: rate)
    else { return nil }
    let search = SilenceSearch(
      in: timeline.composition, mix: timeline.mix, below: trim.threshold)
    guard let found = lowering.silences(search, at: origin) else { return nil }
    guard let range = found.sounding(in: end) else {
      lowering.error(
        "all of '\(timeline.name)' is silent, so that no cue can be found", at: origin,
        help: "write a lower level after 'below', or a time")
      return nil
    }
    sounding = TimeRange(
      start: max(.zero, range.start - keep), end: min(end, range.end + keep))
    return sounding
  }

  private mutating func requireOrder(_ times: [(tag: String, time: Time, origin: Origin)]) {
    for (first, second) in zip(times, times.dropFirst())
    where first.time > second.time
      || first.time == second.time && first.tag == "liq_cue_in" && second.tag == "liq_cue_out"
    {
      lowering.error(
        "'\(second.tag)' at \(Lowering.text(second.time)) is not behind '\(first.tag)' at "
          + Lowering.text(first.time), at: second.origin,
        help: "'cue_in' comes first, then 'next', and 'cue_out' last")
    }
  }

  /// Seconds with three decimals.
  private static func seconds(_ time: Time) -> String {
    let milliseconds = time.frames(atRate: 1000)
    return "\(milliseconds / 1000)." + (milliseconds % 1000).digits(3)
  }
}
