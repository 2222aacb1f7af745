import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Testing
import Transcripts

@testable import JobModel

/// What a job makes of the transcripts of its items.
@Suite struct TranscriptLoweringTests {
  private static func time(_ seconds: Int64) -> Time { Time(value: seconds, timescale: 1) }

  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private static func moment(_ seconds: Int64) -> Located<Moment> {
    Located(Moment(.start, .time(time(seconds))))
  }

  private static func part(_ start: Int64, _ end: Int64) -> ItemRange {
    ItemRange(from: moment(start), end: .moment(moment(end)))
  }

  /// A minute of sound with a cue in every ten seconds.
  private static let minute = Transcript(
    (0..<6).map { Cue("\($0)", in: range($0 * 10, $0 * 10 + 10)) })

  private static func clip(_ transcript: ItemTranscript? = ItemTranscript(.read(minute))) -> Item {
    var clip = Item.clip(.file("a.wav"))
    clip.transcript = transcript.map { Located($0) }
    return clip
  }

  private static func export(
    _ item: Item, split: Split? = nil, kept: Transcript? = nil
  ) throws(Diagnostics) -> [Export] {
    let job = Job(
      name: "job", item: item, split: split,
      outputs: [Output(path: split == nil ? "x.wav" : "${part.n}.wav", format: .wav(.int16))])
    return try job.exports(assets: asset, readTranscript: { _ in kept }).exports
  }

  private static func asset(_ reference: MediaReference) -> Asset {
    Asset(
      location: reference.location, streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 1000, channelLayout: .mono, frameCount: 60_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  /// What is said of a job, each with its severity; `silent` has no track of texts.
  private static func messages(_ item: Item, silent: [String] = []) -> [String] {
    let job = Job(name: "job", item: item, outputs: [Output(path: "x.wav", format: .wav(.int16))])
    let kept = Transcript([Cue("kept", in: range(1, 3))])
    var found: [Diagnostic]
    do throws(Diagnostics) {
      found = try job.exports(
        assets: asset,
        readTranscript: { reference throws(Failure) in
          guard silent.contains("\(reference.location)") else { return kept }
          throw Failure(.mendInput, "has no track of texts", location: reference.location)
        }
      ).warnings
    } catch {
      found = error.all
    }
    return found.map { "\($0.severity.rawValue): \($0.message)" }
  }

  private static func lines(_ export: Export) -> [String] {
    export.transcript(in: 0..<600_000, rate: 1000).cues.map {
      "\($0.range.start)-\($0.range.end)\($0.speaker.map { " \($0)" } ?? ""): \($0.text)"
    }
  }

  private static func lines(_ item: Item, kept: Transcript? = nil) throws(Diagnostics) -> [String] {
    try export(item, kept: kept).flatMap { lines($0) }
  }

  @Test("times count in the file, or after the range where that clock is named")
  func clocks() throws {
    var item = Self.clip()
    item.range = Self.part(20, 40)
    #expect(try Self.lines(item) == ["0s-10s: 2", "10s-20s: 3"])
    var own = ItemTranscript(.read(Transcript([Cue("a", in: Self.range(2, 5))])), clock: .item)
    (own.offset, own.speaker) = (Self.time(1), "Ann")
    item.transcript = Located(own)
    #expect(try Self.lines(item) == ["3s-6s Ann: a"])
  }

  @Test("words change in the middle of a cross-fade, and stay at a cut")
  func crossfades() throws {
    var (first, second) = (Self.clip(), Self.clip())
    first.range = Self.part(0, 10)
    second.range = Self.part(30, 40)
    let fade = Located(Fade(.time(Self.time(4))))
    let item = Item(.concat(ItemSequence([first, second], crossfade: fade)))
    #expect(try Self.lines(item) == ["0s-8s: 0", "8s-16s: 3"])
    var cut = Self.clip()
    cut.range = Self.part(0, 40)
    cut.cuts = [Located(Self.part(10, 20))]
    cut.cutCrossfade = fade
    #expect(try Self.lines(cut) == ["0s-10s: 0", "10s-20s: 2", "20s-30s: 3"])
  }

  @Test("a muted range is redacted, also within what is inserted; a muted item says nothing")
  func mutes() throws {
    var inserted = Self.clip()
    inserted.range = Self.part(0, 10)
    inserted.at = Self.moment(20)
    var item = Self.clip()
    item.range = Self.part(0, 30)
    item.mutes = [Located(Self.part(12, 13))]
    item.insertions = [inserted]
    item.redaction = "[name]"
    #expect(try Self.lines(item) == ["0s-10s: 0", "10s-20s: [name]", "20s-30s: 0", "30s-40s: 2"])
    item.insertions[0].mutes = [Located(Self.part(1, 2))]
    #expect(try Self.lines(item) == ["0s-10s: 0", "10s-20s: [name]", "20s-30s: …", "30s-40s: 2"])
    item.isMuted = true
    #expect(try Self.lines(item) == [])
  }

  @Test("sources are named of which something is muted, with and without words")
  func silencedSources() throws {
    func sources(_ item: Item) throws -> [[String]] {
      let export = try #require(Self.export(item).first)
      return [export.redactedSources, export.silencedSources].map { $0.map { "\($0)" } }
    }
    var plain = Self.clip(nil)
    #expect(try sources(plain) == [[], []])
    plain.mutes = [Located(Self.part(12, 13))]
    #expect(try sources(plain) == [[], ["a.wav"]])
    // Neither the sound nor what renders it has anything of that.
    let export = try #require(Self.export(plain).first)
    #expect(!export.composition.tracks.flatMap(\.segments).contains { $0.speech != nil })
    var worded = Self.clip()
    worded.mutes = plain.mutes
    #expect(try sources(worded) == [["a.wav"], []])
    var whole = Item.clip(.file("b.wav"))
    whole.isMuted = true
    #expect(try sources(whole) == [[], ["b.wav"]])
    #expect(
      try sources(Item(.concat(ItemSequence([worded, whole])))) == [["a.wav"], ["b.wav"]])
  }

  @Test("what is muted stays unread where a later edit removes the sound that is muted")
  func mutesAndCuts() throws {
    let worded = Transcript([
      Cue(
        "my name is Jane", in: Self.range(0, 16),
        words: ["my", "name", "is", "Jane"].enumerated().map { index, text in
          Word(text, in: Self.range(Int64(index) * 4, Int64(index) * 4 + 4))
        })
    ])
    var item = Self.clip()
    item.mutes = [Located(Self.part(13, 17))]
    item.cuts = [Located(Self.part(13, 17))]
    #expect(try Self.lines(item)[1] == "10s-16s: …")
    item.transcript = Located(ItemTranscript(.read(worded)))
    item.mutes = [Located(Self.part(15, 16))]
    item.cuts = [Located(Self.part(15, 17))]
    #expect(try Self.lines(item) == ["0s-15s: my name is …"])
    // A cut of what is around it.
    item.cuts = []
    var group = Item(.concat(ItemSequence([item])))
    group.cuts = [Located(Self.part(15, 17))]
    #expect(try Self.lines(group) == ["0s-15s: my name is …"])
    // And a mute of that.
    item.mutes = []
    group.content = .concat(ItemSequence([item]))
    group.mutes = [Located(Self.part(15, 16))]
    #expect(try Self.lines(group) == ["0s-15s: my name is …"])
  }

  @Test("an insertion of the same recording takes no part in the cues around it")
  func insertionsOfOneRecording() throws {
    var inserted = Self.clip()
    inserted.range = Self.part(10, 20)
    inserted.at = Self.moment(4)
    var item = Self.clip()
    item.range = Self.part(10, 20)
    item.insertions = [inserted]
    // Six of the ten seconds around it are behind it.
    #expect(try Self.lines(item) == ["4s-14s: 1", "14s-20s: 1"])
    item.insertions[0].range = Self.part(10, 14)
    item.cuts = [Located(Self.part(6, 10))]
    item.insertions[0].at = Self.moment(3)
    // Six of ten seconds are left around it, and four in it, which are too few.
    #expect(try Self.lines(item) == ["0s-3s: 1"])
  }

  @Test("insertions at one time of two items take no part in each other's cues")
  func insertionsOfTwoItems() throws {
    let starts: [Int64] = [10, 14]
    let items = starts.map { start in
      var inserted = Self.clip()
      inserted.range = Self.part(start, start + 4)
      inserted.at = Self.moment(2)
      var item = Item(.silence(Located(.time(Time(value: 4, timescale: 1)))))
      item.insertions = [inserted]
      return item
    }
    // Each has four of the cue's ten seconds, which are too few.
    #expect(try Self.lines(Item(.concat(ItemSequence(items)))) == [])
  }

  @Test("what is muted beside an insertion redacts no word on its other side")
  func mutesBesideInsertions() throws {
    var inserted = Self.clip(nil)
    inserted.range = Self.part(0, 10)
    inserted.at = Self.moment(20)
    var item = Self.clip()
    item.insertions = [inserted]
    var group = Item(.concat(ItemSequence([item])))
    // The last five seconds of the insertion.
    group.mutes = [Located(Self.part(25, 30))]
    #expect(try Self.lines(group).prefix(3) == ["0s-10s: 0", "10s-20s: 1", "30s-40s: 2"])
  }

  @Test(
    "a muted item of a group with words of its own is redacted, unless another sounds beside it")
  func mutedMembers() throws {
    var (first, second) = (Self.clip(nil), Self.clip(nil))
    first.range = Self.part(0, 10)
    second.range = Self.part(30, 40)
    second.isMuted = true
    let said = Transcript((0..<2).map { Cue("\($0)", in: Self.range($0 * 10, $0 * 10 + 10)) })
    var group = Item(.concat(ItemSequence([first, second])))
    group.transcript = Located(ItemTranscript(.read(said)))
    #expect(try Self.lines(group) == ["0s-10s: 0", "10s-20s: …"])
    var other = Self.clip(nil)
    other.range = Self.part(0, 20)
    group.content = .tracks([
      ItemTrack(name: "Ann", ItemSequence([first, second])),
      ItemTrack(name: "Ben", ItemSequence([other])),
    ])
    #expect(try Self.lines(group) == ["0s-10s: 0", "10s-20s: 1"])
  }

  @Test("a group keeps the words of its clips, but for clips with others; its own replace them")
  func groups() throws {
    var bare = Self.clip(nil)
    bare.range = Self.part(0, 10)
    var own = Self.clip()
    own.range = Self.part(50, 60)
    var group = Item(.concat(ItemSequence([bare, own])))
    let kept = Transcript([Cue("kept", in: Self.range(1, 3))])
    #expect(try Self.lines(group, kept: kept) == ["10s-20s: 5"])
    group.transcript = Located(ItemTranscript(.keep))
    let all = ["1s-3s: kept", "10s-20s: 5"]
    #expect(try Self.lines(group, kept: kept) == all)
    let track = Item(.tracks([ItemTrack(name: "Ann", ItemSequence([group]))]))
    #expect(try Self.lines(track, kept: kept) == ["1s-3s Ann: kept", "10s-20s Ann: 5"])
    group.transcript = Located(
      ItemTranscript(.read(Transcript([Cue("outer", in: Self.range(4, 12))]))))
    #expect(try Self.lines(group, kept: kept) == ["4s-12s: outer"])
  }

  @Test("a group keeps the words of those of its clips that have some, and names the others")
  func silentClips() {
    var group = Item(.concat(ItemSequence([.clip(.file("a.wav")), .clip(.file("b.wav"))])))
    group.transcript = Located(ItemTranscript(.keep))
    #expect(Self.messages(group) == [])
    #expect(
      Self.messages(group, silent: ["a.wav"]) == ["note: there are no words in 'a.wav'"])
    #expect(
      Self.messages(group, silent: ["a.wav", "b.wav"]) == [
        "error: there are no words in 'a.wav', 'b.wav'"
      ])
    let own = Self.clip(ItemTranscript(.keep))
    #expect(
      Self.messages(own, silent: ["a.wav"]) == ["error: 'a.wav': has no track of texts"])
    let nested = Item(.concat(ItemSequence([own, .clip(.file("b.wav"))])))
    #expect(
      Self.messages(nested, silent: ["a.wav"]) == ["error: 'a.wav': has no track of texts"])
  }

  @Test("cues before the start are named, and more than a tenth of them are refused")
  func early() {
    let cues = (0..<20).map { Cue("\($0)", in: Self.range($0 * 2, $0 * 2 + 2)) }
    func messages(_ seconds: Int64, first: [Cue] = []) -> [String] {
      var transcript = ItemTranscript(.read(Transcript(first + cues)))
      transcript.offset = Self.time(seconds)
      return Self.messages(Self.clip(transcript))
    }
    #expect(messages(0) == [] && messages(-1) == [])
    #expect(messages(-2) == ["note: 1 cue ends before the start of 'a.wav': left out"])
    #expect(messages(-4) == ["note: 2 cues end before the start of 'a.wav': left out"])
    #expect(messages(-6) == ["error: 3 cues end before the start of 'a.wav', of 20"])
    // Of few cues, two are many and no sign of another file.
    func few(_ seconds: Int64) -> [String] {
      var transcript = ItemTranscript(.read(Transcript(Array(cues.prefix(5)))))
      transcript.offset = Self.time(seconds)
      return Self.messages(Self.clip(transcript))
    }
    #expect(few(-2) == ["note: 1 cue ends before the start of 'a.wav': left out"])
    #expect(few(-4) == ["note: 2 cues end before the start of 'a.wav': left out"])
    #expect(few(-6) == ["error: 3 cues end before the start of 'a.wav', of 5"])
    // One at the start itself is in the file.
    #expect(messages(0, first: [Cue("sign", in: Self.range(0, 0))]) == [])
  }

  @Test("a transcript of which more than a tenth is behind the end is that of another file")
  func otherFile() throws {
    let minutes = (0..<10).map { Cue("\($0)", in: Self.range($0 * 6, $0 * 6 + 5)) }
    let invented = minutes + [Cue("thank you", in: Self.range(70, 75))]
    let lines = try Self.lines(Self.clip(ItemTranscript(.read(Transcript(invented)))))
    #expect(lines.count == 10)
    let few = Transcript(minutes.prefix(3) + invented.suffix(1))
    #expect(try Self.lines(Self.clip(ItemTranscript(.read(few)))).count == 3)
    let other = invented + [80, 90].map { Cue("and you", in: Self.range($0, $0 + 5)) }
    do throws(Diagnostics) {
      _ = try Self.lines(Self.clip(ItemTranscript(.read(Transcript(other)))))
      Issue.record("it was taken")
    } catch {
      #expect(error.all.map(\.message) == ["the transcript is of another file"])
    }
    do throws(Diagnostics) {
      var silence = Item(.silence(Located(.time(Self.time(3)))))
      silence.transcript = Located(ItemTranscript(.keep))
      _ = try Self.lines(silence)
      Issue.record("it was taken")
    } catch {
      #expect(error.all.map(\.message) == ["a silence has no transcript"])
    }
  }

  @Test("where words count in the item, so do the times of a refusal")
  func otherItem() {
    var item = Self.clip(ItemTranscript(.read(Self.minute), clock: .item))
    item.range = Self.part(20, 40)
    do throws(Diagnostics) {
      _ = try Self.lines(item)
      Issue.record("it was taken")
    } catch {
      #expect(
        error.all.map(\.help) == ["its last words are at 50s, but the range of 'a.wav' lasts 20s"])
    }
  }

  @Test("a cue of which no part has half is in the part that has most of it")
  func divided() throws {
    let words = Transcript([
      Cue("long", in: Self.range(2, 58)), Cue("short", in: Self.range(10, 17)),
    ])
    let exports = try Self.export(
      Self.clip(ItemTranscript(.read(words))), split: Split(.every(Located(.time(Self.time(15))))))
    #expect(
      exports.map { Self.lines($0) } == [["10s-15s: short"], ["0s-15s: long"], [], []])
  }

  @Test("each part of a split has its own words, in its own time; the sound has none")
  func splits() throws {
    let split = Split(.every(Located(.time(Self.time(25)))))
    let exports = try Self.export(Self.clip(), split: split)
    #expect(
      exports.map { Self.lines($0) } == [
        ["0s-10s: 0", "10s-20s: 1", "20s-25s: 2"], ["0s-5s: 2", "5s-15s: 3", "15s-25s: 4"],
        ["0s-10s: 5"],
      ])
    #expect(exports.map(\.transcript?.cues.count) == [3, 3, 1])
    let bare = try Self.export(Self.clip(nil), split: split)
    #expect(exports.map(\.composition) == bare.map(\.composition))
  }
}
