import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

extension RecordingTests {
  @Test("a pause while the device is gone is no loss, and losses around it are silent")
  func pauseWithoutDevice() throws {
    let sound = noise(60_000 * 4)
    let microphone = MemoryMicrophone(sound, mishaps: [(20_000, .isTakenAway)])
    let recorder = try recorder(microphone, to: "a.wav")
    try recorder.record()
    try wait(until: "it is told why there is no device") { recorder.deviceFailure != nil }
    microphone.pass(1000)
    recorder.pause()
    try wait(until: "it has paused") { !recorder.isRecording }
    microphone.pass(20_000)
    try recorder.record()
    try wait(until: "it records again") { recorder.isRecording }
    microphone.pass(500)
    microphone.plugIn()
    try microphone.waitUntilQuiet()
    recorder.stop()
    let recording = try recorder.finished()
    #expect(recording.losses.map(\.cause) == [.unplugged, .unplugged])
    #expect(recording.losses.map(\.frameCount) == [1000, 500])
    let silence = [UInt8](repeating: 0, count: 1500 * 4)
    let expected: [UInt8] = Array(sound[..<80_000]) + silence + Array(sound[166_000...])
    #expect(try decoded("a.wav", as: "s16le") == expected)
  }

  @Test("a length is reached by the clock while the device is gone, a pause left out")
  func durationWithoutDevice() throws {
    let microphone = MemoryMicrophone(noise(60_000 * 4), mishaps: [(20_000, .isTakenAway)])
    var settings = RecordingSettings()
    settings.duration = Time(frames: 22_000, rate: 48_000)
    let recorder = try recorder(microphone, to: "a.wav", settings)
    try recorder.record()
    try wait(until: "it is told why there is no device") { recorder.deviceFailure != nil }
    microphone.pass(1500)
    recorder.pause()
    try wait(until: "it has paused") { !recorder.isRecording }
    microphone.pass(20_000)
    try recorder.record()
    try wait(until: "it records again") { recorder.isRecording }
    #expect(!recorder.isFinished)
    microphone.pass(499)
    usleep(300_000)
    #expect(!recorder.isFinished)
    microphone.pass(1)
    let recording = try recorder.finished()
    #expect(recording.frameCount == 22_000)
    #expect(recording.losses.map(\.frameCount) == [1500, 500])
    #expect(recording.end == .duration)
  }

  @Test("the reason for a missing device is reported until the device is back")
  func deviceFailure() throws {
    let sound = noise(30_000 * 4)
    let microphone = MemoryMicrophone(sound, mishaps: [(20_000, .isTakenAway)])
    let recorder = try recorder(microphone, to: "a.wav")
    #expect(recorder.deviceFailure == nil)
    try recorder.record()
    try wait(until: "it is told why there is no device") { recorder.deviceFailure != nil }
    #expect(recorder.deviceFailure == MemoryMicrophone.busy)
    #expect(recorder.isWaitingForDevice)
    microphone.pass(5000)
    microphone.plugIn()
    try microphone.waitUntilQuiet()
    try wait(until: "it has a device again") { !recorder.isWaitingForDevice }
    #expect(recorder.deviceFailure == nil)
    recorder.stop()
    #expect(try recorder.finished().frameCount == 30_000)
  }

  @Test(
    "lengths that are none are refused by name, and harm nothing",
    arguments: [
      (Time(value: -5, timescale: 1), "-5.0 s"), (.zero, "0.0 s"),
      (.invalid, "a time that is no number"), (.indefinite, "a time that is no number"),
      (.positiveInfinity, "a time that is no number"),
      (.negativeInfinity, "a time that is no number"),
    ])
  func noLength(length: Time, name: String) throws {
    let microphone = MemoryMicrophone(noise(4000))
    func expect(_ purpose: String, _ body: () throws(Failure) -> Void) {
      #expect(throws: Failure(.mendJob, "cannot \(purpose) \(name); name a time above 0")) {
        try body()
      }
    }
    func expect(_ purpose: String, _ change: (inout RecordingSettings) -> Void) {
      var settings = RecordingSettings()
      change(&settings)
      expect(purpose) { () throws(Failure) in
        _ = try Recorder(
          to: FilePath(folder.path("a.wav")), settings: settings, opening: microphone.opener)
      }
    }
    expect("record for") { $0.duration = length }
    expect("begin a new file after") { $0.split = length }
    expect("end after silence of") { $0.silence = .init(below: 0.1, for: length) }
    let recorder = try recorder(microphone, to: "a.wav")
    try recorder.record()
    expect("record for") { () throws(Failure) in try recorder.record(forDuration: length) }
    try microphone.waitUntilQuiet()
    recorder.stop()
    #expect(try recorder.finished().frameCount == 1000)
  }

  @Test("parts of less than a sample are refused, and levels that are none")
  func noParts() throws {
    let microphone = MemoryMicrophone(noise(4000))
    var settings = RecordingSettings()
    settings.split = Time(value: 1, timescale: 48_001)
    let short = try recorder(microphone, to: "a.wav", settings)
    #expect(
      throws: Failure(
        .mendJob, "cannot begin a new file after less than a sample; name a longer time")
    ) {
      try short.prepareToRecord()
    }
    for level in [Float.nan, -0.1, .infinity] {
      settings = RecordingSettings()
      settings.startLevel = level
      #expect(throws: Failure.self) { try recorder(microphone, to: "a.wav", settings) }
    }
  }
}
