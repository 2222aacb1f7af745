import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestNetwork
import TestSupport
import Testing

@testable import Playback

@Suite("Players of the program's own sources") struct OwnSourceTests {
  private let folder = TestFolder()
  private let library = MediaLibrary()

  init() throws { try TestNetwork.prepare() }

  /// Seconds of noise as FFmpeg encodes it.
  private func bytes(_ name: String, seconds: Int, _ arguments: [String]) throws -> [UInt8] {
    let path = folder.path(name)
    try Tool.encodeNoise(to: path, seconds: seconds, arguments)
    return try readFile(path)
  }

  private func item(_ source: any MediaSource) throws -> PlayerItem {
    try PlayerItem(contentsOf: .source(source), library: library)
  }

  @Test("a medium in memory is played as its file is, and by several players")
  func playsData() throws {
    let data = MediaData(try readFile(Fixture.path("feelings.ogg")), name: "feelings.ogg")
    let expected = try PlayerItem.ofFixture("feelings.ogg").exported()
    let first = try item(data)
    #expect(
      first.name == "feelings.ogg" && first.loadedTimeRanges.map(\.duration) == [first.duration])
    #expect(try first.heard() == expected)
    #expect(try item(data).heard() == expected)
  }

  @Test("while a source blocks, the player waits, obeys, and goes on without losing a sample")
  func obeys() throws {
    let bytes = try bytes("slow.wav", seconds: 6, [])
    let source = TestSource(bytes, name: "slow.wav", held: 500_000..<600_000)
    let item = try item(source)
    let device = MemoryDevice(rate: 44_100)
    let player = try Player(item, opening: device.opener)
    player.play()
    try wait(until: "the player waits for bytes") {
      player.reasonForWaitingToPlay == .toMinimizeStalls && source.waiting > 0
    }
    player.pause()
    #expect(player.timeControlStatus == .paused)
    try device.waitUntilDropped()
    source.release()
    player.play()
    try player.waitUntilPaused()
    let whole = try PlayerItem(
      contentsOf: FilePath(folder.path("slow.wav")), library: library
    ).exported()
    #expect(device.floats == whole)
  }

  @Test("of a source that is kept by ranges, the ranges that are here are shown")
  func shows() throws {
    let bytes = try bytes("ranges.wav", seconds: 12, [])
    let source = TestSource(
      bytes, name: "ranges.wav", cacheIdentifier: "player ranges", validator: "1",
      gap: 1_000_000..<1_500_000)
    let item = try item(source)
    let device = MemoryDevice(rate: 44_100)
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    #expect(player.failure?.location == .source(source))
    let first = try #require(item.loadedTimeRanges.first)
    #expect(first.start == .zero && abs(first.end.seconds - 1_000_000 / 176_400.0) < 0.2)
    #expect(item.loadedTimeRanges.last != TimeRange(start: .zero, end: item.duration))
    #expect(abs(Double(device.playedFrames) / 44_100 - first.end.seconds) < 0.1)
  }

  /// A format, and how much sound before a gap may be lost: what a frame of it holds, what an encoder's
  /// delay takes, and what a decoder gives with the frame after it.
  static let formats: [(name: String, arguments: [String], slack: Double)] = [
    ("lame.mp3", ["-b:a", "128k"], 0.06),
    ("untagged.mp3", ["-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0"], 0.06),
    ("vbr.mp3", ["-q:a", "5"], 0.3), ("gap.flac", [], 0.3), ("gap.wav", [], 0.2),
    ("gap.aac", ["-b:a", "128k"], 1.2), ("gap.m4a", ["-b:a", "128k"], 0.5),
    ("gap.ogg", ["-c:a", "libvorbis"], 1.2), ("gap.opus", ["-ar", "48000", "-b:a", "192k"], 1.2),
    ("gap.mp2", [], 0.06), ("gap.aiff", [], 0.2), ("gap.mka", ["-c:a", "flac"], 1.2),
  ]

  @Test("all sound before a gap is heard, and then its failure", arguments: 0..<12)
  func hearsUpToGaps(index: Int) throws {
    let (name, arguments, slack) = Self.formats[index]
    let bytes = try bytes(name, seconds: 30, arguments)
    let gap = Int64(bytes.count / 2)..<Int64(bytes.count * 3 / 4)
    let whole = try PlayerItem(contentsOf: FilePath(folder.path(name)), library: library).exported()
    // These are read to their ends to learn their lengths.
    let isCounted = ["aac", "mp2", "flac", "ogg", "opus", "mka"].contains { name.hasSuffix($0) }
    let source = TestSource(
      bytes, name: name, cacheIdentifier: isCounted ? nil : "gap-\(name)", validator: "1",
      gap: isCounted ? nil : gap)
    let item = try item(source)
    source.setGap(gap)
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    #expect(player.failure?.message.contains("the key is missing") == true)
    let heard = device.floats
    #expect(heard[...] == whole.prefix(heard.count))
    let seconds = Double(heard.count / 2) / Double(item.sampleRate)
    #expect(seconds > 15 - slack, "\(name): \(seconds) s")
  }

  @Test("the first sound of an MP3 needs its first bytes and its last ones", arguments: 0..<3)
  func hearsEarly(index: Int) throws {
    let (name, arguments, _) = Self.formats[index]
    for seconds in [20, 90] {
      let name = "\(seconds)-\(name)"
      let bytes = try bytes(name, seconds: seconds, arguments)
      let id = index == 1 ? nil : "early-\(name)"
      let source = TestSource(
        bytes, name: name, cacheIdentifier: id, validator: "1",
        held: 50_000..<Int64(bytes.count - 20_000))
      let item = try item(source)
      let device = MemoryDevice(rate: 44_100)
      let player = try Player(item, opening: device.opener)
      // What is held may be within the seconds that a start waits for.
      player.automaticallyWaitsToMinimizeStalling = false
      player.play()
      try device.waitUntilPlayed(44_100)
      source.release()
      try player.waitUntilPaused()
      let file = FilePath(folder.path(name))
      let whole = try PlayerItem(contentsOf: file, library: library).exported()
      #expect(device.floats == whole, "\(name)")
    }
  }
}
