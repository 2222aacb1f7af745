import SystemPackage
import TestSupport
import Testing

@testable import Transcripts

/// What the letters of a file are, and files that are something else.
@Suite struct EncodingTests {
  private let text = "1\n00:00:01,000 --> 00:00:02,000\nNoël\n"

  private func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? bytes : bytes.reversed()
    }
  }

  @Test("UTF-16 is read by its mark, or if it is named", arguments: [false, true])
  func utf16(isBig: Bool) {
    let bytes = utf16(text, isBig: isBig)
    let marked = (isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]) + bytes
    #expect(TranscriptBench.read(marked).transcript.cues.map(\.text) == ["Noël"])
    let encoding = isBig ? TextEncoding.utf16BigEndian : .utf16LittleEndian
    #expect(
      TranscriptBench.read(bytes, encoding: encoding).transcript.cues.map(\.text) == ["Noël"])
    #expect(
      TranscriptBench.read(bytes).messages == [
        "error: 'talk' is UTF-16 without a byte-order mark; name its encoding: \(encoding.rawValue)"
      ])
  }

  @Test("What is no UTF-8 is Windows-1252, with a warning unless that is said")
  func windows1252() {
    let bytes = Array(text.utf8).replacing(Array("ë".utf8), with: [0xEB])
    let (transcript, messages) = TranscriptBench.read(bytes)
    #expect(transcript.cues.map(\.text) == ["Noël"])
    #expect(
      messages == [
        "3:3: warning: the transcript is not UTF-8 and is read as Windows-1252, the Latin-1 of old "
          + "files; save it as UTF-8 if letters come out wrong"
      ])
    let named = TranscriptBench.read(bytes, encoding: .windows1252)
    #expect(named.transcript.cues.map(\.text) == ["Noël"] && named.messages == [])
  }

  @Test(
    "Files that are something else are refused by its name",
    arguments: [
      (
        "<!DOCTYPE html>\n<html>",
        "error: 'talk' is a page of HTML, and no transcript that can be read; "
          + "name the address of the transcript itself"
      ),
      (
        "<?xml version='1.0'?><tt/>",
        "error: 'talk' is XML, and no transcript that can be read; save it as WebVTT or SRT"
      ),
      (
        "[Script Info]\nTitle: x\n",
        "error: 'talk' is a script of SubStation Alpha, and no transcript that can be read; "
          + "save it as WebVTT or SRT"
      ),
      (
        "RIFF\0\0\0\0WAVEfmt ",
        "error: 'talk' is no text, and so no transcript; name the transcript, and not the recording"
      ),
      (
        "Just a text.\n",
        "error: 'talk' is no transcript of a form that is known; name a file of WebVTT, SRT, JSON of "
          + "Podcasting 2.0, Whisper, WhisperX or whisper.cpp, a table with the columns start, end "
          + "and text, or Audacity's labels"
      ),
    ])
  func otherFiles(text: String, message: String) {
    #expect(TranscriptBench.messages(text) == [message])
  }

  @Test("More than 64 MiB, and more than a hundred thousand cues, are refused")
  func limits() {
    let large = [UInt8](repeating: 0x20, count: Transcript.sizeLimit + 1)
    #expect(
      TranscriptBench.read(large).messages == [
        "error: 'talk' has more than 64 MiB; part the transcript"
      ])
    let many = "start\tend\ttext\n" + String(repeating: "1\t2\tx\n", count: 100_001)
    #expect(
      TranscriptBench.messages(many) == [
        "100002:1: error: more than 100,000 cues; part the transcript"
      ])
  }

  @Test("A library reads a file, and a failure names it and the line")
  func library() throws {
    let folder = TestFolder()
    let path = folder.path("talk.srt")
    try writeFile(path, Array(text.utf8))
    #expect(try Transcript(contentsOf: FilePath(path)).cues.map(\.text) == ["Noël"])
    #expect {
      try Transcript(decoding: Array("1\n0:0:1,5 --> 0:0:2,000\nx\n".utf8), named: "a.srt")
    } throws: {
      "\($0)"
        == "a.srt: line 2, column 1: '0:0:1,5' has 1 decimal and not three; readers differ over such "
        + "times: write three, as in 00:01:02,500"
    }
  }
}
