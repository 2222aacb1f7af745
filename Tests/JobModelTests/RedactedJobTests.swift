import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import JobModel

/// That what is muted is in none of the files of words.
@Suite struct RedactedJobTests {
  @Test("no word of which some is muted is in a file of any format, in 500 random jobs")
  func words() throws {
    var (hidden, shown) = (0, 0)
    for seed in UInt64(0)..<500 {
      var job = MutedJob(seed)
      let files = try job.files()
      for (word, isMuted) in job.words {
        let places = files.filter { $0.text.contains(word) }.map(\.format)
        if isMuted {
          hidden += 1
          #expect(places.isEmpty, "job \(seed): \(word) is in \(places)")
        } else if !places.isEmpty {
          shown += 1
        }
      }
    }
    // Neither all nor nothing is muted.
    #expect(hidden > 500)
    #expect(shown > 1000)
  }
}

/// A clip with a transcript of odd words, of which ranges are muted and others cut.
private struct MutedJob {
  private var dice: Dice
  private let length: Int64 = 6000
  private var cues: [Cue] = []
  private var mutes: [ClosedRange<Int64>] = []
  private var cuts: [ClosedRange<Int64>] = []
  /// Each with whether some of its muted sound is left.
  private(set) var words: [(text: String, isMuted: Bool)] = []

  init(_ seed: UInt64) {
    dice = Dice(seed)
    for _ in 0..<dice.number(1..<4) {
      let start = dice.number(0..<length - 500)
      mutes.append(start...(start + dice.number(1..<400)))
    }
    // Cuts that do not overlap, with room for their cross-fades.
    for place in 0..<dice.number(0..<3) {
      let start = place * 2000 + dice.number(300..<1200)
      cuts.append(start...(start + dice.number(50..<600)))
    }
    for place in 0..<Int64(8) { addCue(at: place * 700 + 20) }
  }

  private static func time(_ milliseconds: Int64) -> Time {
    Time(value: milliseconds, timescale: 1000)
  }

  /// A cue of words that follow one another, of which some lie outside of it, go back in time, last no
  /// time or have none.
  private mutating func addCue(at start: Int64) {
    var cue = Cue(
      "", in: TimeRange(start: Self.time(start), end: Self.time(start + dice.number(1..<680))))
    var next = start
    for _ in 0..<dice.number(1..<6) {
      let text = "w\(words.count)."
      var (first, last) = (next, next + dice.number(1..<160))
      switch dice.number(0..<8) {
      case 0: last = first
      case 1:
        let shift = max(dice.number(-600..<600), -first)
        (first, last) = (first + shift, min(last + shift, length))
        first = min(first, last)
      default: next = last + dice.number(0..<30)
      }
      let isTimed = cue.words.isEmpty || dice.number(0..<8) > 0
      let range = TimeRange(start: Self.time(first), end: Self.time(last))
      cue.words.append(Word(text, in: isTimed ? range : nil))
      words.append((text, isTimed && isMuted(first, last)))
    }
    cue.text = cue.words.map(\.text).joined(separator: " ")
    let named = cue.words[Int(dice.number(0..<Int64(cue.words.count)))].text
    cue.markup = cue.text.replacing(named, with: "<c.\(named.dropLast())>\(named)</c>")
    cue.identifier = "about \(named)"
    cue.settings = "line:0 region:\(named)"
    // Some texts say more than their words.
    if dice.number(0..<6) == 0 { cue.text += " and more" }
    cues.append(cue)
  }

  /// Whether some of the sound from one millisecond to another is muted and not cut.
  private func isMuted(_ first: Int64, _ last: Int64) -> Bool {
    (first..<last).contains { moment in
      mutes.contains { $0.lowerBound <= moment && moment < $0.upperBound }
        && !cuts.contains { $0.lowerBound <= moment && moment < $0.upperBound }
    }
  }

  private static func range(_ range: ClosedRange<Int64>) -> Located<ItemRange> {
    func moment(_ milliseconds: Int64) -> Located<Moment> {
      Located(Moment(.start, .time(time(milliseconds))))
    }
    return Located(
      ItemRange(from: moment(range.lowerBound), end: .moment(moment(range.upperBound))))
  }

  /// What is written of its words, in all formats.
  mutating func files() throws -> [(format: TranscriptFormat, text: String)] {
    var item = Item.clip(.file("a.wav"))
    item.transcript = Located(ItemTranscript(.read(Transcript(cues))))
    item.mutes = mutes.map(Self.range)
    item.cuts = cuts.map(Self.range)
    if dice.number(0..<2) == 0 { item.redaction = "[name]" }
    if dice.number(0..<2) == 0 { item.cutCrossfade = Located(Fade(.time(Self.time(20)))) }
    if dice.number(0..<3) == 0 { item.speed = Speed(1001, over: 1000).map { Located($0) } }
    if dice.number(0..<4) == 0 { item.loop = Located(.count(2)) }
    if dice.number(0..<3) == 0 {
      var inserted = Item(.silence(Located(.time(Self.time(700)))))
      inserted.at = Located(Moment(.start, .time(Self.time(dice.number(0..<200)))))
      item.insertions = [inserted]
    }
    if dice.number(0..<3) == 0 { item = Item(.concat(ItemSequence([item]))) }
    let job = Job(
      name: "job", item: item, outputs: [Output(path: "x.wav", format: .wav(.int16))])
    let asset = Asset(
      location: .file(FilePath("a.wav")), streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 1000, channelLayout: .mono, frameCount: length,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    let transcripts = try job.exports { _ in asset }.exports.map {
      $0.transcript(in: 0..<100_000, rate: 1000)
    }
    return transcripts.flatMap { transcript in
      TranscriptFormat.allCases.map { format in
        (format, String(decoding: transcript.bytes(as: format), as: UTF8.self))
      }
    }
  }
}
