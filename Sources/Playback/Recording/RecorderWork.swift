import Diagnosis
import MediaComposition
import SystemPackage
import Threads

/// What a recorder's writing thread works with: all of the recorder but itself, whose release ends the
/// thread.
struct RecorderWork: Sendable {
  let path: FilePath
  let settings: RecordingSettings
  let kind: Output.Kind
  let shared: Monitor<RecorderState>
  let observers: Observers<RecorderEvent>
  let gate: TaskGate
  let reader: DeviceReader
  let flusher: DiskFlusher

  /// Opens the file once the device is open, and writes until the end.
  func run() {
    defer { reader.end() }
    do throws(Failure) {
      guard let opened = try opened() else { return end(.stopped) }
      let (format, ring) = (opened.format, opened.ring)
      try settings.requireAsked(of: format)
      let output = try settings.output(as: kind, from: format)
      let files = try TakeFiles(path, settings, as: output, from: format, flusher)
      shared.withLock { state in
        (state.phase, state.format, state.output) = (.ready, format, output)
        state.isDithered = files.isDithered
        state.recording = files.recording
      }
      gate.open()
      end(TakeWriter(shared, observers, reader, format, ring, files, settings).run())
    } catch {
      end(.failed(error))
    }
  }

  /// Ends a recording that has no sound.
  func end(_ end: Recording.End) {
    var recording = Recording(sampleRate: 0, channelCount: 0)
    recording.end = end
    self.end(recording)
  }

  private func end(_ recording: Recording) {
    shared.withLock { state in
      state.recording = recording
      (state.isOver, state.phase) = (true, .finished)
    }
    gate.open()
    if case .failed(let failure) = recording.end {
      observers.yield(.failed(failure, recording))
    } else {
      observers.yield(.ended(recording))
    }
    observers.close()
  }

  /// Waits until the device is open; a failure at the start is final.
  ///
  /// - Returns: Nil if the recording was stopped before: opening a device may never end.
  private func opened() throws(Failure) -> DeviceReader.Opened? {
    while true {
      let (device, opened) = reader.current
      if let opened { return opened }
      if shared.withLock({ $0.isOver }) { return nil }
      if case .lost(let failure) = device {
        throw failure ?? Failure(.tryAgain, "the device has disconnected; connect it again")
      }
      reader.workArrived.wait(milliseconds: -1)
    }
  }
}
