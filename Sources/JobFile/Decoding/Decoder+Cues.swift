import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import Transcripts
import YAML

/// The cue of a source's transcript for which an item repeats.
struct CueBinding {
  static let names = ["cue.clip", "cue.text", "cue.speaker", "cue.n", "cue.count"]

  /// Whether a variable has words of the transcript, which messages may not quote.
  static func isWord(_ name: String) -> Bool { name == "cue.text" || name == "cue.speaker" }

  /// A key that takes words away, which the text of a cue still has.
  struct Removal {
    /// `mute`, `cut` or `keep`.
    let key: String
    let origin: Origin

    private static let keys: Set = ["cut", "keep", "mute"]

    /// The first one of an item with these keys.
    init?(of entries: [YAMLEntry]) {
      let first = entries.first { Self.keys.contains($0.key) && !$0.value.isFalse }
      guard let first else { return nil }
      (key, origin) = (first.key, first.keyOrigin)
    }

    /// The first one of an item with these keys, or of what is below it.
    init?(in entries: [YAMLEntry]) {
      let found = Self(of: entries) ?? entries.lazy.compactMap { Self.below($0) }.first
      guard let found else { return nil }
      self = found
    }

    private static func below(_ entry: YAMLEntry) -> Removal? {
      // The keys of tracks are names.
      if entry.key == "tracks", case .mapping(let tracks) = entry.value.kind {
        return tracks.lazy.compactMap { first(in: $0.value) }.first
      }
      return first(in: entry.value)
    }

    private static func first(in node: YAMLNode) -> Removal? {
      switch node.kind {
      case .mapping(let entries): Removal(in: entries)
      case .sequence(let nodes): nodes.lazy.compactMap { first(in: $0) }.first
      case .scalar, .missing: nil
      }
    }
  }

  /// The source's name.
  let source: String
  /// What takes some of its words away; the text of the cue has no value then.
  let removal: Removal?
  private let cues: [Cue]
  /// What the transcript's key says of all cues.
  private let offset: Time
  private let speaker: String?
  private let window: SourceWindow
  private let index: Int

  /// Cue number `index`, from 0, of those of `source`.
  fileprivate init(
    _ index: Int, among cues: [Cue], of source: SpokenSource, without removal: Removal?
  ) {
    (self.index, self.cues, self.source) = (index, cues, source.name)
    (offset, speaker) = (source.transcript.offset, source.transcript.speaker)
    (window, self.removal) = (source.window, removal)
  }

  /// From 1.
  var number: Int { index + 1 }

  /// The source with the cue's range, as far as it is in that of the source.
  var clip: String {
    let range = cues[index].range
    let start = max(window.start, range.start + offset)
    let end = range.end + offset
    return "\(source) \(start)..\(window.end.map { min($0, end) } ?? end)"
  }

  func value(of name: String) -> String? {
    switch name {
    case "cue.clip": return clip
    case "cue.text": return removal == nil ? cues[index].text.onOneLine : nil
    case "cue.speaker": return (cues[index].speaker ?? speaker)?.onOneLine
    case "cue.n": return String(number)
    case "cue.count": return String(cues.count)
    default: return nil
    }
  }
}

/// A source whose cues an item is repeated for.
private struct SpokenSource {
  var name: String
  var transcript: ItemTranscript
  var window: SourceWindow
  var removal: CueBinding.Removal?
}

/// What a source has of its file.
private struct SourceWindow {
  var start = Time.zero
  /// nil: the end of the file.
  var end: Time?

  func contains(_ time: Time) -> Bool { start <= time && end.map { time < $0 } ?? true }
}

extension YAMLNode {
  /// Whether it is the word `false`.
  fileprivate var isFalse: Bool {
    if case .scalar(let scalar) = kind { scalar.text == "false" } else { false }
  }

  /// Whether the value may differ between the cues of a source.
  var dependsOnCue: Bool { variables.contains { $0.hasPrefix("cue.") } }
}

extension Decoder {
  /// The scopes in which an item repeats: one for each cue of the source that `of` names.
  func cues(of fields: Fields, _ each: YAMLEntry, _ scope: Scope) -> [Scope] {
    guard let source = spokenSource(of: fields, each, scope),
      case .read(let transcript) = source.transcript.source
    else {
      // The item's own errors are reported all the same, and not that it knows no cue.
      var unbound = scope
      unbound.bindsUnknownNames = true
      return [unbound]
    }
    let name = source.name
    let heard = transcript.cues.filter { cue in
      let start = cue.range.start + source.transcript.offset
      let middle = start + cue.range.duration.multiplied(by: 1, over: 2)
      return source.window.contains(middle) || start < .zero
    }
    // What has no length is no clip, and what begins before the file is not in it.
    let cues = heard.filter {
      !$0.hasNoLength && $0.range.start + source.transcript.offset >= .zero
    }
    let leftOut = heard.count - cues.count
    if leftOut > 0, !cues.isEmpty, notedCues.insert(each.keyOrigin).inserted {
      let (subject, verb) = leftOut == 1 ? ("1 cue has", "is") : ("\(leftOut) cues have", "are")
      sink.add(
        Diagnostic(
          .note, "\(subject) no length in '\(name)', or a start before it, and \(verb) left out",
          at: each.keyOrigin))
    }
    if cues.isEmpty {
      reportNoCue(of: source, transcript, heard, at: each.keyOrigin)
    }
    let removal = source.removal ?? scope.removal ?? CueBinding.Removal(in: fields.entries)
    return cues.indices.map { index in
      var scope = scope
      scope.cue = CueBinding(index, among: cues, of: source, without: removal)
      return scope
    }
  }

  /// Reports why no cue is left: `heard` are those in the source's range.
  private func reportNoCue(
    of source: SpokenSource, _ transcript: Transcript, _ heard: [Cue], at origin: Origin
  ) {
    let name = source.name
    let (message, help) =
      if transcript.cues.isEmpty {
        ("the transcript of '\(name)' has no cues", "name a source in which something is said")
      } else if heard.isEmpty {
        ("no cue is in the range of '\(name)'", "name a source in which something is said")
      } else if heard.allSatisfy(\.hasNoLength) {
        ("no cue of '\(name)' has a length", "give the cues of the transcript ends")
      } else {
        (
          "no cue with a length starts in '\(name)'",
          "correct the 'offset' of the transcript, or its times"
        )
      }
    sink.error(message, at: origin, help: help)
  }

  /// The source of `of`, and its words, whose times count in its file; nil after a report.
  private func spokenSource(
    of fields: Fields, _ each: YAMLEntry, _ scope: Scope
  ) -> SpokenSource? {
    guard scope.cue == nil else {
      sink.error("'each: cue' within another one", at: each.keyOrigin, help: "leave it out")
      return nil
    }
    guard let entry = fields["of"] else {
      if !fields.refused.contains("of") {
        sink.error(
          "'each: cue' needs a source", at: each.keyOrigin,
          help: "name one that has a transcript, as 'of: reader'")
      }
      return nil
    }
    guard let name = text(entry.value, scope)?.string else { return nil }
    guard let source = sources[name] else {
      sink.error(
        "there is no source '\(name)'", at: entry.value.origin,
        help: Spelling.help(for: name, among: shownSources)
          ?? "name it: 'sources: { \(name): { file: reader.flac, transcript: reader.vtt } }'")
      return nil
    }
    guard let item = self.source(source, scope) else { return nil }
    guard let written = item.transcript else {
      sink.error(
        "the source '\(name)' has no transcript", at: entry.value.origin,
        help: "give it one, as 'transcript: reader.vtt'")
      return nil
    }
    return spoken(Located(name, at: entry.value.origin), item, written, source)
  }

  /// The cues of a source, as far as items can be repeated for them; nil after a report.
  private func spoken(
    _ name: Located<String>, _ item: Item, _ written: Located<ItemTranscript>, _ entry: YAMLEntry
  ) -> SpokenSource? {
    guard case .read = written.value.source else {
      sink.error(
        "the cues of '\(name.value)' are in its own file, which is opened after the job file is read",
        at: name.origin, help: "name a file of them, as 'transcript: reader.vtt'",
        notes: [.init("they are kept here", at: written.origin)])
      return nil
    }
    guard written.value.clock == .source || item.range == nil else {
      sink.error(
        "the cues of '\(name.value)' count in a part of its file, and clips count in the file",
        at: name.origin, help: "leave out 'clock: item', or the source's range",
        notes: [.init("their clock is given here", at: written.origin)])
      return nil
    }
    let ranges = [
      ("cut", item.cuts, item.clocks[.cut]), ("mute", item.mutes, item.clocks[.mute]),
    ]
    for (key, written, clock) in ranges {
      guard let first = written.first, key == "cut" || clock != .source else { continue }
      sink.error(
        "the ranges of '\(key)' count in the source '\(name.value)', and its clips are single cues",
        at: name.origin,
        help: key == "cut"
          ? "name 'words' or 'cues' there, or two sources with 'from' and 'to'"
          : "add 'clock: source' to them, or name 'words' or 'cues'",
        notes: [.init("they are given here", at: first.origin)])
      return nil
    }
    guard let window = item.range.map(\.plainWindow) ?? SourceWindow() else {
      sink.error(
        "the range of '\(name.value)' is not known before its file is opened, and its cues are",
        at: name.origin, help: "write its edges as times from the start, as 'from: 2.5s'",
        notes: [.init("it is given here", at: item.range?.origin ?? written.origin)])
      return nil
    }
    var removal: CueBinding.Removal?
    if case .mapping(let entries) = entry.value.kind { removal = CueBinding.Removal(in: entries) }
    return SpokenSource(
      name: name.value, transcript: written.value, window: window, removal: removal)
  }
}

extension ItemRange {
  /// The range, if both of its edges are times from the start.
  fileprivate var plainWindow: SourceWindow? {
    guard let start = from.map(\.value.plainTime) ?? Time.zero else { return nil }
    switch end {
    case nil: return SourceWindow(start: start)
    case .moment(let moment):
      return moment.value.plainTime.map { SourceWindow(start: start, end: $0) }
    case .duration(let length):
      guard case .time(let time) = length.value else { return nil }
      return SourceWindow(start: start, end: start + time)
    }
  }
}

extension Moment {
  /// The time from the start that it is; nil: another anchor, or a number of samples.
  fileprivate var plainTime: Time? {
    if case (.start, .time(let time)) = (anchor, offset), !isEarlier { time } else { nil }
  }
}
