import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import MediaComposition

/// The bytes of lists of sound files.
@Suite struct DataSetManifestTests {
  private let lines = [
    line("out/wav/1.wav", 16_001, "Hello \"you\",\n  there", speaker: "Ann", language: "en-GB"),
    line("out/wav/2.wav", 8000, "a|b\tc"),
  ]

  private static func line(
    _ path: FilePath, _ frames: Int64, _ text: String, speaker: String? = nil,
    language: String? = nil
  ) -> DataSetManifest.Line {
    DataSetManifest.Line(
      path: path, frameCount: frames, sampleRate: 16_000,
      utterance: Utterance(text, speaker: speaker, language: language))
  }

  private func text(_ path: FilePath, _ form: DataSetManifest.Form) throws -> String {
    let bytes = try DataSetManifest(path: path, form: form).bytes(of: lines, in: "/home")
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "NeMo: an object a line, with the length of the file in seconds, and paths from the list's folder"
  )
  func nemo() throws {
    #expect(
      try text("out/train.jsonl", .nemo) == #"""
        {"audio_filepath":"wav/1.wav","duration":1.000063,"text":"Hello \"you\", there","lang":"en-GB","speaker":"Ann"}
        {"audio_filepath":"wav/2.wav","duration":0.5,"text":"a|b c"}

        """#)
    #expect(try text("lists/train.json", .nemo).contains("\"../out/wav/1.wav\""))
    #expect(try text("/home/out/wav/train.json", .nemo).contains("\"1.wav\""))
  }

  @Test("What is said is one line, with no blank between two lines of a script without spaces")
  func lineEnds() {
    #expect(Utterance(" one,\n two\t three").text == "one, two three")
    #expect(Utterance("今日は いい\n天気 \r\nですね。").text == "今日は いい天気ですね。")
  }

  @Test("audiofolder: all objects have the columns that one has; a table quotes what it must")
  func audiofolder() throws {
    #expect(
      try text("out/metadata.jsonl", .audiofolder) == #"""
        {"file_name":"wav/1.wav","text":"Hello \"you\", there","speaker":"Ann","language":"en-GB"}
        {"file_name":"wav/2.wav","text":"a|b c","speaker":null,"language":null}

        """#)
    #expect(
      try text("out/metadata.csv", .audiofolder) == #"""
        file_name,text,speaker,language
        wav/1.wav,"Hello ""you"", there",Ann,en-GB
        wav/2.wav,a|b c,,

        """#)
  }

  @Test("LJSpeech and Common Voice have no quotes: what separates fields becomes a space")
  func tables() throws {
    #expect(
      try text("out/metadata.csv", .ljspeech) == #"""
        1|Hello "you", there|Hello "you", there
        2|a b c|a b c

        """#)
    #expect(
      try text("out/train.tsv", .commonvoice) == """
        client_id\tpath\tsentence\tup_votes\tdown_votes\tage\tgender\taccents\tlocale\tsegment
        Ann\twav/1.wav\tHello "you", there\t0\t0\t\t\t\ten-GB\t
        \twav/2.wav\ta|b c\t0\t0\t\t\t\t\t

        """)
  }

  private func refusal(
    _ paths: [FilePath], _ form: DataSetManifest.Form
  ) -> String? {
    do throws(Failure) {
      _ = try DataSetManifest(path: "x/list", form: form)
        .bytes(of: paths.map { Self.line($0, 1, "") }, in: "/home")
      return nil
    } catch {
      return error.message
    }
  }

  @Test("Names that a form cannot hold are refused")
  func names() {
    #expect(
      refusal(["a|b.wav"], .ljspeech)
        == "has a name that a manifest of the form 'ljspeech' cannot hold")
    #expect(refusal(["a\tb.wav"], .commonvoice)?.contains("cannot hold") == true)
    #expect(refusal([FilePath(bytes: [0xFF])], .nemo)?.contains("cannot hold") == true)
    #expect(refusal(["a|b\tc.wav"], .nemo) == nil)
    #expect(
      refusal(["1/a.wav", "2/a.flac"], .ljspeech)
        == "is the second file of the name 'a', and the form 'ljspeech' has names without folders")
    #expect(refusal(["1/a.wav", "2/a.flac"], .commonvoice) == nil)
  }

  @Test("A CSV reads back in Python, whatever stands beside its signs")
  func joinedCells() throws {
    let texts = ["\"", ",", "\"\""].flatMap(JoinedTexts.around).map { "a\($0)b" }
    let lines = texts.enumerated().map { index, text in
      Self.line(FilePath("out/\(text).wav"), Int64(index + 1), text, speaker: text)
    }
    let bytes = try DataSetManifest(path: "out/metadata.csv", form: .audiofolder)
      .bytes(of: lines, in: "/home")
    let folder = TestFolder()
    try writeFile(folder.path("metadata.csv"), bytes)
    let script = """
      import csv
      for row in csv.DictReader(open('metadata.csv', encoding='utf-8', newline=''), strict=True):
        print(row['file_name'] == row['text'] + '.wav', row['speaker'] == row['text'], row['text'])
      """
    let read = try Tool.succeed("/usr/bin/python3", "-c", script, in: folder.root)
    let expected = texts.map { "True True \($0)\n" }.joined()
    #expect(read.output == Array(expected.utf8), "\(read.text)")
  }

  @Test("LJSpeech has three fields a line, whatever stands beside a separator")
  func joinedSeparators() throws {
    for joined in JoinedTexts.around("|") {
      let bytes = try DataSetManifest(path: "out/metadata.csv", form: .ljspeech)
        .bytes(of: [Self.line("out/1.wav", 1, "a \(joined) b")], in: "/home")
      #expect(bytes.count { $0 == UInt8(ascii: "|") } == 2)
      #expect(refusal([FilePath("a\(joined).wav")], .ljspeech)?.contains("cannot hold") == true)
    }
  }
}
