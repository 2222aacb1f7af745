import Diagnosis
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct RecorderEventTests {
  let folder = TestFolder()

  private func recorder(
    _ microphone: MemoryMicrophone, _ settings: RecordingSettings = RecordingSettings()
  ) throws -> Recorder {
    try Recorder(
      to: FilePath(folder.path("a.wav")), settings: settings, clock: microphone.clock,
      opening: microphone.opener)
  }

  private func sound(_ frames: Int) -> [UInt8] { [UInt8](repeating: 3, count: 4 * frames) }

  private func time(_ frames: Int64) -> Time { Time(frames: frames, rate: 48_000) }

  /// All events but the progress, after the end.
  private func events(
    _ reader: SequenceReader<RecorderEvent>
  ) throws -> [RecorderEvent] {
    try reader.elements(until: "the recording has ended") { $0.isEnd }.filter { !$0.isProgress }
  }

  @Test("beginning, marker, pause, continuation and end are reported in order, and are the state")
  func course() throws {
    let microphone = MemoryMicrophone(
      sound(50_000), mishaps: [(0, .holds), (20_000, .holds), (33_333, .holds)])
    let recorder = try recorder(microphone)
    let reader = SequenceReader(recorder.events)
    #expect(recorder.state == .idle)
    try recorder.prepareToRecord()
    #expect(recorder.state == .prepared)
    try recorder.record()
    try wait(until: "it records") { recorder.state == .recording }
    microphone.release()
    try wait(until: "it has recorded") { recorder.currentTime == time(20_000) }
    #expect(recorder.state == .recording)
    recorder.addMarker("here")
    recorder.pause()
    try wait(until: "it has paused") { recorder.state == .paused }
    microphone.release()
    try microphone.waitUntilQuiet()
    try recorder.record()
    try wait(until: "it records again") { recorder.state == .recording }
    microphone.release()
    try microphone.waitUntilQuiet()
    recorder.stop()
    let recording = try recorder.finished()
    #expect(recorder.state == .finished)
    #expect(
      try events(reader) == [
        .began, .marked(RecordingMarker(time: time(20_000), name: "here")),
        .paused(at: time(20_000)), .resumed(at: time(20_000)), .ended(recording),
      ])
  }

  @Test("progress is reported after each tenth of a second of sound, at most, and grows")
  func progress() throws {
    let microphone = MemoryMicrophone(sound(48_000))
    let recorder = try recorder(microphone)
    let times = Mutex<[Time]>([])
    let observation = recorder.addEventObserver { event in
      if case .progress(let time) = event { times.withLock { $0.append(time) } }
    }
    try recorder.record()
    try microphone.waitUntilQuiet()
    try wait(until: "all was reported") { times.withLock { $0.last } == time(48_000) }
    recorder.stop()
    _ = try recorder.finished()
    observation.cancel()
    let reported = times.withLock { $0 }
    #expect(reported.count <= 10)
    #expect(zip(reported, reported.dropFirst()).allSatisfy { $1 - $0 >= time(4800) })
  }

  @Test("a microphone that disconnects is reported with its reasons, its return, and what was lost")
  func disconnects() throws {
    let microphone = MemoryMicrophone(sound(60_000), mishaps: [(20_000, .isTakenAway)])
    let recorder = try recorder(microphone)
    let reader = SequenceReader(recorder.events)
    try recorder.record()
    try wait(until: "it is told why there is no device") { recorder.deviceFailure != nil }
    #expect(recorder.state == .waitingForDevice)
    #expect(recorder.isRecording && recorder.isWaitingForDevice)
    microphone.pass(1000)
    microphone.plugIn()
    try microphone.waitUntilQuiet()
    try wait(until: "the device is back") { recorder.state == .recording }
    recorder.stop()
    let recording = try recorder.finished()
    let told = try events(reader)
    let loss = RecordingLoss(cause: .unplugged, time: time(20_000), frameCount: 1000)
    #expect(told.first == .began)
    #expect(told.last == .ended(recording))
    // A loss is known with the first frames behind it, and the device with them.
    let middle = told.dropFirst().dropLast()
    #expect(middle.contains(.deviceLost(MemoryMicrophone.busy)))
    #expect(middle.contains(.lost(loss)))
    #expect(middle.contains(.deviceFound))
    #expect(recording.losses == [loss])
  }

  @Test("a device that cannot be opened is the only event, and the state")
  func noDevice() throws {
    let failure = Failure(.mendMachine, "no such device")
    let recorder = try Recorder(to: FilePath(folder.path("a.wav"))) { _ throws(Failure) in
      throw failure
    }
    let reader = SequenceReader(recorder.events)
    #expect(throws: failure) { try recorder.record() }
    let told = try events(reader)
    #expect(told == [.failed(failure, recorder.waitUntilFinished())])
    #expect(recorder.state == .failed(failure))
  }

  @Test("the first sound that is waited for is the beginning")
  func firstSound() throws {
    var bytes = sound(60_000)
    for index in 4 * 40_000..<4 * 45_000 { bytes[index] = 100 }
    let microphone = MemoryMicrophone(bytes, mishaps: [(30_000, .holds)])
    var settings = RecordingSettings()
    settings.startLevel = 0.5
    let recorder = try recorder(microphone, settings)
    let reader = SequenceReader(recorder.events)
    try recorder.record()
    try microphone.waitUntilQuiet()
    try wait(until: "it waits for sound") { recorder.state == .waitingForSound }
    #expect(reader.elements.isEmpty)
    microphone.release()
    try microphone.waitUntilQuiet()
    recorder.stop()
    let recording = try recorder.finished()
    #expect(try events(reader) == [.began, .ended(recording)])
    #expect(recording.frameCount == 60_000 - 40_000 + 24_000)
  }

  @Test("an interruption pauses and its end continues, unless somebody has paused meanwhile")
  func interruption() throws {
    let microphone = MemoryMicrophone(
      sound(50_000),
      mishaps: [(0, .holds), (20_000, .holds), (30_000, .holds), (40_000, .holds)])
    let recorder = try recorder(microphone)
    let reader = SequenceReader(recorder.events)
    // Before the start there is nothing to interrupt, nor to continue.
    try recorder.prepareToRecord()
    recorder.interrupt(.default)
    recorder.endInterruption()
    try recorder.record()
    try wait(until: "it records") { recorder.state == .recording }
    microphone.release()
    func step(_ state: Recorder.State, _ order: () throws -> Void) throws {
      try microphone.waitUntilQuiet()
      try order()
      try wait(until: "it is \(state)") { recorder.state == state }
      microphone.release()
    }
    try step(.paused) { recorder.interrupt(.default) }
    try step(.recording) { recorder.endInterruption() }
    try step(.paused) {
      recorder.interrupt(.deviceSuspended)
      recorder.pause()
      recorder.endInterruption()
    }
    try microphone.waitUntilQuiet()
    #expect(recorder.state == .paused)
    recorder.stop()
    let recording = try recorder.finished()
    #expect(
      try events(reader) == [
        .began, .interrupted(.default, at: time(20_000)), .resumed(at: time(20_000)),
        .interrupted(.deviceSuspended, at: time(30_000)), .ended(recording),
      ])
  }

  @Test(
    "events end with a recorder that is released, also in an observer, and with one that is unused")
  func release() throws {
    let microphone = MemoryMicrophone(sound(10_000))
    let held = Mutex<Recorder?>(try recorder(microphone))
    let hasReleased = Mutex(false)
    var reader: SequenceReader<RecorderEvent>?
    var observation: PlayerObservation?
    do {
      let recorder = try #require(held.withLock { $0 })
      reader = SequenceReader(recorder.events)
      observation = recorder.addEventObserver { event in
        guard case .marked = event else { return }
        let last = held.withLock { held in
          defer { held = nil }
          return held
        }
        withExtendedLifetime(last) {}
        hasReleased.withLock { $0 = true }
      }
      try recorder.record()
      try microphone.waitUntilQuiet()
      try wait(until: "it has recorded") { recorder.currentTime > .zero }
      recorder.addMarker()
    }
    try wait(until: "it was released") { hasReleased.withLock { $0 } }
    let told = try #require(reader)
    #expect(try events(told).count == 3)
    withExtendedLifetime(observation) {}
    let unused = SequenceReader(try recorder(MemoryMicrophone(sound(1))).events)
    let last = try events(unused)
    #expect(last == [.ended(Recording(sampleRate: 0, channelCount: 0))])
  }

  @Test("a slow reader gets the last progress alone, and everything else")
  func slowReader() async {
    let queue = RecorderEventQueue()
    queue.put(.began)
    for frames in 1...5000 { queue.put(.progress(time(Int64(frames)))) }
    queue.put(.paused(at: time(5000)))
    queue.put(.progress(time(5001)))
    queue.close()
    var told: [RecorderEvent] = []
    while let event = await queue.next() { told.append(event) }
    #expect(
      told == [.began, .progress(time(5000)), .paused(at: time(5000)), .progress(time(5001))])
  }
}

extension RecorderEvent {
  fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }
  fileprivate var isEnd: Bool {
    switch self {
    case .ended, .failed: true
    default: false
    }
  }
}

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct RecorderTaskTests {
  let folder = TestFolder()

  private func recorder(_ microphone: MemoryMicrophone) throws -> Recorder {
    try Recorder(
      to: FilePath(folder.path("a.wav")), settings: RecordingSettings(), clock: microphone.clock,
      opening: microphone.opener)
  }

  @Test("a task prepares, records and finishes without blocking")
  func course() async throws {
    let microphone = MemoryMicrophone(
      [UInt8](repeating: 3, count: 4 * 9600), mishaps: [(0, .holds)])
    let recorder = try recorder(microphone)
    try await recorder.prepareToRecord()
    #expect(recorder.state == .prepared)
    try await recorder.record(forDuration: Time(frames: 4800, rate: 48_000))
    microphone.release()
    let recording = await recorder.finished()
    #expect(recording.frameCount == 4800)
    #expect(await recorder.finish() == recording)
    await #expect(throws: Failure.self) { try await recorder.record() }
  }

  @Test("a task that is cancelled while a device is opened ends at once, and so does the recording")
  func cancelledOpening() async throws {
    let door = Monitor(false)
    defer { door.withLock { $0 = true } }
    let isOpening = Monitor(false)
    let recorder = try Recorder(to: FilePath(folder.path("a.wav"))) { _ throws(Failure) in
      isOpening.withLock { $0 = true }
      _ = door.wait { $0 ? true : nil }
      throw Failure(.mendMachine, "no such device")
    }
    let task = Task { try await recorder.prepareToRecord() }
    while !isOpening.withLock({ $0 }) { await Task.yield() }
    task.cancel()
    // Nothing but the cancellation can end it: the device is opened when the test is over.
    let taskFailure = await #expect(throws: Failure.self) { try await task.value }
    #expect(taskFailure?.code == .cancelled)
    let recording = await recorder.finished()
    #expect(recording.end == .stopped)
  }

  @Test(
    "a task that is cancelled while it waits for the end stops the recording, and has all of it")
  func cancelledEnd() async throws {
    let microphone = MemoryMicrophone([UInt8](repeating: 3, count: 4 * 9600))
    let recorder = try recorder(microphone)
    try await recorder.record()
    while recorder.currentTime.frames(atRate: 48_000) < 9600 { await Task.yield() }
    let task = Task { await recorder.finished() }
    task.cancel()
    let recording = await task.value
    #expect(recording.frameCount == 9600)
    #expect(recording.end == .stopped)
  }

  @Test("a reader whose task is cancelled ends, and the recording does not")
  func cancelledReader() async throws {
    let microphone = MemoryMicrophone([UInt8](repeating: 3, count: 4 * 9600))
    let recorder = try recorder(microphone)
    let events = recorder.events
    let task = Task { for await _ in events {} }
    try await recorder.record()
    task.cancel()
    await task.value
    #expect(recorder.state == .recording)
    _ = await recorder.finish()
  }
}
