import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import Transcripts
import YAML

/// A text that holds a transcript, and how it is read.
struct TranscriptFile: Sendable, Hashable {
  var place: MediaLocation
  /// Whether its texts begin with the speaker's name and a colon.
  var hasSpeakerPrefix = false
  /// nil: it shows.
  var encoding: TextEncoding?
}

/// Words, and whether messages may quote them.
struct QuotableTranscript: Sendable {
  var transcript: Transcript
  var isQuoted: Bool
}

// MARK: - Transcripts that are read

extension Decoder {
  /// The words in a text, and whether messages may quote them; nil, after a report, if they cannot be
  /// read. A text is read once.
  func transcript(_ file: Located<TranscriptFile>) -> QuotableTranscript? {
    if let path = file.value.place.file {
      if InputBinding.isUnknown(path) { return nil }
      texts.insert(path)
      if transcriptOrigins[path] == nil { transcriptOrigins[path] = file.origin }
    }
    if let known = transcripts[file.value] { return known }
    let transcript = read(file.value, named: file.origin)
    transcripts[file.value] = .some(transcript)
    if transcript == nil { refusedTranscript = true }
    return transcript
  }

  private func read(_ file: TranscriptFile, named origin: Origin) -> QuotableTranscript? {
    let place = Located(file.place, at: origin)
    guard let text = bytes(of: place, limit: Transcript.sizeLimit, as: .transcript) else {
      return nil
    }
    let result = Transcript.read(
      text.bytes, path: text.name, named: origin, speakerPrefix: file.hasSpeakerPrefix,
      encoding: file.encoding, isQuoted: text.isQuoted, in: map)
    sink.add(result.sink)
    guard result.sink.diagnostics.errors.isEmpty else { return nil }
    return QuotableTranscript(transcript: result.transcript, isQuoted: text.isQuoted)
  }
}

// MARK: - Where words go

extension Decoder {
  /// The places in an output's `transcript`; none without any.
  func transcriptPlaces(
    _ entry: YAMLEntry?, of output: Output, _ scope: Scope
  ) -> TranscriptPlaces {
    guard let entry, let written = Values.transcriptPlaces.read(entry.value, self, scope) else {
      return .none
    }
    var places = TranscriptPlaces()
    for word in written.words {
      if let format = TranscriptFormat(rawValue: word.value) {
        places.sidecars.append(format)
      } else if word.value == "file" {
        places.inFile = true
        requirePlace("captions", \.holdsCaptions, of: output, at: word.origin)
      } else if word.value == "lyrics" {
        places.lyrics = true
        requirePlace("lyrics", \.holdsLyrics, of: output, at: word.origin)
      } else {
        refusePlace(word, of: "words", among: Values.transcriptPlaceNames)
      }
    }
    places.lines = layout(written, in: places)
    places.wordSegments = hasWordSegments(written, in: places)
    return places
  }

  private func hasWordSegments(_ written: Values.WrittenPlaces, in places: TranscriptPlaces) -> Bool
  {
    guard let segments = written.segments, !places.isEmpty else { return false }
    if !places.sidecars.contains(.podcasting2) {
      sink.error(
        "the JSON of Podcasting 2.0 has segments, and these places have none", at: segments.origin,
        help: "add 'podcasting2', or leave it out")
    }
    return segments.value
  }

  private func requirePlace(
    _ what: String, _ isHeld: KeyPath<OutputCapabilities, Bool>, of output: Output,
    at origin: Origin
  ) {
    guard let kind = output.kind else {
      return sink.error(
        "\(what) in the file, where the format is the clip's", at: origin,
        help: "name the format, as 'aac: 128k', or write 'vtt' or 'srt' for a file beside it")
    }
    let held = output.capabilities(as: kind)
    guard !held[keyPath: isHeld] else { return }
    let own =
      held.holdsCaptions
      ? "'file' for a track of captions in it, or "
      : held.holdsLyrics ? "'lyrics' for those in its tag, or " : nil
    sink.error(
      "\(held.name) holds no \(what)", at: origin,
      help: "write \(own ?? "")'vtt' or 'srt' for a file beside it"
        + (own == nil ? "; M4A, M4B, MP4 and MOV hold captions, and MP3 lyrics" : ""))
  }

  /// How lines are broken anew, if they are.
  private func layout(_ written: Values.WrittenPlaces, in places: TranscriptPlaces) -> LineLayout? {
    let numbers = [written.width, written.lines, written.readingSpeed].compactMap(\.self)
    guard let first = numbers.first, !places.isEmpty else { return nil }
    let isCaptioned =
      places.inFile || places.sidecars.contains(.vtt) || places.sidecars.contains(.srt)
    guard isCaptioned else {
      sink.error(
        "lines are broken in captions, and these places hold none", at: first.origin,
        help: "add 'vtt', 'srt' or 'file', or leave it out")
      return nil
    }
    var layout = LineLayout()
    if let width = written.width?.value { layout.width = width }
    if let lines = written.lines?.value { layout.lines = lines }
    layout.readingSpeed = written.readingSpeed.map { Double($0.value) }
    return layout
  }

  /// The words of a list of places, each once.
  func placeWords(_ node: YAMLNode, _ scope: Scope) -> [Located<String>] {
    var seen: Set<String> = []
    return node.elements.compactMap { node in
      guard let word = text(node, scope)?.string else { return nil }
      guard seen.insert(word).inserted else {
        sink.error("'\(word)' twice", at: node.origin, help: "leave one of them out")
        return nil
      }
      return Located(word, at: node.origin)
    }
  }

  /// Refuses a word that is none of the places of an output's `subject`.
  func refusePlace(_ word: Located<String>, of subject: String, among words: [String]) {
    sink.error(
      "'\(word.value)' is no place for \(subject)", at: word.origin,
      help: Spelling.help(for: word.value, among: words)
        ?? "write \(words.map { "'\($0)'" }.listed("or")), or [] for none")
  }
}
