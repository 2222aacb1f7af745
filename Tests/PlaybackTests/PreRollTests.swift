import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

extension RecordingTests {
  private func preRoll(_ frames: Int64) -> RecordingSettings {
    var settings = RecordingSettings()
    settings.preRoll = Time(frames: frames, rate: 48_000)
    return settings
  }

  @Test("a file begins with the pre-roll, to the frame, or with all sound since the opening")
  func preRoll() throws {
    let sound = noise(50_000 * 4)
    for (before, first) in [(Int64(10_000), 20_000), (40_000, 0), (1, 29_999)] {
      let microphone = MemoryMicrophone(sound, mishaps: [(30_000, .holds)])
      let recorder = try recorder(microphone, to: "\(before).wav", preRoll(before))
      try recorder.prepareToRecord()
      try microphone.waitUntilQuiet()
      #expect(recorder.isListening)
      #expect(!recorder.isRecording)
      #expect(recorder.currentTime == .zero)
      try recorder.record()
      try wait(until: "it records") { recorder.isRecording }
      #expect(!recorder.isListening)
      microphone.release()
      try microphone.waitUntilQuiet()
      recorder.stop()
      #expect(try recorder.finished().frameCount == Int64(50_000 - first))
      #expect(try decoded("\(before).wav", as: "s16le") == Array(sound[(first * 4)...]))
    }
  }

  @Test("sound before a loss is no pre-roll, and a length counts from the start of the file")
  func preRollAfterLoss() throws {
    let sound = noise(50_000 * 4)
    let microphone = MemoryMicrophone(
      sound, mishaps: [(10_000, .overruns(2000)), (30_000, .holds)])
    var settings = preRoll(25_000)
    settings.duration = Time(frames: 20_000, rate: 48_000)
    let recorder = try recorder(microphone, to: "a.wav", settings)
    try recorder.prepareToRecord()
    try microphone.waitUntilQuiet()
    try recorder.record()
    microphone.release()
    let recording = try recorder.finished()
    #expect(recording.end == .duration)
    #expect(recording.losses == [])
    #expect(try decoded("a.wav", as: "s16le") == Array(sound[48_000..<128_000]))
  }

  @Test("with a level that starts, the file begins by the pre-roll before the first sound")
  func preRollBeforeSound() throws {
    var samples = [Int16](repeating: 3, count: 100_000)
    for frame in 60_000..<70_000 { samples[frame] = -10_000 }
    let sound = samples.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    var settings = preRoll(1234)
    settings.startLevel = 0.1
    let microphone = MemoryMicrophone(sound, channels: 1)
    let recorder = try recorder(microphone, to: "a.wav", settings)
    try recorder.record()
    try microphone.waitUntilQuiet()
    recorder.stop()
    #expect(try recorder.finished().frameCount == 40_000 + 1234)
    #expect(try decoded("a.wav", as: "s16le") == Array(sound[((60_000 - 1234) * 2)...]))
  }

  @Test(
    "a recording begins at a time of the device, past or future, to the frame",
    arguments: [12_345, 30_000, 41_111])
  func atTime(frame: Int) throws {
    let sound = noise(50_000 * 4)
    let microphone = MemoryMicrophone(sound, mishaps: [(30_000, .holds)])
    let recorder = try recorder(microphone, to: "a.wav", preRoll(48_000))
    try recorder.prepareToRecord()
    try microphone.waitUntilQuiet()
    try recorder.record(atTime: Time(frames: Int64(frame), rate: 48_000))
    microphone.release()
    try microphone.waitUntilQuiet()
    recorder.stop()
    #expect(try recorder.finished().frameCount == Int64(50_000 - frame))
    #expect(try decoded("a.wav", as: "s16le") == Array(sound[(frame * 4)...]))
  }

  @Test("a pre-roll that memory cannot hold is refused by name")
  func longPreRoll() throws {
    #expect(
      throws: Failure(.mendJob, "cannot begin 301.0 s before the start; name at most 300.0 s")
    ) {
      try recorder(MemoryMicrophone([]), to: "a.wav", preRoll(301 * 48_000))
    }
  }

  // MARK: Markers

  /// Records 50,000 frames with markers at 20,000 and 30,000, and one before and after.
  private func recordMarked(
    _ name: String, _ settings: RecordingSettings = RecordingSettings()
  ) throws -> Recording {
    let microphone = MemoryMicrophone(
      noise(50_000 * 4),
      mishaps: [(0, .holds), (10_000, .holds), (20_000, .holds), (30_000, .holds)])
    let recorder = try recorder(microphone, to: name, settings)
    try recorder.prepareToRecord()
    recorder.addMarker("before")
    try recorder.record()
    try microphone.waitUntilQuiet()
    microphone.release()
    for name in [nil, "a\tb", nil] as [String?] {
      try microphone.waitUntilQuiet()
      recorder.addMarker(name)
      microphone.release()
    }
    try microphone.waitUntilQuiet()
    recorder.stop()
    recorder.addMarker("after")
    return try recorder.finished()
  }

  private var marked: [RecordingMarker] {
    [(10_000, "marker 1"), (20_000, "a\tb"), (30_000, "marker 3")].map {
      RecordingMarker(time: Time(frames: $0.0, rate: 48_000), name: $0.1)
    }
  }

  @Test(
    "a marker before the first sound replaces no file, and is in the one that does",
    arguments: ["a.wav", "a.flac"])
  func markerBeforeSound(name: String) throws {
    let old = Array("the only take".utf8)
    for hasSound in [false, true] {
      try writeFile(folder.path(name), old)
      let microphone = MemoryMicrophone(noise(20_000 * 4), mishaps: [(0, .holds)])
      var settings = RecordingSettings()
      settings.isReplacing = true
      let recorder = try recorder(microphone, to: name, settings)
      try recorder.record()
      try microphone.waitUntilQuiet()
      recorder.addMarker("first")
      try wait(until: "it is marked") { recorder.markers.count == 1 }
      if hasSound {
        microphone.release()
        try microphone.waitUntilQuiet()
      }
      recorder.stop()
      let recording = try recorder.finished()
      #expect(recording.markers == [RecordingMarker(time: .zero, name: "first")])
      #expect(recording.files.count == (hasSound ? 1 : 0))
      #expect(recording.labelFiles.count == (hasSound && name == "a.flac" ? 1 : 0))
      #expect((try readFile(folder.path(name)) == old) == !hasSound)
    }
    if name == "a.wav" {
      let text = try Tool.succeed("sndfile-info", folder.path(name)).text
      #expect(text.contains("cue  : ") && text.contains("first"), "\(text)")
    }
  }

  @Test("markers are cues with labels in a WAV, at their frames")
  func cues() throws {
    let recording = try recordMarked("a.wav")
    #expect(recording.markers == marked)
    #expect(recording.labelFiles == [])
    let listing = try Tool.succeed("sndfile-info", folder.path("a.wav")).text
    for frame in [10_000, 20_000, 30_000] { #expect(listing.contains("\(frame)"), "\(listing)") }
    #expect(
      String(decoding: try readFile(folder.path("a.wav")), as: UTF8.self).contains("marker 3"))
  }

  @Test("markers of a FLAC and an MP3 are Audacity's labels beside it, none of which is replaced")
  func labels() throws {
    try writeFile(folder.path("a.labels.txt"), Array("mine".utf8))
    let recording = try recordMarked("a.flac")
    #expect(recording.markers == marked)
    #expect(recording.labelFiles == [FilePath(folder.path("a.labels-2.txt"))])
    #expect(try text("a.labels.txt") == "mine")
    #expect(
      try text("a.labels-2.txt") == """
        0.208333\t0.208333\tmarker 1
        0.416667\t0.416667\ta b
        0.625000\t0.625000\tmarker 3

        """)
    #expect(try recordMarked("b.mp3").labelFiles == [FilePath(folder.path("b.labels.txt"))])
  }

  @Test("markers of parts count from the start of their part")
  func markedParts() throws {
    var settings = RecordingSettings()
    settings.split = Time(frames: 25_000, rate: 48_000)
    let recording = try recordMarked("a.flac", settings)
    #expect(recording.markers == marked)
    #expect(
      recording.labelFiles.map { $0.lastComponent?.string } == [
        "a-001.labels.txt", "a-002.labels.txt",
      ])
    #expect(try text("a-002.labels.txt") == "0.104167\t0.104167\tmarker 3\n")
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try readFile(folder.path(name)), as: UTF8.self)
  }
}
