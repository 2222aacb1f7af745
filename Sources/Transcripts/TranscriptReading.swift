import Diagnosis
import MediaTime
import SystemPackage
import Tagging

extension Transcript {
  /// The bytes of a file that is read: three hours with the parts of words of whisper.cpp take 20 MB.
  package static let sizeLimit = 64 << 20

  /// Reads a transcript of any known form; its form is recognised by its content, not by its name.
  ///
  /// WebVTT, SRT, the JSON of Podcasting 2.0 and of recognisers, tables as recognisers write them, and
  /// Audacity's labels.
  ///
  /// - Parameters:
  ///   - bytes: The file's.
  ///   - path: Its name in messages.
  ///   - named: Where a job names it.
  ///   - speakerPrefix: Whether `Ann: Hello.` is a line of Ann's.
  ///   - encoding: How it is coded; nil: as its byte-order mark says, else UTF-8, else Windows-1252
  ///     with a warning.
  ///   - isQuoted: Whether messages may quote it.
  ///   - map: Gets its text.
  /// - Returns: The transcript, and its messages; its cues mean nothing beside an error. An empty file, and
  ///   one of a known form without a cue, as recognisers write of silence, has a warning.
  /// - Complexity: O(n log n)
  package static func read(
    _ bytes: [UInt8], path: FilePath, named: Origin, speakerPrefix: Bool = false,
    encoding: TextEncoding? = nil, isQuoted: Bool = true, in map: SourceMap
  ) -> (transcript: Transcript, sink: DiagnosticSink) {
    guard bytes.count <= sizeLimit else {
      var sink = DiagnosticSink()
      sink.error(
        "'\(path)' has more than \(sizeLimit >> 20) MiB", at: named, help: "part the transcript")
      return (Transcript(), sink)
    }
    let coded = CodedText(bytes, encoding)
    var text = TranscriptText(
      coded.bytes, coded.text, path: path, named: named, isQuoted: isQuoted, in: map)
    coded.report(in: &text)
    guard !text.isRefused else { return (Transcript(), text.sink) }
    let transcript = read(&text, speakerPrefix: speakerPrefix)
    if transcript.cues.isEmpty, !text.isRefused {
      if text.hasFound(.orphan) {
        text.refuse("has no cue", help: "a transcript has times and texts")
      } else {
        // What a recogniser writes of silence.
        text.warn("has no cue", help: "check the file, unless nothing is said in the sound")
      }
    }
    text.reportFindings()
    return (transcript, text.sink)
  }

  private static func read(_ text: inout TranscriptText, speakerPrefix: Bool) -> Transcript {
    if VTTReader.reads(text) { return VTTReader.read(&text, speakerPrefix: speakerPrefix) }
    if RecognizerReader.reads(text) {
      return RecognizerReader.read(&text, speakerPrefix: speakerPrefix)
    }
    if LabelTranscript.reads(text) {
      return LabelTranscript.read(&text, speakerPrefix: speakerPrefix)
    }
    if let table = TableTranscript(text) { return table.read(&text, speakerPrefix: speakerPrefix) }
    if SRTReader.reads(text) { return SRTReader.read(&text, speakerPrefix: speakerPrefix) }
    let isEmpty = text.bytes.allSatisfy { $0.isBlank || $0 == .lineFeed || $0 == .carriageReturn }
    if !isEmpty { refuseUnknown(&text) }
    return Transcript()
  }

  /// Names what the file is instead.
  private static func refuseUnknown(_ text: inout TranscriptText) {
    let first = String(decoding: text.bytes.prefix(1000), as: UTF8.self).tidiedLines
    let others: KeyValuePairs = [
      "<!doctype html": "a page of HTML", "<html": "a page of HTML", "<?xml": "XML", "<tt": "TTML",
      "[script info]": "a script of SubStation Alpha", "{\\rtf": "a text of a word processor",
    ]
    for (start, name) in others where first.lowercased().hasPrefix(start) {
      text.refuse(
        "is \(name), and no transcript that can be read",
        help: name.hasSuffix("HTML")
          ? "name the address of the transcript itself" : "save it as WebVTT or SRT")
      return
    }
    text.refuse(
      "is no transcript of a form that is known",
      help: "name a file of WebVTT, SRT, JSON of Podcasting 2.0, Whisper, WhisperX or whisper.cpp, "
        + "a table with the columns start, end and text, or Audacity's labels")
  }
}

/// The bytes of a file as UTF-8.
private struct CodedText {
  var bytes: [UInt8]
  var text: String
  private var isGuessed = false
  private var fault: (message: String, help: String)?

  init(_ file: [UInt8], _ encoding: TextEncoding?) {
    if let encoding {
      text = encoding.text(file)
      bytes = Array(text.utf8)
    } else {
      let body = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...]
      // JSON is UTF-8, though half a character may stand in a part of a word.
      if RecognizerReader.begins(body) {
        bytes = Array(body)
        text = String(decoding: bytes, as: UTF8.self)
      } else {
        (text, isGuessed) = EightBitText.decoded(file: file)
        bytes = Array(text.utf8)
      }
    }
    // A mark that is written twice.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      text.unicodeScalars.removeFirst()
      bytes.removeFirst(3)
    }
    if bytes.contains(0), !bytes.starts(with: "WEBVTT".utf8) { fault = Self.fault(file) }
  }

  private static func fault(_ file: [UInt8]) -> (message: String, help: String) {
    let head = file.prefix(64)
    let odd = head.indices.count { $0 % 2 == 1 && head[$0] == 0 }
    let even = head.indices.count { $0 % 2 == 0 && head[$0] == 0 }
    guard max(odd, even) * 3 > head.count, min(odd, even) == 0 else {
      return ("is no text, and so no transcript", "name the transcript, and not the recording")
    }
    return (
      "is UTF-16 without a byte-order mark",
      "name its encoding: \((odd > even ? TextEncoding.utf16LittleEndian : .utf16BigEndian).rawValue)"
    )
  }

  func report(in text: inout TranscriptText) {
    if let (message, help) = fault {
      text.refuse(message, help: help)
      return
    }
    guard isGuessed, let odd = bytes.firstIndex(where: { $0 >= 0x80 }) else { return }
    var end = odd + 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    text.warn(
      "the transcript is not UTF-8 and is read as Windows-1252, the Latin-1 of old files",
      at: odd..<end, help: "save it as UTF-8 if letters come out wrong")
  }
}
