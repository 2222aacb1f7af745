import TestSupport
import Testing

/// Words that are cut and muted by a transcript. A word is a burst of noise, and what is between two is soft
/// noise with a quiet place in it.
@Suite struct WordEditTests {
  private static let rate = 16_000
  private static let words = "so um we you know begin um with the um uh first thing you know".split(
    separator: " "
  ).map(String.init)
  /// Frames of a word, and between two; one word is two frames longer than the one before.
  private static let (length, gap) = (3000, 2200)

  private static func burst(_ index: Int) -> Range<Int> {
    let start = gap + index * (length + gap)
    return start..<start + length + 2 * index
  }

  private static let samples: [Int16] = {
    let count = burst(words.count - 1).upperBound + gap
    var samples = Signal.noise(seed: 4, count: count, amplitude: 0.002).map { Int16($0 * 32_767) }
    let loud = Signal.noise(seed: 5, count: count, amplitude: 0.5)
    for index in words.indices {
      for frame in burst(index) { samples[frame] = Int16(loud[frame] * 32_767) }
      // 30 ms, from 35 ms before the word on.
      for frame in burst(index).lowerBound - 560..<burst(index).lowerBound - 80 {
        samples[frame] = 0
      }
    }
    return samples
  }()

  /// `talk.wav`, and its words in `talk.json`.
  private func stage() throws -> Stage {
    let stage = Stage()
    try writeFile(
      stage.path("talk.raw"),
      Self.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    try stage.make("sox -t s16 -r \(Self.rate) -c 1 talk.raw talk.wav")
    func seconds(_ frame: Int) -> String { "\(Double(frame) / Double(Self.rate))" }
    let words = Self.words.enumerated().map { index, word in
      let burst = Self.burst(index)
      return #"{"word":"\#(word)","start":\#(seconds(burst.lowerBound)),"#
        + #""end":\#(seconds(burst.upperBound))}"#
    }
    let end = Self.burst(Self.words.count - 1).upperBound
    try stage.write(
      "talk.json",
      #"{"segments":[{"start":\#(seconds(Self.gap)),"end":\#(seconds(end)),"#
        + #""text":"\#(Self.words.joined(separator: " "))","words":[\#(words.joined(separator: ","))]}]}"#
    )
    return stage
  }

  /// Where a word's sound is in another one, to the sample; nil where it is not.
  private func place(of index: Int, in sound: [Float]) -> Int? {
    let word = Self.samples[Self.burst(index)].map { Float($0) / 32_768 }
    return sound.indices.dropLast(word.count - 1).first { start in
      sound[start] == word[0] && sound[start..<start + word.count].elementsEqual(word)
    }
  }

  /// Whether a tenth of a second of a word is in a sound.
  private func isHeard(_ index: Int, in sound: [Float]) -> Bool {
    let word = Self.samples[Self.burst(index)].dropFirst(700).prefix(1600).map {
      Float($0) / 32_768
    }
    return sound.indices.dropLast(word.count - 1).contains { start in
      sound[start] == word[0] && sound[start..<start + word.count].elementsEqual(word)
    }
  }

  @Test("fillers are cut where it is quiet: all other words are whole, and the text has no filler")
  func cut() throws {
    let stage = try stage()
    let yaml = """
      clip: talk.wav
      transcript: talk.json
      cut: { words: [um, uh, you know], crossfade: 15ms }
      output: { file: out.wav, wav: 32 bit float, transcript: txt }
      """
    let result = try stage.job(yaml)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let sound = try WAVFile(stage.path("out.wav")).floats(0)
    var before = -1
    for (index, word) in Self.words.enumerated() {
      let goes = ["um", "uh", "you", "know"].contains(word)
      #expect(isHeard(index, in: sound) != goes, "\(index) \(word)")
      guard !goes else { continue }
      let found = try #require(place(of: index, in: sound), "\(word) is not whole")
      #expect(found > before)
      before = found
    }
    let text = String(decoding: try readFile(stage.path("out.txt")), as: UTF8.self)
    #expect(
      text.split(whereSeparator: \.isWhitespace).map(String.init) == [
        "so", "we", "begin", "with", "the", "first", "thing",
      ])
    let plan = try stage.run("avjob plan job.yaml")
    #expect(plan.status == 0)
    for context in ["so [um] we", "we [you know] begin", "the [um uh] first", "thing [you know]"] {
      #expect(plan.errors.contains("'\(context)' is cut: "), "\(plan.errors)")
    }
    // The same on one core, and with a process of its own that listens.
    for options in ["--workers 1", "--isolate"] {
      try stage.make("cp out.wav before.wav; rm -rf .avjob")
      try stage.make("avjob run --quiet --force \(options) job.yaml && cmp out.wav before.wav")
    }
  }

  @Test("a filler goes whole while another one speaks, whose words are named")
  func crossTalk() throws {
    let stage = try stage()
    try stage.make("sox -n -r \(Self.rate) -c 1 other.wav trim 0 5")
    // "um" is said from 0.4625 to 0.65 s.
    try stage.write("other.vtt", "WEBVTT\n\n00:00.500 --> 00:00.900\nRight\n")
    try stage.write(
      "job.yaml",
      """
      tracks:
        Ann: { clip: talk.wav, transcript: talk.json }
        Ben: { clip: other.wav, transcript: other.vtt }
      cut: { words: [um] }
      output: { file: out.wav, wav: 32 bit float, transcript: txt }
      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    let note =
      "a word of others is cut too, being said meanwhile, as 'Right' of Ben at 0.5s"
    #expect(result.errors.contains(note), "\(result.errors)")
    #expect(!isHeard(1, in: try WAVFile(stage.path("out.wav")).floats(0)))
  }

  @Test("a name is muted whole and gone from the text, and its neighbours are whole")
  func mute() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      clip: talk.wav
      transcript: talk.json
      mute: { words: [begin], text: "[a name]" }
      output: { file: out.wav, wav: 32 bit float, transcript: txt }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let sound = try WAVFile(stage.path("out.wav")).floats(0)
    let index = try #require(Self.words.firstIndex(of: "begin"))
    #expect(sound[Self.burst(index)].allSatisfy { $0 == 0 })
    for other in [index - 1, index + 1] {
      #expect(place(of: other, in: sound) == Self.burst(other).lowerBound)
    }
    let text = String(decoding: try readFile(stage.path("out.txt")), as: UTF8.self)
    #expect(text.contains("know [a name] um") && !text.contains("begin"), "\(text)")
  }

  @Test("from one phrase to another, both are whole and what is outside is gone")
  func range() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      clip: talk.wav
      transcript: talk.json
      from: { text: we you know }
      to: { text: first thing, after: true }
      output: { file: out.wav, wav: 32 bit float, transcript: txt }
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let sound = try WAVFile(stage.path("out.wav")).floats(0)
    for (index, word) in Self.words.enumerated() {
      let stays = (2...12).contains(index)
      #expect((place(of: index, in: sound) != nil) == stays, "\(index) \(word)")
      #expect(isHeard(index, in: sound) == stays, "\(index) \(word)")
    }
  }

  @Test("a phrase that is said twice is refused with its places")
  func refused() throws {
    let stage = try stage()
    let result = try stage.job(
      "clip: talk.wav\ntranscript: talk.json\nfrom: { text: you know }\noutput: out.wav\n")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "error: 'you know' is 2 times in the transcript of 'talk.wav': at "), "\(result.errors)")
    #expect(result.errors.contains("occurrence: 2"))
  }
}
