import ArgumentParser
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import Playback
import Threads

/// One recording at a terminal, or without one: keys, the line that moves, messages, the result.
final class RecordSession {
  private let recorder: Recorder
  private let device: String
  private let stop: CancellationFlag
  private var isPaused = false
  private var toldLosses = 0
  private var isToldGone = false
  private var hasLine = false

  /// Between two drawings of the line.
  private static let tick: Int32 = 100

  init(_ recorder: Recorder, device: String, stop: CancellationFlag) {
    self.recorder = recorder
    self.device = device
    self.stop = stop
  }

  /// Records until the end; then says what there is.
  ///
  /// - Throws: An exit status where the recording failed, after saying why.
  func run() throws(Failure) {
    recorder.isMeteringEnabled = StandardStream.error.terminal != nil
    try recorder.record()
    let keyboard = Keyboard.open()
    defer { keyboard?.close() }
    say("recording from '\(device)': \(sound)" + (keyboard == nil ? "" : "; space pauses, q stops"))
    while !recorder.isFinished {
      if let keyboard {
        for key in keyboard.keys(within: Self.tick) { obey(key) }
      } else {
        usleep(UInt32(Self.tick) * 1000)
      }
      if stop.isCancelled { recorder.stop() }
      tellNews()
      draw()
    }
    erase()
    keyboard?.close()
    let recording = recorder.waitUntilFinished()
    tellNews()
    tell(recording)
    if case .failed(let failure) = recording.end { throw failure }
  }

  private var sound: String {
    guard let source = recorder.sourceFormat, let format = recorder.format else { return "" }
    return AudioFormat.text(sampleRate: source.sampleRate, channelCount: source.channelCount)
      + ", as \(format.name)"
  }

  // MARK: Keys

  private func obey(_ key: UInt8) {
    switch key {
    case UInt8(ascii: " "), UInt8(ascii: "p"):
      isPaused.toggle()
      if isPaused { recorder.pause() } else { try? recorder.record() }
    case UInt8(ascii: "q"), 4: recorder.stop()
    default: break
    }
  }

  // MARK: The line

  private func draw() {
    guard let terminal = StandardStream.error.terminal else { return }
    let channels = recorder.sourceFormat?.channelCount ?? 0
    let line = RecordLine(
      state: isPaused
        ? .paused
        : recorder.isWaitingForDevice ? .gone : recorder.isWaitingForSound ? .waiting : .recording,
      time: recorder.currentTime,
      levels: (0..<channels).map {
        LevelReading(
          peakPower: recorder.peakPower(forChannel: $0),
          averagePower: recorder.averagePower(forChannel: $0))
      },
      lossCount: recorder.losses.count, timeLeft: recorder.timeLeftOnDisk)
    // The last column stays empty, as in `TerminalLines`.
    StandardStream.error.write("\r" + line.text(width: terminal.columns - 1) + "\u{1B}[K")
    hasLine = true
  }

  private func erase() {
    if hasLine { StandardStream.error.write("\r\u{1B}[K") }
    hasLine = false
  }

  private func say(_ text: String) {
    erase()
    StandardStream.error.write(text.printable + "\n")
  }

  private func tellNews() {
    let losses = recorder.losses
    for loss in losses.dropFirst(toldLosses) { say("warning: \(Self.words(loss, recorder))") }
    toldLosses = losses.count
    let isGone = recorder.isWaitingForDevice && !recorder.isFinished
    if isGone, !isToldGone {
      say("warning: the device is gone; the recording goes on when it is back")
    }
    isToldGone = isGone
  }

  private static func words(_ loss: RecordingLoss, _ recorder: Recorder) -> String {
    let rate = recorder.sourceFormat?.sampleRate ?? 48_000
    let length = Time(frames: loss.frameCount, rate: rate).clockText(decimals: 3)
    return "\(loss.cause.name) at \(loss.time.clockText(decimals: 3)): \(length) lost "
      + "(\(loss.frameCount) samples), and silence in its place"
  }

  // MARK: The end

  private func tell(_ recording: Recording) {
    for file in recording.files {
      let time = Time(frames: file.frameCount, rate: recording.sampleRate)
      var line =
        "\(file.path.string)  \(time.clockText(decimals: 3)) (\(file.frameCount) samples), "
        + Figures.size(bytes: file.size)
      if !file.isComplete { line += ", not finished: its end may be missing" }
      StandardStream.output.write(line.printable + "\n")
      if file.clippedSamples > 0 {
        StandardStream.error.write(
          "warning: \(file.path.string.printable): \(file.clippedSamples) samples are over full "
            + "scale\n")
      }
    }
    if recording.losses.count > 1 {
      say(
        "\(recording.losses.count) losses; the first at "
          + "\(recording.losses[0].time.clockText(decimals: 3))")
    }
  }
}
