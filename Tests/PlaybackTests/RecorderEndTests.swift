import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite struct RecorderEndTests {
  private static let over = Failure(
    .mendJob, "the recording has ended; make another recorder")

  let folder = TestFolder()

  private func recorder(_ settings: RecordingSettings = RecordingSettings()) throws -> Recorder {
    let microphone = MemoryMicrophone([UInt8](repeating: 3, count: 4 * 9600))
    return try Recorder(
      to: FilePath(folder.path("a.wav")), settings: settings, clock: microphone.clock,
      opening: microphone.opener)
  }

  private func expectRefusals(_ recorder: Recorder) {
    #expect(throws: Self.over) { try recorder.record() }
    #expect(throws: Self.over) { try recorder.record(forDuration: Time(value: 1, timescale: 1)) }
    #expect(throws: Self.over) { try recorder.prepareToRecord() }
  }

  @Test("a recording that has ended by its length records no more, and shows that")
  func ended() throws {
    var settings = RecordingSettings()
    settings.duration = Time(frames: 4800, rate: 48_000)
    let recorder = try recorder(settings)
    try recorder.record()
    #expect(recorder.waitUntilFinished().frameCount == 4800)
    expectRefusals(recorder)
    // A pause and another stop are no mistakes.
    recorder.pause()
    recorder.stop()
    #expect(recorder.waitUntilFinished().frameCount == 4800)
    #expect(recorder.waitUntilFinished().end == .duration)
  }

  @Test("from the stop on nothing is recorded, whether the file is finished by then or not")
  func stopped() throws {
    let recorder = try recorder()
    try recorder.record()
    recorder.stop()
    expectRefusals(recorder)
    #expect(recorder.waitUntilFinished().end == .stopped)
    expectRefusals(recorder)
  }

  @Test("a recording that was stopped before it began has no file, and makes none")
  func neverBegun() throws {
    let recorder = try recorder()
    recorder.stop()
    expectRefusals(recorder)
    #expect(try Tool.succeed("ls", folder.root).text == "")
  }

  @Test("each attempt to open a missing device reports the failure")
  func noDevice() throws {
    let failure = Failure(.mendMachine, "no such device")
    let recorder = try Recorder(to: FilePath(folder.path("a.wav"))) { _ throws(Failure) in
      throw failure
    }
    for _ in 0..<2 { #expect(throws: failure) { try recorder.record() } }
    #expect(throws: failure) { try recorder.prepareToRecord() }
  }
}
