import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import Playback
import SystemPackage
import TestSupport
import Testing

/// AVAudioRecorder's programs, line by line.
@Suite(.timeLimit(.minutes(5))) struct RecorderPorting {
  private let folder = TestFolder()

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  @Test("settings of kAudioFormatMPEG4AAC record AAC, which plays at its length")
  func aac() async throws {
    // let settings: [String: Any] = [
    //   AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
    //   AVEncoderBitRateKey: 96_000]
    var settings = RecordingSettings()
    settings.format = .m4a(bitRate: 96_000)
    settings.sampleRate = 44_100
    settings.channelCount = 1
    // let recorder = try AVAudioRecorder(url: url, settings: settings)
    let recorder = try Recorder(
      to: path("take.m4a"), settings: settings, opening: PortingMicrophone.opener)
    // recorder.record(forDuration: 2)
    try await recorder.record(forDuration: Time(value: 2, timescale: 1))
    let recording = await recorder.finished()
    #expect(recording.end == .duration)
    let facts = try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries",
      "stream=codec_name,sample_rate,channels,duration_ts",
      "-of", "csv=p=0", folder.path("take.m4a")
    ).text
    #expect(facts == "aac,44100,1,88200\n")
  }

  @Test("the states of a recorder: prepared, recording, paused, recording, stopped")
  func states() async throws {
    let recorder = try Recorder(to: path("take.wav"), opening: PortingMicrophone.opener)
    // recorder.prepareToRecord()
    try await recorder.prepareToRecord()
    #expect(recorder.state == .prepared)
    #expect(!recorder.isRecording)
    // recorder.record()
    try await recorder.record()
    var events = recorder.events.makeAsyncIterator()
    // recorder.pause()
    recorder.pause()
    while let event = await events.next() {
      if case .paused = event { break }
    }
    #expect(recorder.state == .paused)
    #expect(!recorder.isRecording)
    try await recorder.record()
    while let event = await events.next() {
      if case .resumed = event { break }
    }
    #expect(recorder.state == .recording)
    #expect(recorder.isRecording)
    // recorder.stop()
    _ = await recorder.finish()
    #expect(recorder.state == .finished)
    #expect(!recorder.isRecording)
  }

  @Test("a delegate is told of beginning, progress and end")
  func delegate() async throws {
    let recorder = try Recorder(to: path("take.flac"), opening: PortingMicrophone.opener)
    let events = recorder.events
    try await recorder.record(forDuration: Time(value: 1, timescale: 1))
    var told: [String] = []
    for await event in events {
      switch event {
      case .began: told.append("began")
      // The timer that asks for `currentTime` and `averagePower(forChannel:)`.
      case .progress(let time): if told.last != "progress", time > .zero { told.append("progress") }
      // audioRecorderDidFinishRecording(_:successfully: true)
      case .ended(let recording): told.append("ended after \(recording.duration.seconds) s")
      // audioRecorderEncodeErrorDidOccur(_:error:)
      case .failed(let failure, _): told.append("failed: \(failure)")
      default: told.append("\(event)")
      }
    }
    #expect(told == ["began", "progress", "ended after 1.0 s"])
  }

  @Test("a delegate is told of an error")
  func failure() async throws {
    let failure = Failure(.mendMachine, "no such device")
    let recorder = try Recorder(to: path("take.wav")) { _ throws(Failure) in throw failure }
    let events = recorder.events
    await #expect(throws: failure) { try await recorder.record() }
    var told: [RecorderEvent] = []
    for await event in events { told.append(event) }
    #expect(told == [.failed(failure, await recorder.finished())])
  }

  @Test("a microphone that disconnects is told, and its time is kept")
  func disconnectedMicrophone() async throws {
    let recorder = try Recorder(
      to: path("take.wav"), opening: PortingMicrophone.disconnecting(after: 20_000))
    let events = recorder.events
    try await recorder.record()
    var told: [String] = []
    for await event in events {
      switch event {
      case .deviceLost(nil): told.append("lost")
      case .deviceFound:
        told.append("found")
        recorder.stop()
      default: break
      }
    }
    #expect(told == ["lost", "found"])
    let recording = await recorder.finished()
    #expect(recording.losses.map(\.cause) == [.unplugged])
  }

  @Test("deleteRecording() is the removal of its files")
  func deletes() async throws {
    let recorder = try Recorder(to: path("take.wav"), opening: PortingMicrophone.opener)
    try await recorder.record(forDuration: Time(value: 1, timescale: 10))
    for file in await recorder.finished().files {
      #expect(file.isComplete && file.frameCount > 0)
      unlink(file.path.string)
    }
    #expect(folder.names == [])
  }
}
