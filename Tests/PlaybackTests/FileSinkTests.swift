import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import Playback

@Suite struct FileSinkTests {
  let folder = TestFolder()

  private func play(_ item: PlayerItem, to opener: @escaping SinkOpener) throws {
    let player = try Player(item, opening: opener)
    player.play()
    try player.waitUntilPaused()
    #expect(player.failure == nil)
  }

  @Test(
    "a file gets what a device would play, and other programs read it",
    arguments: SampleEncoding.allCases)
  func content(encoding: SampleEncoding) throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: item.sampleRate, encoding)
    try play(item, to: device.opener)
    let (raw, wav) = (folder.path("heard.raw"), folder.path("heard.wav"))
    try play(item, to: FileSink.opener(FilePath(raw), as: encoding, container: .raw))
    let isSame = try readFile(raw) == device.bytes
    #expect(isSame)

    try play(item, to: FileSink.opener(FilePath(wav), as: encoding))
    let codec =
      switch encoding {
      case .float32: "pcm_f32le"
      case .int32: "pcm_s32le"
      case .int24, .packedInt24: "pcm_s24le"
      case .int16: "pcm_s16le"
      }
    let facts = try Tool.succeed(
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries",
      "stream=codec_name,sample_rate,channels,duration_ts", wav)
    #expect(facts.text == "\(codec),44100,2,44100\n")
    let samples = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", wav, "-c", codec, "-f", String(codec.dropFirst(4)), "-")
    var expected = device.bytes
    if encoding == .int24 {
      expected = expected.indices.filter { $0 % 4 != 3 }.map { expected[$0] }
    }
    #expect(samples.errors == "")
    let isRead = samples.output == expected
    #expect(isRead)
  }

  @Test("each channel has its place in a WAV", arguments: [(1, "mono"), (4, "quad"), (6, "5.1")])
  func channels(count: Int, layout: String) throws {
    let path = folder.path("\(count).wav")
    let format = SinkFormat(
      sampleRate: 8000, channelCount: count, encoding: .int16, periodFrames: 10, bufferFrames: 10)
    do {
      let file = try OutputFile.grow(at: FilePath(path), replacing: false)
      let sink = try FileSink(file, format, .wav)
      let frames = [Int16](repeating: 7, count: 10 * count)
      let outcome = try frames.withUnsafeBytes { bytes in
        try bytes.baseAddress.map { try sink.write($0, count: 10) }
      }
      #expect(outcome == .wrote(10))
    }
    let facts = try Tool.succeed(
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries",
      "stream=channels,channel_layout,duration_ts", path)
    // Of one and two channels a WAV says no more.
    #expect(facts.text == "\(count),\(count > 2 ? layout : "unknown"),10\n")
  }

  @Test("an existing file is replaced only on request")
  func replacing() throws {
    let item = try QueuePlayerTests.items()[1]
    let path = folder.path("heard.wav")
    try writeFile(path, [1, 2, 3])
    let player = try Player(item, opening: FileSink.opener(FilePath(path)))
    player.play()
    try wait(until: "the player fails") { player.failure != nil }
    #expect(player.reasonForWaitingToPlay == .noDevice)
    #expect(player.failure?.remedy == .mendJob)
    #expect(player.failure?.path?.string == path)
    player.pause()
    #expect(try readFile(path) == [1, 2, 3])
    try play(item, to: FileSink.opener(FilePath(path), replacing: true))
    #expect(try readFile(path).count > 44_100 * 8)
  }

  /// A disk with room for 20 kB.
  private static func fullDisk() -> FileCalls {
    var calls = FileCalls()
    calls.write = { descriptor, bytes, offset in
      guard offset < 20_000 else {
        errno = ENOSPC
        return -1
      }
      // A part of what there is, which ends amid a frame.
      return pwrite(
        descriptor, bytes.baseAddress, min(bytes.count, 20_001 - Int(offset)), off_t(offset))
    }
    return calls
  }

  @Test(
    "where the disk is full, the file keeps what went into it, and the player stops and says why")
  func full() throws {
    let path = FilePath(folder.path("heard.raw"))
    let format = SinkFormat(
      sampleRate: 44_100, channelCount: 2, encoding: .float32, periodFrames: 1024,
      bufferFrames: 1024)
    let item = try QueuePlayerTests.items()[1]
    let player = try Player(item) { _ throws(Failure) in
      let file = try OutputFile.grow(at: path, replacing: true, calls: Self.fullDisk())
      return try FileSink(file, format, .raw)
    }
    let events = try player.toldUntilPaused()
    let failures = events.compactMap { event -> Failure? in
      if case .deviceFailed(let failure) = event { failure } else { nil }
    }
    #expect(failures.map(\.path) == [path])
    #expect(player.failure == failures.first)
    #expect(player.failure?.message.contains("make room on that disk") == true)
    // What a slot holds is written as a whole, or not at all.
    let slot = SlotRing.slotFrames(atRate: 44_100) * 8
    let bytes = try readFile(path.string)
    #expect(bytes.count == 20_000 / slot * slot)
    #expect(player.currentTime == Time(frames: Int64(bytes.count / 8), rate: 44_100))
    // Nothing is opened anew, which would empty it.
    _ = try player.toldUntilPaused()
    #expect(try readFile(path.string) == bytes)
  }
}

@Suite struct NullSinkTests {
  @Test("without a device, sound lasts as long as it is, in the requested samples")
  func lasts() throws {
    let item = try QueuePlayerTests.items()[1]
    let player = try Player(item, opening: NullSink.opener(as: .int16))
    let start = ContinuousClock.now
    player.play()
    try player.waitUntilPaused()
    #expect(start.duration(to: .now) >= .seconds(1))
    #expect(player.currentTime == item.duration)
    #expect(player.device.format?.encoding == .int16)
    #expect(player.device.format?.sampleRate == item.sampleRate)
  }

  @Test("without sound it runs dry, reports it once, and takes sound again; a drain is different")
  func runsDry() throws {
    let sink = NullSink(
      SinkFormat(
        sampleRate: 48_000, channelCount: 1, encoding: .int16, periodFrames: 100,
        bufferFrames: 1000))
    let frames = [Int16](repeating: 0, count: 2000)
    func write(_ count: Int) -> SinkOutcome? {
      frames.withUnsafeBytes { bytes in bytes.baseAddress.map { sink.write($0, count: count) } }
    }
    // Less than a period does not start it.
    #expect(write(99) == .wrote(99))
    usleep(10_000)
    #expect(sink.delay == 99)
    #expect(write(2000) == .wrote(901))
    try wait(until: "all is heard") {
      sink.wait(or: -1, milliseconds: 100)
      return sink.delay == 0
    }
    #expect(write(1) == .ranDry)
    #expect(write(50) == .wrote(50))
    #expect(!sink.drain() || sink.delay == 0)
    try wait(until: "all is drained") {
      sink.wait(or: -1, milliseconds: 100)
      return sink.drain()
    }
    #expect(write(50) == .wrote(50))
    sink.drop()
    #expect(sink.delay == 0)
    #expect(sink.drain())
  }
}
