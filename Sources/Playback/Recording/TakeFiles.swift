import Diagnosis
import ExportEngine
import ExportGraph
import Files
import Glibc
import MediaComposition
import MediaTime
import SystemPackage

/// The files of a recording: one, or one after the other. Belongs to the writing thread.
final class TakeFiles {
  private let path: FilePath
  private let settings: RecordingSettings
  private let output: Output.Format
  private let format: AudioFormat
  /// Whether the device's samples are wider than the file's, and dithered.
  let isDithered: Bool
  private let flusher: DiskFlusher

  /// The recording, with the open file after it is closed.
  private(set) var recording: Recording
  private var writer: GrowingWriter?
  /// The file to be begun with the first sound, in place of an older one.
  private var target: GrowingTarget?
  /// Frames in the open file, and in the files before it.
  private var partFrames: Int64 = 0
  private var partStart: Int64 = 0
  private var partCount = 0
  /// A part of a block, or silence.
  private let scratch: AudioBuffer
  private var sizeOfFinished: Int64 = 0
  /// The markers of an open WAV, which are in the file only when it is finished.
  private var labels: [LabelFile.Label] = []
  /// The labels of the open file, if it has some and no place for them.
  private var labelFile: LabelFile?

  /// Begins the first file.
  ///
  /// - Throws: A refusal of the settings or of an existing file; the failure of the disk.
  init(
    _ path: FilePath, _ settings: RecordingSettings, as output: Output.Format,
    from device: SourceFormat, _ flusher: DiskFlusher
  ) throws(Failure) {
    self.path = path
    self.flusher = flusher
    self.settings = settings
    self.output = output
    format = AudioFormat(
      sampleRate: device.sampleRate, channelLayout: .usual(ofCount: device.channelCount))
    isDithered = output.ditheredDepth != nil && device.encoding != .int16
    recording = Recording(sampleRate: device.sampleRate, channelCount: device.channelCount)
    scratch = AudioBuffer(channelCount: device.channelCount, capacity: 4096)
    if settings.split != nil, !settings.isReplacing { try refuseParts() }
    try begin()
  }

  func write(_ block: AudioBuffer, from start: Int, count: Int) throws(Failure) {
    var done = 0
    while done < count {
      let length = try room(for: min(count - done, scratch.capacity))
      for channel in 0..<block.channelCount {
        scratch.planes[channel].update(from: block.planes[channel] + start + done, count: length)
      }
      try append(length)
      done += length
    }
  }

  /// Appends silence in place of lost sound, and marks it.
  func writeSilence(_ loss: RecordingLoss) throws(Failure) {
    recording.losses.append(loss)
    var left = loss.frameCount
    var isMarked = false
    while left > 0 {
      let length = try room(for: Int(min(left, Int64(scratch.capacity))))
      if !isMarked {
        isMarked = true
        try beginTarget()
        writer?.mark(partFrames, "\(loss.cause.name), \(loss.frameCount) frames lost")
      }
      for channel in 0..<scratch.channelCount {
        scratch.planes[channel].update(repeating: 0, count: length)
      }
      try append(length)
      left -= Int64(length)
    }
  }

  /// Marks the next frame: in a WAV itself, else in a file of labels beside it.
  func mark(_ name: String?) {
    let marker = RecordingMarker(
      time: Time(frames: recording.frameCount, rate: recording.sampleRate),
      name: name ?? "marker \(recording.markers.count + 1)")
    recording.markers.append(marker)
    let label = LabelFile.Label(
      time: Time(frames: partFrames, rate: recording.sampleRate), text: marker.name)
    guard case .wav = output else {
      // Before the first sound there is no file to be marked.
      if target == nil { put([label]) } else { labels.append(label) }
      return
    }
    labels.append(label)
    writer?.mark(partFrames, marker.name)
  }

  /// Appends labels to the file of labels of the open part, and begins that file if there is none.
  private func put(_ labels: [LabelFile.Label]) {
    guard !labels.isEmpty, let path = writer?.files.first?.path else { return }
    do throws(Failure) {
      if labelFile == nil {
        let file = try LabelFile(beside: path, replacing: settings.isReplacing)
        recording.labelFiles.append(file.path)
        labelFile = file
      }
      try labelFile?.append(labels)
    } catch {
      recording.labelFailure = error
    }
  }

  /// Makes the written frames part of the file.
  func settle() throws(Failure) {
    do throws(Failure) { try writer?.settle() } catch { throw broken(error) }
  }

  /// Flushes the file to the disk, soon; throws the failure of the last flush.
  func sync() throws(Failure) {
    do throws(Failure) { try writer?.sync() } catch { throw broken(error) }
  }

  var isSyncing: Bool { flusher.isBusy }

  /// Waits until all finished files are on the disk.
  func waitForDisk() throws(Failure) {
    let error = flusher.finish()
    guard error != 0 else { return }
    throw .writing(
      error, "cannot flush the file to the disk", path: recording.files.last?.path ?? path)
  }

  /// Completes the last file, and flushes it soon.
  func finish() throws(Failure) {
    guard let writer else { return }
    do throws(Failure) {
      let written = try writer.finish()
      try writer.commit()
      self.writer = nil
      (labels, labelFile) = ([], nil)
      sizeOfFinished += written.size
      recording.files.append(
        RecordedFile(
          path: written.path, size: written.size, frameCount: written.frameCount,
          clippedSamples: written.clippedSamples, peak: written.peak ?? 0))
    } catch {
      throw broken(error)
    }
  }

  /// How long the disk has room for more; nil if that is unknown.
  var timeLeft: Time? {
    guard recording.frameCount > 0, let writer else { return nil }
    var disk = statvfs()
    guard PathCalls.statvfs(path.removingLastComponent().orHere, &disk) == 0,
      let size = writer.files.first?.size, sizeOfFinished + size > 0
    else { return nil }
    let room = Double(disk.f_bavail) * Double(disk.f_frsize)
    let frames = room / Double(sizeOfFinished + size) * Double(recording.frameCount)
    return Time(frames: Int64(min(frames, 0x1p62)), rate: recording.sampleRate)
  }

  // MARK: Parts

  /// How many frames the open file takes now, at most `count`; begins the next file if it is full.
  private func room(for count: Int) throws(Failure) -> Int {
    guard let end = partEnd else { return count }
    if recording.frameCount < end { return Int(min(Int64(count), end - recording.frameCount)) }
    try finish()
    partStart = recording.frameCount
    try begin()
    return try room(for: count)
  }

  /// The frame at which the next file begins, counted from the start without drift.
  private var partEnd: Int64? {
    guard let split = settings.split else { return nil }
    return (split * partCount).frames(atRate: recording.sampleRate)
  }

  private func append(_ count: Int) throws(Failure) {
    scratch.frameCount = count
    try beginTarget()
    do throws(Failure) { try writer?.write(scratch) } catch { throw broken(error) }
    partFrames += Int64(count)
    recording.frameCount += Int64(count)
  }

  private func begin() throws(Failure) {
    partFrames = 0
    while true {
      partCount += 1
      let path = settings.split == nil ? path : Self.part(partCount + taken, of: path)
      do throws(Failure) {
        target = try GrowingTarget(
          at: path, as: output, format, isDithered: isDithered, replacing: settings.isReplacing,
          flush: flusher.flush)
        break
      } catch {
        // Another program has made this file meanwhile: the next number is taken.
        guard partCount > 1, path.exists, !settings.isReplacing, taken < 10_000 else {
          throw error
        }
        partCount -= 1
        taken += 1
      }
    }
    // An older file stays until there is sound to replace it with.
    if target?.isReplacing == false { try beginTarget() }
  }

  private func beginTarget() throws(Failure) {
    guard let target else { return }
    self.target = nil
    let writer = try target.begin()
    self.writer = writer
    guard case .wav = output else {
      put(labels)
      labels = []
      return
    }
    for label in labels { writer.mark(0, label.text) }
  }

  /// Numbers of other programs' files.
  private var taken = 0

  static func part(_ number: Int, of path: FilePath) -> FilePath {
    let name = (path.stem ?? "recording") + "-" + paddedDigits(number, count: 3)
    return path.removingLastComponent().appending(
      path.extension.map { "\(name).\($0)" } ?? name)
  }

  /// Refuses parts of an earlier recording, which would mix with this one's.
  private func refuseParts() throws(Failure) {
    for number in 1...1000 {
      let part = Self.part(number, of: path)
      guard part.exists else { continue }
      throw Failure(.mendJob, "exists already; record to another file", path: part)
    }
  }

  /// Closes the open file after a failure; its writer keeps the settled frames.
  private func broken(_ failure: Failure) -> Failure {
    guard let writer, let file = writer.files.first else { return failure }
    // A WAV has its labels behind its sound, once it is finished.
    put(labels)
    self.writer = nil
    // Frames in the encoder, and those that were cut off, are lost.
    recording.frameCount = partStart + writer.settledFrames
    recording.files.append(
      RecordedFile(
        path: file.path, size: file.size, frameCount: writer.settledFrames, isComplete: false))
    return failure
  }
}

extension FilePath {
  /// The path, or the current folder if it is empty.
  fileprivate var orHere: FilePath { isEmpty ? "." : self }
}

extension RecordingLoss.Cause {
  /// The name for labels and screens.
  package var name: String {
    switch self {
    case .overrun: "overrun"
    case .interruption: "interruption"
    case .unplugged: "device disconnected"
    case .slowDisk: "disk too slow"
    }
  }
}
