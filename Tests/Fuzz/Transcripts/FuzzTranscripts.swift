import Diagnosis
import FuzzDriver
import MediaTime
import SystemPackage

@testable import Transcripts

/// Any bytes are a transcript, or are refused in words.
@main
enum FuzzTranscripts {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(file)
  for hasPrefixes in [false, true] {
    guard let transcript = read(bytes, speakerPrefix: hasPrefixes) else { continue }
    check(transcript)
    // What lasts beyond the latest time is refused when it is read again.
    guard transcript.cues.allSatisfy({ $0.range.end < CaptionTime.limit }) else { continue }
    checkWriters(transcript)
  }
  _ = read(bytes, encoding: .utf16BigEndian)
  let text = String(decoding: bytes, as: UTF8.self)
  let folded = SpokenText.folded(text)
  precondition(SpokenText.folded(folded) == folded)
  return 0
}

private func read(
  _ bytes: [UInt8], speakerPrefix: Bool = false, encoding: TextEncoding? = nil
) -> Transcript? {
  let map = SourceMap()
  let (transcript, sink) = Transcript.read(
    bytes, path: "a.vtt", named: .unknown, speakerPrefix: speakerPrefix, encoding: encoding, in: map
  )
  precondition(sink.diagnostics.render(in: map).isEmpty == sink.diagnostics.isEmpty)
  return sink.diagnostics.errors.isEmpty ? transcript : nil
}

private func check(_ transcript: Transcript) {
  for cue in transcript.cues {
    precondition(cue.range.start >= .zero && cue.range.duration > .zero && cue.range.isValid)
    precondition(!cue.text.isEmpty && cue.text == cue.text.tidiedLines)
    for word in cue.words {
      precondition(!word.text.isEmpty && word.range.map { $0.isValid } != false)
    }
  }
  for index in transcript.cues.indices.prefix(20) {
    precondition(transcript.cues(in: transcript.cues[index].range).contains(index))
  }
}

/// What is written is read, with the same texts; and written again it is the same.
private func checkWriters(_ transcript: Transcript) {
  for format in [TranscriptFormat.vtt, .podcasting2] {
    let written = transcript.bytes(as: format)
    guard let again = read(written) else { preconditionFailure("\(format)") }
    precondition(again.cues.map(\.text) == transcript.cues.map(\.text))
    precondition(again.bytes(as: format) == written)
  }
  let layout = LineLayout(width: 10, lines: 2, readingSpeed: 15)
  let parts = layout.layOut(transcript.cues)
  precondition(parts.allSatisfy { $0.range.isValid })
  precondition(
    parts.map(\.words.count).reduce(0, +) <= transcript.cues.map(\.words.count).reduce(0, +))
  _ = transcript.bytes(as: .srt, lines: layout)
  _ = transcript.bytes(as: .txt)
}
