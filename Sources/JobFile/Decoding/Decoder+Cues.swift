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

  /// The source's name.
  let source: String
  private let cues: [Cue]
  /// What the transcript's key says of all cues.
  private let offset: Time
  private let speaker: String?
  private let index: Int

  /// Cue number `index`, from 0, of those of `source`.
  fileprivate init(_ index: Int, among cues: [Cue], of source: String, _ key: ItemTranscript) {
    (self.index, self.cues, self.source) = (index, cues, source)
    (offset, speaker) = (key.offset, key.speaker)
  }

  /// From 1.
  var number: Int { index + 1 }

  /// The source with the cue's range.
  var clip: String {
    let range = cues[index].range
    return "\(source) \(range.start + offset)..\(range.end + offset)"
  }

  func value(of name: String) -> String? {
    switch name {
    case "cue.clip": return clip
    case "cue.text": return cues[index].text.onOneLine
    case "cue.speaker": return (cues[index].speaker ?? speaker)?.onOneLine
    case "cue.n": return String(number)
    case "cue.count": return String(cues.count)
    default: return nil
    }
  }
}

extension YAMLNode {
  /// Whether the value may differ between the cues of a source.
  var dependsOnCue: Bool { variables.contains { $0.hasPrefix("cue.") } }
}

extension Decoder {
  /// The scopes in which an item repeats: one for each cue of the source that `of` names.
  func cues(of fields: Fields, _ each: YAMLEntry, _ scope: Scope) -> [Scope] {
    guard let (name, key) = spokenSource(of: fields, each, scope),
      case .read(let transcript) = key.source
    else {
      // The item's own errors are reported all the same, and not that it knows no cue.
      var unbound = scope
      unbound.bindsUnknownNames = true
      return [unbound]
    }
    // What has no length is no clip, and what begins before the file is not in it.
    let cues = transcript.cues.filter {
      $0.range.duration > .zero && $0.range.start + key.offset >= .zero
    }
    let leftOut = transcript.cues.count - cues.count
    if leftOut > 0, notedCues.insert(each.keyOrigin).inserted {
      let subject = leftOut == 1 ? "1 cue has" : "\(leftOut) cues have"
      sink.add(
        Diagnostic(
          .note, "\(subject) no length in '\(name)', or a start before it, and are left out",
          at: each.keyOrigin))
    }
    if cues.isEmpty {
      sink.error(
        "the transcript of '\(name)' has no cues", at: each.keyOrigin,
        help: "name a source in which something is said")
    }
    return cues.indices.map { index in
      var scope = scope
      scope.cue = CueBinding(index, among: cues, of: name, key)
      return scope
    }
  }

  /// The source of `of`, and its words, whose times count in its file; nil after a report.
  private func spokenSource(
    of fields: Fields, _ each: YAMLEntry, _ scope: Scope
  ) -> (name: String, transcript: ItemTranscript)? {
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
    guard case .read = written.value.source else {
      sink.error(
        "the cues of '\(name)' are in its own file, which is opened after the job file is read",
        at: entry.value.origin, help: "name a file of them, as 'transcript: reader.vtt'",
        notes: [.init("they are kept here", at: written.origin)])
      return nil
    }
    guard written.value.clock == .source || item.range == nil else {
      sink.error(
        "the cues of '\(name)' count in a part of its file, and clips count in the file",
        at: entry.value.origin, help: "leave out 'clock: item', or the source's range",
        notes: [.init("their clock is given here", at: written.origin)])
      return nil
    }
    return (name, written.value)
  }
}
