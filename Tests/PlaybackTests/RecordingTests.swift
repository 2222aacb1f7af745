import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite("Recorder") struct RecordingTests {
  let folder = TestFolder()

  /// Records all that a microphone gives, and stops.
  private func record(
    _ microphone: MemoryMicrophone, to name: String,
    _ settings: RecordingSettings = RecordingSettings()
  ) throws -> Recording {
    let recorder = try recorder(microphone, to: name, settings)
    try recorder.record()
    // One that ends by itself may leave something in the microphone.
    try wait(until: "all is recorded") { microphone.isQuiet || recorder.isFinished }
    recorder.stop()
    return try recorder.finished()
  }

  func recorder(
    _ microphone: MemoryMicrophone, to name: String,
    _ settings: RecordingSettings = RecordingSettings()
  ) throws -> Recorder {
    try Recorder(
      to: FilePath(folder.path(name)), settings: settings, clock: microphone.clock,
      opening: microphone.opener)
  }

  /// What ffmpeg makes of a file, as raw samples.
  func decoded(_ name: String, as format: String) throws -> [UInt8] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path(name), "-f", format, "-"
    ).output
  }

  /// Bytes that are sound in any encoding of integers.
  func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var dice = Dice(seed)
    return dice.bytes(count)
  }

  @Test(
    "what the device gives is in the file bit for bit, with samples as wide as its own",
    arguments: [
      ("a.wav", SampleEncoding.int16, "s16le"), ("a.wav", .packedInt24, "s24le"),
      ("a.flac", .int16, "s16le"), ("a.flac", .packedInt24, "s24le"),
    ])
  func exact(name: String, encoding: SampleEncoding, format: String) throws {
    let sound = noise(30_001 * 2 * encoding.byteCount)
    let recording = try record(MemoryMicrophone(sound, encoding), to: name)
    #expect(recording.frameCount == 30_001)
    #expect(recording.end == .stopped)
    #expect(recording.losses == [])
    #expect(try decoded(name, as: format) == sound)
  }

  @Test("24 bits at the bottom or the top of 32 are the same 24 bits")
  func wideIntegers() throws {
    let samples = (0..<20_000).map { index in Int32(truncatingIfNeeded: index &* 40_503) << 8 }
    for (encoding, shift) in [(SampleEncoding.int32, 0), (.int24, 8)] {
      let bytes = samples.flatMap { sample in
        withUnsafeBytes(of: (sample >> Int32(shift)).littleEndian, Array.init)
      }
      _ = try record(MemoryMicrophone(bytes, encoding), to: "\(encoding).wav")
      let expected = samples.flatMap { sample in
        withUnsafeBytes(of: sample.littleEndian, Array.init)[1...]
      }
      #expect(try decoded("\(encoding).wav", as: "s24le") == expected)
    }
  }

  @Test("floats stay floats in WAV, and NaN becomes silence")
  func floats() throws {
    var samples = Signal.noise(seed: 3, count: 10_000, amplitude: 2)
    samples[77] = .nan
    samples[78] = .infinity
    let bytes = samples.flatMap { withUnsafeBytes(of: $0, Array.init) }
    let recording = try record(MemoryMicrophone(bytes, .float32), to: "a.wav")
    samples[77] = 0
    samples[78] = 0
    #expect(
      try decoded("a.wav", as: "f32le") == samples.flatMap { withUnsafeBytes(of: $0, Array.init) })
    #expect(recording.files.first?.clippedSamples ?? 0 > 0)
  }

  @Test("an MP3 has the whole sound in place, and is as long")
  func mp3() throws {
    let sound = Signal.glide(sampleRate: 44_100, count: 100_000)
    let bytes = sound.flatMap { withUnsafeBytes(of: $0, Array.init) }
    let microphone = MemoryMicrophone(bytes, rate: 44_100, channels: 1, .float32)
    let recording = try record(microphone, to: "a.mp3")
    #expect(recording.frameCount == 100_000)
    let floats = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path("a.mp3"), "-f", "f32le", "-"
    ).floats
    #expect(floats.count == 100_000)
    #expect(Signal.correlation(floats, sound) > 0.99)
  }

  @Test(
    "AAC, ALAC, Opus and Vorbis have the whole sound in place, and are as long",
    arguments: [
      ("a.m4a", Output.Format?.none), ("b.m4a", .alac(bitDepth: 16)), ("a.opus", nil),
      ("a.ogg", nil),
    ])
  func codecs(name: String, format: Output.Format?) throws {
    let sound = Signal.glide(sampleRate: 48_000, count: 100_001)
    let bytes = sound.flatMap { withUnsafeBytes(of: $0, Array.init) }
    let microphone = MemoryMicrophone(bytes, channels: 1, .float32)
    var settings = RecordingSettings()
    settings.format = format
    let recording = try record(microphone, to: name, settings)
    #expect(recording.frameCount == 100_001)
    let floats = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path(name), "-f", "f32le", "-"
    ).floats
    // FFmpeg 5.1 decodes the last packet of AAC as a whole.
    #expect(name == "a.m4a" ? floats.count < 100_001 + 1024 : floats.count == 100_001)
    #expect(Signal.correlation(floats.prefix(100_001), sound) > 0.99)
    if name.hasSuffix("m4a") {
      let length = try Tool.succeed(
        "ffprobe", "-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0",
        folder.path(name)
      ).text
      #expect(length == "100001\n")
    }
  }

  @Test("a marker of an M4A is a label beside it, as of all files without a place for markers")
  func codecMarkers() throws {
    let microphone = MemoryMicrophone(noise(4 * 9600), mishaps: [(4800, .holds)])
    let recorder = try recorder(microphone, to: "a.m4a")
    try recorder.record()
    try microphone.waitUntilQuiet()
    try wait(until: "it has recorded") { recorder.currentTime > .zero }
    recorder.addMarker("here")
    try wait(until: "it is marked") { !recorder.markers.isEmpty }
    microphone.release()
    try microphone.waitUntilQuiet()
    recorder.stop()
    let recording = try recorder.finished()
    #expect(recording.labelFiles == [FilePath(folder.path("a.labels.txt"))])
    #expect(recording.frameCount == 9600)
  }

  @Test("silence replaces lost sound, and the file and the report show it")
  func losses() throws {
    let sound = noise(60_000 * 4)
    let microphone = MemoryMicrophone(
      sound,
      mishaps: [
        (10_000, .overruns(1234)), (20_000, .isInterrupted(777)), (40_000, .isUnplugged(5000)),
      ])
    let recording = try record(microphone, to: "a.wav")
    var expected = sound
    for lost in [10_000..<11_234, 20_000..<20_777, 40_000..<45_000] {
      for index in (lost.lowerBound * 4)..<(lost.upperBound * 4) { expected[index] = 0 }
    }
    #expect(try decoded("a.wav", as: "s16le") == expected)
    #expect(
      recording.losses == [
        RecordingLoss(
          cause: .overrun, time: Time(frames: 10_000, rate: 48_000), frameCount: 1234),
        RecordingLoss(
          cause: .interruption, time: Time(frames: 20_000, rate: 48_000), frameCount: 777),
        RecordingLoss(
          cause: .unplugged, time: Time(frames: 40_000, rate: 48_000), frameCount: 5000),
      ])
    let listing = try Tool.succeed("sndfile-info", folder.path("a.wav")).text
    #expect(listing.contains("Count : 3") || listing.contains("Cue"), "\(listing)")
    #expect(microphone.state.withLock { $0.openings } == 2)
  }

  @Test("a pause leaves out sound until the recording continues")
  func pause() throws {
    let sound = noise(50_000 * 4)
    let microphone = MemoryMicrophone(sound, mishaps: [(20_000, .holds), (33_333, .holds)])
    let recorder = try recorder(microphone, to: "a.wav")
    try recorder.record()
    for action in [{ recorder.pause() }, { try recorder.record() }] as [() throws -> Void] {
      try microphone.waitUntilQuiet()
      try action()
      microphone.release()
    }
    try microphone.waitUntilQuiet()
    recorder.stop()
    #expect(try recorder.finished().frameCount == 20_000 + 16_667)
    let bytes = try decoded("a.wav", as: "s16le")
    #expect(bytes == Array(sound[..<80_000] + sound[133_332...]))
  }

  @Test("a length is kept to the frame, in one go or after a pause")
  func duration() throws {
    let sound = noise(50_000 * 4)
    var settings = RecordingSettings()
    settings.duration = Time(frames: 12_345, rate: 48_000)
    let recorder = try recorder(MemoryMicrophone(sound), to: "a.wav", settings)
    try recorder.record()
    let recording = try recorder.finished()
    #expect(recording.frameCount == 12_345)
    #expect(recording.end == .duration)
    #expect(try decoded("a.wav", as: "s16le") == Array(sound[..<(12_345 * 4)]))
    let other = try self.recorder(MemoryMicrophone(sound), to: "b.wav")
    try other.record(forDuration: Time(frames: 700, rate: 48_000))
    #expect(try other.finished().frameCount == 700)
  }

  @Test("parts follow each other without a frame between them, each of its length")
  func split() throws {
    let sound = noise(100_000 * 4)
    var settings = RecordingSettings()
    // No whole number of frames: parts must not drift.
    settings.split = Time(value: 1, timescale: 7)
    let recording = try record(MemoryMicrophone(sound), to: "a.wav", settings)
    #expect(recording.frameCount == 100_000)
    let bounds = (0...15).map { min(100_000, Int64((Double($0) * 48_000 / 7).rounded())) }
    #expect(recording.files.map(\.frameCount) == zip(bounds.dropFirst(), bounds).map { $0 - $1 })
    var all: [UInt8] = []
    for number in 1...recording.files.count {
      let name = number < 10 ? "a-00\(number).wav" : "a-0\(number).wav"
      all += try decoded(name, as: "s16le")
    }
    #expect(all == sound)
    #expect(throws: Failure.self) {
      try self.recorder(MemoryMicrophone(sound), to: "a.wav", settings).prepareToRecord()
    }
  }

  /// Stereo of 16 bits: silence, but in the ranges, where a sample is 10,000.
  private func bursts(_ count: Int, _ ranges: [Range<Int>]) -> [UInt8] {
    var samples = [Int16](repeating: 3, count: count * 2)
    for range in ranges { for frame in range { samples[frame * 2 + 1] = -10_000 } }
    return samples.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
  }

  @Test("it begins with the first sound and half a second before it")
  func fromSound() throws {
    let sound = bursts(100_000, [60_000..<70_000])
    var settings = RecordingSettings()
    settings.startLevel = 0.1
    let recording = try record(MemoryMicrophone(sound), to: "a.wav", settings)
    #expect(recording.frameCount == 100_000 - 60_000 + 24_000)
    #expect(try decoded("a.wav", as: "s16le") == Array(sound[(36_000 * 4)...]))
    settings.duration = Time(frames: 24_100, rate: 48_000)
    settings.isReplacing = true
    let short = try record(MemoryMicrophone(sound), to: "a.wav", settings)
    #expect(short.frameCount == 24_100)
    #expect(try decoded("a.wav", as: "s16le") == Array(sound[(36_000 * 4)..<(60_100 * 4)]))
  }

  @Test("it ends after the given silence, and not before the first sound")
  func untilSilence() throws {
    let sound = bursts(150_000, [60_000..<60_001, 69_999..<80_000])
    var settings = RecordingSettings()
    settings.silence = .init(below: 0.1, for: Time(frames: 10_000, rate: 48_000))
    let recording = try record(MemoryMicrophone(sound), to: "a.wav", settings)
    #expect(recording.end == .silence)
    #expect(recording.frameCount == 90_000)
    // An oracle: from where to where it was silent.
    let said = try Tool.run([
      "ffmpeg", "-hide_banner", "-i", folder.path("a.wav"), "-af",
      "silencedetect=noise=0.1:d=0.2", "-f", "null", "-",
    ]).errors
    #expect(said.contains("silence_start: 1.6666"), "\(said)")
  }

  @Test("impossible settings are refused by name, and no file is left")
  func refusals() throws {
    let microphone = MemoryMicrophone(noise(4000))
    func message(_ name: String, _ change: (inout RecordingSettings) -> Void = { _ in }) -> String {
      var settings = RecordingSettings()
      change(&settings)
      do {
        try recorder(microphone, to: name, settings).prepareToRecord()
        return ""
      } catch {
        return "\(error)".replacing(folder.root + "/", with: "")
      }
    }
    try writeFile(folder.path("old.wav"), [1])
    #expect(message("old.wav") == "old.wav: exists already; record to another file")
    #expect(
      message("a.caf")
        == "a.caf: CAF is not recorded, since such a file cannot be played before it is whole; "
        + "record WAV, FLAC, MP3, M4A, Opus or Ogg, and convert it afterwards")
    #expect(
      message("a")
        == "a: its name has no format's extension; end it in .wav, .flac, .mp3, .m4a, .opus or .ogg"
    )
    #expect(
      message("a.m4a") { $0.sampleFormat = .int16 }
        == "AAC has no sample format; leave it out, or record WAV or FLAC")
    #expect(
      message("a.wav") { $0.sampleRate = 44_100 }
        == "the device does not record 44100 Hz but 48000 Hz; record that, and convert it afterwards"
    )
    #expect(
      message("a.wav") { $0.channelCount = 1 }
        == "the device does not record 1 channel but 2; record that many, and convert them "
        + "afterwards")
    #expect(
      message("a.flac") { $0.sampleFormat = .float32 }
        == "FLAC holds no floats; record 16 or 24 bits, or WAV")
    #expect(
      message("a.mp3") { $0.sampleFormat = .int16 }
        == "MP3 has no sample format; leave it out, or record WAV or FLAC")
    #expect(try Tool.succeed("ls", folder.root).text == "old.wav\n")
    #expect(try readFile(folder.path("old.wav")) == [1])
  }

  @Test("a device that cannot be opened at the start is reported, not waited for")
  func noDevice() throws {
    let recorder = try Recorder(to: FilePath(folder.path("a.wav"))) { _ throws(Failure) in
      throw Failure(.mendMachine, "no such device")
    }
    #expect(throws: Failure(.mendMachine, "no such device")) { try recorder.record() }
    #expect(recorder.isFinished)
    #expect(try Tool.succeed("ls", folder.root).text == "")
  }

  @Test("a recorder that is released has finished its file")
  func release() throws {
    let sound = noise(20_000 * 4)
    let microphone = MemoryMicrophone(sound)
    do {
      let recorder = try recorder(microphone, to: "a.wav")
      try recorder.record()
      try microphone.waitUntilQuiet()
    }
    #expect(try decoded("a.wav", as: "s16le") == sound)
  }

  @Test("a sine of -20 dBFS reads -20.0 peak and -23.0 mean")
  func meters() throws {
    let sine = Signal.sine(frequency: 997, sampleRate: 48_000, count: 48_000, amplitude: 0.1)
    let bytes = sine.flatMap { withUnsafeBytes(of: $0, Array.init) }
    let microphone = MemoryMicrophone(bytes, channels: 1, .float32)
    let recorder = try recorder(microphone, to: "a.wav")
    #expect(recorder.averagePower(forChannel: 0) == -160)
    recorder.isMeteringEnabled = true
    try recorder.record()
    try microphone.waitUntilQuiet()
    try wait(until: "all is recorded") { recorder.currentTime == Time(value: 1, timescale: 1) }
    #expect(abs(recorder.peakPower(forChannel: 0) + 20) < 0.1)
    #expect(abs(recorder.averagePower(forChannel: 0) + 23.01) < 0.1)
    #expect(recorder.averagePower(forChannel: 1) == -160)
  }

  @Test("losses are measured by the clock that counts sleep, too")
  func bootClock() {
    func now() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    let before = now()
    let told = bootNanoseconds()
    #expect(before <= told && told <= now())
  }

  @Test("a full ring drops sound, and reports the loss to the frame")
  func slowDisk() throws {
    let frames = 48_000 * 8
    let microphone = MemoryMicrophone([UInt8](repeating: 1, count: frames * 4))
    let reader = try DeviceReader(
      SourceRequest(sampleRate: 48_000, channelCount: 2), clock: microphone.clock,
      microphone.opener)
    let thread = try Thread.spawn(name: "read") { reader.run() }
    defer {
      reader.end()
      thread.join()
    }
    try microphone.waitUntilQuiet()
    let ring = try #require(reader.current.opened).ring
    var held: Int64 = 0
    while let slot = ring.slots.first {
      #expect(slot.index == held)
      held += Int64(slot.frameCount)
      ring.slots.removeFirst()
    }
    #expect(held == 48_000 * 6)
    #expect(reader.index == Int64(frames))
  }
}

extension Recorder {
  /// Waits for its end, which must be on its way.
  func finished() throws -> Recording {
    try wait(until: "the recording has ended") { isFinished }
    return waitUntilFinished()
  }
}
