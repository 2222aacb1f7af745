import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import Playback
import SystemPackage
import Terminal
import TestSupport
import Testing
import Threads

@testable import LiveScreens

/// A paused preview of an entry of three joined clips and another entry.
private struct PausedPreview {
  let items: [PlayerItem]
  var controls: PreviewControls
  let messages: Inbox<PreviewMessage>
  var player: QueuePlayer { controls.player }

  /// Joins are at 1 s and at 1.5 s.
  init() throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    func clip(_ start: Int64, _ length: Int64, at place: Int64) -> Segment {
      let source = TimeRange(start: tenths(start), duration: tenths(length))
      return Segment(.asset(asset), source: source, at: tenths(place))
    }
    let composition = Composition(tracks: [
      Track(
        name: "voice", segments: [clip(5, 10, at: 0), clip(0, 5, at: 10), clip(0, 30, at: 15)]),
      Track(name: "bed", segments: [clip(0, 20, at: 0)]),
    ])
    let output = Output(path: "none.wav", format: .wav(.float32))
    let entries = ["one", "two"].map { name in
      let chapters = [
        Chapter(start: tenths(2), title: "first"), Chapter(start: tenths(20), title: "second"),
      ]
      return PreviewEntry(
        .job(
          ExportSession(
            Export(name: name, composition: composition, chapters: chapters, outputs: [output]),
            library: library)))
    }
    let made = PreviewItems(entries, library: library)
    items = try entries.indices.map { try made.make($0).item }
    let player = try QueuePlayer(items: items, opening: NullSink.opener())
    let inbox = try Inbox<PreviewMessage>()
    messages = inbox
    controls = PreviewControls(
      player, made, isLooping: false,
      outputs: EncodedOutputs(library: library) { inbox.put($0) })
    controls.setPlaying(false)
  }

  mutating func perform(_ commands: PlayerCommand...) {
    for command in commands { controls.perform(command) }
  }
}

private func tenths(_ value: Int64) -> Time { Time(value: value, timescale: 10) }

@Suite struct PlayerCommandsTests {
  @Test("steps are as long as they say, and one of a sample moves by exactly one frame")
  func steps() throws {
    var preview = try PausedPreview()
    let rate = preview.items[0].sampleRate
    preview.perform(.step(milliseconds: 1000), .step(milliseconds: 100), .step(milliseconds: 100))
    #expect(preview.player.currentTime == tenths(12))
    preview.perform(.frame(by: 1), .frame(by: 1), .frame(by: 1))
    #expect(
      preview.player.currentTime
        == Time(frames: tenths(12).frames(atRate: rate) + 3, rate: rate))
    preview.perform(.frame(by: -4))
    #expect(
      preview.player.currentTime
        == Time(frames: tenths(12).frames(atRate: rate) - 1, rate: rate))
    preview.perform(.seek(.to(.zero)), .frame(by: -1))
    #expect(preview.player.currentTime == .zero)
    preview.controls.setPlaying(true)
    preview.perform(.frame(by: 1))
    #expect(!preview.controls.isPlaying)
  }

  @Test("there are keys for chapters, items, joins and entries")
  func places() throws {
    var preview = try PausedPreview()
    func times(_ command: PlayerCommand, _ count: Int) -> [Time] {
      (0..<count).map { _ in
        preview.perform(command)
        return preview.player.currentTime
      }
    }
    #expect(times(.item(by: 1), 3) == [tenths(10), tenths(15), tenths(15)])
    #expect(preview.controls.message?.contains("no item begins") == true)
    preview.perform(.seek(.to(.zero)))
    #expect(times(.join(by: 1), 2) == [tenths(10), tenths(15)])
    #expect(preview.controls.message == "join 2 of 2 at 0:01.500")
    preview.perform(.join(by: 1))
    #expect(preview.controls.message == "no join comes after this place")
    // Nothing begins two seconds before the place.
    preview.perform(.go(to: "3.4s"), .join(by: -1))
    #expect(preview.player.currentTime == tenths(10))
    preview.perform(.entry(.by(1)))
    #expect(preview.player.currentItem === preview.items[1])
    preview.perform(.entry(.by(1)))
    #expect(preview.controls.message == "this is the last entry")
    preview.perform(.entry(.by(-1)))
    #expect(preview.player.currentItem === preview.items[0])
    preview.perform(.next(.chaptersOrItems))
    #expect(preview.player.currentTime == tenths(2))
  }

  @Test("commands of other programs pass over items, set volume and speed, and leave the entry")
  func remoteCommands() throws {
    var preview = try PausedPreview()
    preview.perform(.go(to: "1s"), .next(.chapters))
    #expect(preview.player.currentTime == tenths(20))
    preview.perform(.previous(.chapters))
    #expect(preview.player.currentTime == .zero)
    preview.perform(.volume(.to(0.5)), .rate(.to(9)), .repeats(.all))
    #expect(preview.controls.volume == -6)
    #expect(preview.player.speed == .fastest)
    #expect(preview.controls.repeatType == .all)
    // Less than a decibel is one.
    preview.perform(.volume(.to(Double(preview.player.volume) - 0.01)))
    #expect(preview.controls.volume == -7)
    preview.perform(.repeats(.off), .skip(by: tenths(6000)))
    #expect(preview.player.currentItem === preview.items[1])
    preview.perform(.stop)
    #expect(preview.player.currentTime == .zero)
    let found = preview.controls.perform(.entry(.to(0)))
    #expect(found == .success)
    #expect(preview.player.currentItem === preview.items[0])
    let missing = preview.controls.perform(.entry(.to(2)))
    #expect(missing == .noSuchContent)
  }

  @Test("a tour begins before the next join, and ends by a jump, by r and by Escape")
  func tour() throws {
    var preview = try PausedPreview()
    preview.perform(.go(to: "1.2s"), .tour)
    #expect(preview.controls.tour?.index == 1)
    #expect(preview.controls.isPlaying)
    #expect(preview.player.currentTime < tenths(1))
    preview.perform(.playOrPause, .volume(.by(-1)), .mark)
    #expect(preview.controls.tour != nil)
    preview.perform(.join(by: -1))
    #expect(preview.controls.tour?.index == 0)
    // The report that the entry has begun may come late.
    preview.controls.itemBegan(preview.items[0])
    #expect(preview.controls.tour != nil)
    preview.controls.itemBegan(preview.items[1])
    #expect(preview.controls.tour == nil)
    for end in [PlayerCommand.tour, .leave, .step(milliseconds: 1000), .loopStart, .entry(.by(1))] {
      preview.perform(.seek(.to(.zero)), .tour)
      #expect(preview.controls.tour != nil)
      preview.perform(end)
      #expect(preview.controls.tour == nil, "\(end)")
      preview.controls.setPlaying(false)
    }
  }

  @Test("a loop is adjusted at both ends, waits behind its end, and is cleared")
  func loops() throws {
    var preview = try PausedPreview()
    func range(_ start: Int64, _ end: Int64) -> TimeRange {
      TimeRange(start: tenths(start), end: tenths(end))
    }
    preview.perform(.loopEnd)
    #expect(preview.controls.message?.contains("press [ first") == true)
    preview.perform(.go(to: "1s"), .loopStart)
    #expect(preview.controls.message == "the loop starts at 0:01.000; ] ends it")
    preview.perform(.go(to: "2s"), .loopEnd)
    #expect(preview.player.loopRange == range(10, 20))
    #expect(preview.player.currentTime == tenths(10))
    #expect(
      preview.controls.message == "loop from 0:01.000 to 0:02.000, 0:01.000 long; \\ clears it")
    preview.perform(.go(to: "3s"))
    #expect(preview.player.loopRange == nil)
    preview.perform(.loopEnd)
    #expect(preview.player.loopRange == range(10, 30))
    preview.perform(.go(to: "3.2s"), .go(to: "0.5s"))
    #expect(preview.player.loopRange == range(10, 30))
    preview.perform(.loopStart)
    #expect(preview.player.loopRange == range(5, 30))
    preview.perform(.frame(by: 1), .loopEnd)
    #expect(preview.controls.message == "a loop lasts 10 ms or more")
    #expect(preview.controls.loop == PreviewModel.Loop(start: tenths(5), end: tenths(30)))
    #expect(preview.player.loopRange == range(5, 30))
    preview.perform(.noLoop)
    #expect(preview.player.loopRange == nil)
    #expect(preview.controls.loop == nil)
    preview.perform(.noLoop)
    #expect(preview.controls.message == "there is no loop")
  }

  @Test("marks are set at the place and for the loop, named, removed, and gone to")
  func marks() throws {
    var preview = try PausedPreview()
    preview.perform(.unmark)
    #expect(preview.controls.message == "there is no mark: m sets one")
    preview.perform(.markLoop)
    #expect(preview.controls.message?.hasPrefix("there is no loop to mark") == true)
    preview.perform(.go(to: "1s"), .mark, .mark)
    #expect(preview.controls.message == "a mark is here already")
    preview.perform(.nameMark("a\u{1B}b"))
    preview.perform(.loopStart, .go(to: "2s"), .loopEnd, .markLoop)
    #expect(
      preview.controls.marksText
        == "marks of one:\n1.000000\t1.000000\ta\u{FFFD}b\n1.000000\t2.000000\tmark 2\n")
    preview.perform(.entry(.by(1)), .list(.open), .list(.find("mark 2")), .list(.choose))
    #expect(preview.player.currentItem === preview.items[0])
    #expect(preview.player.currentTime == tenths(10))
    #expect(preview.controls.list == nil)
    preview.perform(.list(.open), .list(.find("mark 2")), .list(.remove))
    #expect(preview.controls.message == "'mark 2' is removed")
    preview.perform(.list(.find("2")), .list(.choose))
    #expect(preview.player.currentItem === preview.items[1])
    preview.perform(.list(.open), .list(.find("second")), .list(.first), .list(.choose))
    #expect(preview.player.currentItem === preview.items[0])
    #expect(preview.player.currentTime == tenths(20))
    preview.perform(.unmark)
    #expect(preview.controls.marksText == "")
  }

  @Test("the encoded output is heard at the place of the mix, and then the mix again")
  func encodedOutput() throws {
    var preview = try PausedPreview()
    defer { preview.controls.outputs.end() }
    preview.perform(.go(to: "1s"), .encoded)
    #expect(preview.controls.message == "encoding 'one'")
    var encoded: EncodedOutputs.Encoded?
    try wait(until: "the output is encoded") {
      for case .encoded(let found) in preview.messages.takeAll() { encoded = found }
      return encoded != nil
    }
    preview.controls.take(try #require(encoded))
    let item = try #require(preview.player.currentItem)
    #expect(item.name == "one, encoded")
    #expect(item.duration == preview.items[0].duration)
    #expect(preview.player.currentTime == tenths(10))
    #expect(preview.controls.items.index(of: item) == 0)
    preview.perform(.encoded)
    #expect(preview.player.currentItem === preview.items[0])
    #expect(preview.player.currentTime == tenths(10))
    preview.perform(.encoded)
    #expect(preview.player.currentItem === item)
  }

  @Test("the list of devices has the present one, and goes over to another")
  func devices() throws {
    var preview = try PausedPreview()
    preview.perform(.list(.openDevices))
    #expect(preview.controls.list?.selected?.kind == .device("default"))
    preview.perform(.list(.find("discard all samples")), .list(.choose))
    #expect(preview.controls.list == nil)
    #expect(preview.controls.device == "null")
    preview.perform(.list(.openDevices))
    #expect(preview.controls.list?.selected?.kind == .device("null"))
  }

  @Test("a device that cannot be opened is left for the one before, however many were tried")
  func wrongDevice() throws {
    var preview = try PausedPreview()
    preview.controls.goOver(toDevice: "jack")
    preview.controls.goOver(toDevice: "oss")
    let former = try #require(preview.controls.formerDevice)
    preview.controls.goBack(toDevice: former, for: Failure(.mendMachine, "it is not there"))
    #expect(preview.controls.device == "default")
    #expect(preview.controls.formerDevice == nil)
    #expect(
      preview.controls.message
        == "'oss' cannot be opened, and 'default' plays on: it is not there")
  }

  @Test("tracks are muted and heard alone at the cursor, which stays among them")
  func tracks() throws {
    var preview = try PausedPreview()
    let tracks = preview.items[0].tracks
    let last = tracks.count - 1
    preview.perform(.track(.choose), .track(.move(by: 100)), .track(.mute))
    #expect(preview.controls.trackCursor == last)
    #expect(!tracks[last].isEnabled)
    preview.perform(.track(.go(to: 1)), .track(.solo))
    #expect(tracks[0].isSolo)
    preview.perform(.track(.go(to: 99)))
    #expect(preview.controls.message == "there is no track 99")
    preview.perform(.track(.go(to: 0)))
    #expect(preview.controls.trackCursor == 0)
    preview.perform(.track(.leave))
    #expect(preview.controls.trackCursor == nil)
  }
}

@Suite struct OverviewScanTests {
  @Test("the overview has the peak of each column, and begins only when it may")
  func peaks() throws {
    let preview = try PausedPreview()
    let scan = OverviewScan()
    #expect(scan.overview(of: preview.items[0], mayBegin: false) == Overview())
    #expect(scan.overview(of: preview.items[0], mayBegin: true) == Overview())
    var overview = Overview()
    try wait(until: "the overview is whole") {
      overview = scan.overview(of: preview.items[0], mayBegin: false) ?? Overview()
      return overview.columns > 0 && overview.peaks.count == overview.columns
    }
    let whole = try preview.items[0].wholePeak()
    #expect(overview.columns == 1000)
    #expect(overview.peak(from: 0, to: 1) == whole)
    #expect(overview.peak(from: 0.5, to: 0.5) == overview.peaks[500])
    // Another item takes its turn, and what is known stays known.
    _ = scan.overview(of: preview.items[1], mayBegin: true)
    #expect(scan.overview(of: preview.items[0], mayBegin: true) == overview)
    scan.end()
  }

  @Test("a column is known when all of its sound is")
  func columns() {
    let overview = Overview(columns: 10, peaks: [-1, -2, -3, -4])
    #expect(overview.peak(from: 0, to: 0.4) == -1)
    #expect(overview.peak(from: 0.25, to: 0.35) == -3)
    #expect(overview.peak(from: 0.25, to: 0.45) == nil)
    #expect(overview.peak(from: 0.39, to: 0.39) == -4)
    #expect(Overview().peak(from: 0, to: 1) == nil)
  }
}

extension PlayerItem {
  /// The largest magnitude in decibels of full scale.
  fileprivate func wholePeak() throws -> Float {
    var peak: Float = 0
    try findPeaks(columns: 1, cancellation: CancellationFlag()) { peak = max(peak, $1) }
    return 20 * log10(peak)
  }
}
