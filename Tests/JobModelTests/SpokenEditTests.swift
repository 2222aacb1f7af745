import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing
import Transcripts

@testable import JobModel

/// Items that are cut and muted by their words.
@Suite struct SpokenEditTests {
  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: Time(value: start, timescale: 1000), end: Time(value: end, timescale: 1000))
  }

  private static func word(_ text: String, _ start: Int64, _ end: Int64) -> Word {
    Word(text, in: range(start, end))
  }

  /// A cue from its first word to its last one.
  private static func cue(_ words: [Word], number: Int? = nil) -> Cue {
    let times = words.compactMap(\.range)
    var cue = Cue(
      words.map(\.text).joined(separator: " "),
      in: TimeRange(
        start: times.map(\.start).min() ?? .zero, end: times.map(\.end).max() ?? .zero),
      words: words)
    cue.number = number
    return cue
  }

  /// A minute of sound that says `cues`.
  private static func clip(_ cues: [Cue]) -> Item {
    var item = Item.clip(.file(FilePath("a.wav")))
    item.transcript = Located(ItemTranscript(.read(Transcript(cues))))
    return item
  }

  /// The texts that are left, and what is reported.
  private func edited(_ item: Item) -> (
    texts: [String], messages: [String], notes: [String]
  ) {
    let location = MediaLocation.file(FilePath("a.wav"))
    let asset = Asset(
      location: location, streamIndex: 0, container: "wav", codec: "pcm_s16le", sampleRate: 48_000,
      channelLayout: .mono, bitDepth: 16, frameCount: 60 * 48_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 0))
    var lowering = Lowering(
      assets: [MediaReference(location): asset], sampleRate: nil,
      listen: { (_) throws(Failure) in SilenceFindings([], pauses: []) })
    let lowered = lowering.lowered(ofJob: item)
    let messages = lowering.diagnostics.all.filter { $0.severity == .error }.map(\.message)
    let transcript = lowered.map {
      Composition(tracks: [Track(segments: [$0.segment(at: .zero)])]).transcript
    }
    return (transcript?.cues.map(\.text) ?? [], messages, lowering.notes.map(\.message))
  }

  private func moments(_ start: String, _ end: String) throws -> ItemRange {
    ItemRange(
      from: Located(try Moment(parsing: start)), end: .moment(Located(try Moment(parsing: end))))
  }

  private static let names: [(words: [Word], text: String)] = [
    ([word("Mary-Jane", 1000, 1500), word("left", 2000, 2500)], "… left"),
    ([word("Hello Jane", 1000, 1500), word("there", 2000, 2500)], "… there"),
    (
      [
        word("a", 500, 1000), word("I", 1000, 1500), word("Jane", 1500, 1500),
        word("b", 3000, 3500),
      ], "a … b"
    ),
  ]

  @Test(
    "a muted name is gone from the text, also as a part of a word and where it lasts no time",
    arguments: names)
  func muted(words: [Word], text: String) {
    var item = Self.clip([Self.cue(words)])
    item.mutedWords = WordSelection(phrases: [Located("Jane")])
    let (texts, messages, _) = edited(item)
    #expect(texts == [text] && messages == [])
  }

  @Test("what is cut is whole words, and a note says where a phrase is only a part of one")
  func cutParts() {
    var item = Self.clip([Self.cue([Self.word("Mary-Jane", 1000, 1500)])])
    item.cutWords = WordSelection(phrases: [Located("Jane")])
    let found = edited(item)
    #expect(found.texts == ["Mary-Jane"] && found.messages == [])
    #expect(found.notes == ["'Jane' is not in the transcript of 'a.wav' as whole words"])
  }

  @Test("a muted name without length is gone where the range of the item begins and ends")
  func mutedEdges() throws {
    let words = [
      Self.word("Jane", 2000, 2000), Self.word("met", 2000, 3000), Self.word("Jane", 3000, 3000),
    ]
    var item = Self.clip([Self.cue(words)])
    item.range = try moments("2s", "3s")
    item.mutedWords = WordSelection(phrases: [Located("Jane")])
    #expect(edited(item).texts.allSatisfy { !$0.contains("Jane") })
  }

  @Test("cues are cut by their numbers in the file; one that is not there is refused")
  func numbers() {
    let cues = [
      Self.cue([Self.word("third", 0, 1000)], number: 3),
      Self.cue([Self.word("twelfth", 2000, 3000)], number: 12),
      Self.cue([Self.word("seventh", 4000, 5000)], number: 7),
    ]
    var item = Self.clip(cues)
    item.cutWords = WordSelection(cues: [Located(7...11)])
    var found = edited(item)
    #expect(found.texts == ["third", "twelfth"] && found.messages == [])
    item.cutWords = WordSelection(cues: [Located(2...2)])
    found = edited(item)
    #expect(found.messages == ["the transcript of 'a.wav' has 3 cues, and no number 2"])
    item.cutWords = WordSelection(cues: [Located(7...13)])
    found = edited(item)
    #expect(found.messages == ["the transcript of 'a.wav' has 3 cues, and no number 13"])
  }

  @Test("beside words, a written cross-fade that is longer than a written range is refused")
  func writtenFade() throws {
    var item = Self.clip([Self.cue([Self.word("so", 1000, 2000), Self.word("um", 5000, 5100)])])
    item.cutWords = WordSelection(phrases: [Located("um", at: Origin(rawValue: 7))])
    item.cuts = [Located(try moments("10s", "10.5s"), at: Origin(rawValue: 8))]
    item.cutCrossfade = Located(Fade(.time(Time(value: 1, timescale: 1))))
    #expect(edited(item).messages.first?.hasPrefix("this cut removes 0.5s") == true)
    // At a word it becomes as short as it must.
    item.cuts = [Located(try moments("10s", "12s"), at: Origin(rawValue: 8))]
    #expect(edited(item).messages == [])
    // And so does the one that nobody has written.
    item.cuts = [Located(try moments("10s", "10.005s"), at: Origin(rawValue: 8))]
    item.cutCrossfade = nil
    #expect(edited(item).messages == [])
  }
}
