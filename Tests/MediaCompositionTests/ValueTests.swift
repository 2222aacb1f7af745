import Diagnosis
import FoundationEssentials
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@Suite("Values of a composition")
struct ValueTests {
  @Test("tags are found whatever their case, keep their order, and go when set to nil")
  func metadata() {
    var tags = Metadata()
    tags["title"] = "One"
    tags["artist"] = "Two"
    tags["TITLE"] = "Three"
    #expect(
      tags.items == [.init(key: "title", value: "Three"), .init(key: "artist", value: "Two")])
    tags["Artist"] = nil
    #expect(tags.items.map(\.key) == ["title"])
  }

  @Test("the language of a text goes with the text")
  func languages() {
    var tags = Metadata()
    tags.set(["Hello", "Hallo"], of: "comment")
    for (text, code) in [("Hello", "eng"), ("Hallo", "deu")] {
      tags.add(language: code, of: text, in: "COMMENT")
    }
    #expect(tags.languages(of: "Hallo", in: "comment") == ["deu"])
    tags.set(["Hello"], of: "Comment")
    tags.set(["Hello", "Hallo"], of: "comment")
    #expect(tags.languages(of: "Hello", in: "comment") == ["eng"])
    #expect(tags.languages(of: "Hallo", in: "comment").isEmpty)
    tags["comment"] = nil
    #expect(tags == Metadata())
  }

  @Test("an output's tags lie over the export's")
  func overriding() {
    var under = Metadata()
    under["title"] = "Under"
    under["album"] = "Album"
    under.cover = .picture(.file("under.png"))
    var over = Metadata()
    over["title"] = "Over"
    let merged = under.overridden(by: over)
    #expect(merged["title"] == "Over")
    #expect(merged["album"] == "Album")
    #expect(merged.cover == .file("under.png"))
  }

  @Test("an empty text takes a tag away, and overrides can be made that turn tags into others")
  func removing() {
    var under = Metadata()
    under["title"] = "Under"
    under["album"] = "Album"
    under.cover = .picture(.file("under.png"))
    var over = Metadata()
    over["ALBUM"] = ""
    over["genre"] = "Talk"
    over.removesCover = true
    let merged = under.overridden(by: over)
    #expect(merged.items.map(\.key) == ["title", "genre"])
    #expect(merged.cover == nil)
    #expect(under.overridden(by: merged.overrides(of: under)) == merged)
    #expect(merged.overridden(by: under.overrides(of: merged)).cover == under.cover)
    over.cover = .picture(.file("over.png"))
    #expect(under.overridden(by: over).cover == .file("over.png"))
  }

  @Test("with a place of recording all goes that tells it otherwise, also where it is emptied")
  func places() {
    var under = Metadata()
    let apple = "com.apple.quicktime."
    let near = [apple + "location.accuracy.horizontal", "location-fra", "RECORDING_LOCATION"]
    for key in ["title", "location", "make"] + near { under[key] = key }
    for (key, value) in [
      ("location", ""), ("LOCATION", "+01+002/"), (apple + "location.ISO6709", ""),
    ] {
      var over = Metadata()
      over[key] = value
      let merged = under.overridden(by: over)
      let others = merged.items.map(\.key).filter { $0.lowercased() != "location" }
      #expect(others == ["title", "make"])
      #expect(merged["location"] == (value.isEmpty ? nil : value))
      #expect(under.overridden(by: merged.overrides(of: under)) == merged)
      let back = merged.overridden(by: under.overrides(of: merged))
      #expect(Set(back.items) == Set(under.items))
    }
    var over = Metadata()
    over[near[0]] = ""
    over[apple + "make"] = "Nokia"
    let merged = under.overridden(by: over)
    #expect(merged["location"] == "location" && merged[near[0]] == nil && merged["make"] == "Nokia")
  }

  @Test("a tag takes the place of one that a source has under Apple's name")
  func applesNames() {
    var under = Metadata()
    for key in ["title", "com.apple.quicktime.make", "com.android.version"] { under[key] = key }
    var over = Metadata()
    over["Make"] = "Nokia"
    let merged = under.overridden(by: over)
    #expect(merged.items.map(\.key) == ["title", "com.android.version", "Make"])
    #expect(under.overridden(by: merged.overrides(of: under)) == merged)
    let back = merged.overridden(by: under.overrides(of: merged))
    #expect(back["Make"] == "com.apple.quicktime.make" && back.items.count == 3)
    var both = merged
    both["com.apple.quicktime.make"] = "Apple"
    var apples = Metadata()
    apples["com.apple.quicktime.make"] = "LG"
    #expect(
      both.overridden(by: apples).items.map(\.key)
        == ["title", "com.android.version", "com.apple.quicktime.make"])
  }

  @Test("of chapters at one moment the written one stays, else the last that a file brought along")
  func lasting() {
    func chapter(_ title: String, _ start: Int64, isInherited: Bool = true) -> Chapter {
      Chapter(start: Time(value: start, timescale: 1), title: title, isInherited: isInherited)
    }
    let all = [
      chapter("a", 0), chapter("b", 0), chapter("c", 1), chapter("d", 1, isInherited: false),
      chapter("e", 1), chapter("f", 1), chapter("g", 2, isInherited: false),
      chapter("h", 2, isInherited: false), chapter("i", 3),
    ]
    #expect(all.lasting(by: \.start).map(\.title) == ["b", "d", "g", "h", "i"])
  }

  @Test("files of chapters and of words stand beside an output, under its name")
  func sidecars() {
    #expect(FilePath("out/a.b.mp3").sidecar(.chapters(.podlove)) == "out/a.b.psc")
    #expect(FilePath("out/a.b.mp3").sidecar(.chapters(.podcasting2)) == "out/a.b.chapters.json")
    #expect(FilePath("a").sidecar(.chapters(.podlove)) == "a.psc")
    let output = Output(
      path: "a.m4a", format: .m4a(bitRate: 1), chapters: ChapterPlaces(sidecars: [.podcasting2]))
    #expect(output.paths == ["a.m4a", "a.chapters.json"])
    var spoken = output
    spoken.transcript = TranscriptPlaces(sidecars: [.srt, .podcasting2], inFile: true)
    #expect(spoken.paths == ["a.m4a", "a.chapters.json", "a.srt", "a.transcript.json"])
  }

  @Test("a composition lasts until its last track ends")
  func duration() {
    let ten = TimeRange(start: .zero, duration: Time(value: 10, timescale: 1))
    let composition = Composition(tracks: [
      Track(segments: [Segment(.silence, source: ten, at: Time(value: 5, timescale: 2))]),
      Track(segments: [Segment(.silence, source: ten, at: .zero)]), Track(),
    ])
    #expect(composition.duration == Time(value: 25, timescale: 2))
    #expect(Composition().duration == .zero)
  }

  @Test("a gain is never negative nor no number")
  func gain() {
    #expect(Gain(factor: -1) == .silence)
    #expect(Gain(factor: .nan) == .silence)
    #expect(Gain(decibels: -.infinity) == .silence)
    #expect(Gain(decibels: 20).factor == 10)
    #expect(Gain(decibels: 0) == .unity)
  }

  @Test("a failure keeps the place that was nearest to it")
  func placing() {
    let inner = Origin(rawValue: 1)
    let outer = Origin(rawValue: 2)
    let failure = Failure(.mendInput, "is empty")
    #expect(failure.placed(at: inner).placed(at: outer).origin == inner)
    #expect(failure.placed(at: outer).origin == outer)
  }

  @Test("layouts are named as FFmpeg names them")
  func layouts() {
    #expect(ChannelLayout.mono.name == "mono")
    #expect(ChannelLayout(mask: 3) == .stereo)
    #expect(ChannelLayout(mask: 0x3F).name == "5.1")
    #expect(ChannelLayout(mask: 0x60F).name == "5.1")
    #expect(ChannelLayout(mask: 0x63F).name == "7.1")
    #expect(ChannelLayout(mask: 0x33).name == "quad")
    #expect(ChannelLayout(mask: 0x107).name == "4 channels")
  }

  @Test("each position has FFmpeg's bit, and its number in JSON")
  func positions() throws {
    let bits = Array(0...17) + Array(31...40)
    #expect(ChannelLayout.Channel.allCases.map(\.rawValue) == bits)
    let all = ChannelLayout(mask: .max)
    #expect(all.channels.map(\.rawValue) == bits)
    let json = String(decoding: try JSONEncoder().encode(all.channels), as: UTF8.self)
    #expect(json == "[\(bits.map(String.init).joined(separator: ","))]")
  }

  @Test("a failure and a warning read as one line, with their file")
  func failureTexts() {
    #expect("\(Failure(.mendInput, "is empty", path: "a/b.wav"))" == "a/b.wav: is empty")
    #expect(String(describing: Failure(.mendJob, "no outputs")) == "no outputs")
    #expect("\(Warning("is long", path: "b.mp3") as Any)" == "b.mp3: is long")
  }

  @Test("a refused edit says what was wrong, and how long the content is")
  func editErrorTexts() throws {
    let third = Time(value: 1, timescale: 3)
    let errors: [(EditError, String)] = [
      (
        .invalidRange(range(0, 300), contentDuration: Time(value: 3152, timescale: 105)),
        "0s for 5:00 is no range of the content, which lasts 0:30.019048"
      ),
      (.invalidRange(range(5, 0)), "5s for 0s is no range of the content"),
      (.invalidTime(-third), "-0:00.333333 is no moment of a timeline"),
      (
        .overlappingRamps(range(4, 4), TimeRange(start: third, duration: seconds(5))),
        "a ramp from 0:00.333333 to 0:05.333333 overlaps one from 4s to 8s"
      ),
    ]
    for (error, text) in errors { #expect("\(error)" == text) }

    var composition = Composition()
    do throws(EditError) {
      try composition.insertTimeRange(range(0, 300), of: sound("a", lasting: 200), at: .zero)
      Issue.record("the asset is shorter")
    } catch {
      #expect("\(error)" == "0s for 5:00 is no range of the content, which lasts 3:20")
    }
  }
}
