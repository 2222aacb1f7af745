import Diagnosis
import MediaComposition
import MediaTime
import Transcripts

/// What manifests say of a job's files.
extension Job {
  /// What is said in each of `exports`, as the job's manifests have it.
  ///
  /// - Parameters:
  ///   - exports: Of the whole, or of `parts`.
  ///   - parts: In the same order; empty where the job is not split.
  /// - Returns: For each export an utterance for each manifest; nothing where there is none.
  /// - Throws: Where a manifest would have no text, and where a part has no value for one.
  /// - Complexity: O(exports · manifests + cues)
  func utterances(
    of exports: [Export], _ parts: [Part] = []
  ) throws(Diagnostics) -> [[Utterance]] {
    guard let manifests, !manifests.isEmpty else { return [] }
    var found = Diagnostics()
    for manifest in manifests
    where manifest.text == nil && exports.allSatisfy({ $0.transcript == nil }) {
      found.append(
        Diagnostic(
          "'\(name)' has no transcript, from which '\(manifest.manifest.path)' would take its texts",
          at: manifest.manifest.origin,
          help: "give the clip one, as 'transcript: talk.json', or the manifest a 'text'"))
    }
    guard found.isEmpty else { throw found }
    let utterances = exports.enumerated().map { index, export in
      let part = parts.isEmpty ? nil : parts[index]
      let said = export.utterance(of: part)
      return manifests.map { manifest in
        func value(_ own: Located<String>?, _ usual: String?) -> String? {
          own.map { filled($0, for: part, into: &found) } ?? usual
        }
        return Utterance(
          value(manifest.text, said.text) ?? "", speaker: value(manifest.speaker, said.speaker),
          language: value(manifest.language, said.language))
      }
    }
    guard found.isEmpty else { throw found }
    return utterances
  }

  /// A text for a part; the text itself where the job is not split.
  private func filled(
    _ text: Located<String>, for part: Part?, into found: inout Diagnostics
  ) -> String {
    guard let part else { return text.value }
    do throws(PartTemplate.Failure) {
      return try PartTemplate.text(text.value, for: part)
    } catch {
      report(error, at: text.origin, in: &found)
      return ""
    }
  }
}

extension Export {
  /// What is said in it: the text of its cue, where it is one, or all that its transcript has there; the
  /// speaker, if it is one alone.
  fileprivate func utterance(of part: Part?) -> Utterance {
    if let text = part?.text {
      return Utterance(text, speaker: part?.speaker, language: transcript?.language)
    }
    let rate = sampleRate ?? 48_000
    let range = timeRange ?? TimeRange(start: .zero, duration: composition.duration)
    let frames = range.start.frames(atRate: rate)..<range.end.frames(atRate: rate)
    let heard = transcript(in: frames, rate: rate)
    let speakers = Set(heard.cues.map(\.speaker))
    return Utterance(
      SpokenText.joined(heard.cues.map(\.text)),
      speaker: speakers.count == 1 ? speakers.first ?? nil : nil, language: heard.language)
  }
}
