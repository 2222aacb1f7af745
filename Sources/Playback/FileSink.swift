import Diagnosis
import ExportEngine
import MediaComposition
import SystemPackage

/// A sink that writes the sound of a player to a file, as fast as it is rendered.
///
/// Its delay is zero: a pause or a jump loses no frame that was written, and `Player.currentTime`
/// and the meters run ahead of the clock. It waits for the disk, as a device must not.
public final class FileSink: AudioSink {
  /// The start of a file.
  public enum Container: Sendable, Hashable {
    /// A WAV header (RF64 past 4 GiB), complete whenever the player is paused, at its end, or
    /// released.
    case wav
    /// No header.
    case raw
  }

  /// The requested rate and channels.
  public let format: SinkFormat
  private let file: OutputFile
  /// The head of a WAV; nil without one.
  private let wave: WaveFile?
  private var end: Int64

  /// Opens a file for one player, with the rate and the channels of its first item.
  ///
  /// - Parameters:
  ///   - path: The path of the file; missing folders are made.
  ///   - encoding: The encoding of a sample; `int24` takes three bytes in a WAV.
  ///   - container: The start of the file.
  ///   - isReplacing: Whether an existing file is overwritten.
  /// - Returns: The opener for a player. It throws `mendJob` for an existing file that must not be
  ///   overwritten, `tryAgain` if another sink or a recorder uses the file, and otherwise the
  ///   system's error; the player tries again then. On a full disk the player stops later and
  ///   reports `PlayerEvent.deviceFailed`, and the file keeps what was written.
  public static func opener(
    _ path: FilePath, as encoding: SampleEncoding = .float32, container: Container = .wav,
    replacing isReplacing: Bool = false
  ) -> SinkOpener {
    { request throws(Failure) in
      let slotFrames = SlotRing.slotFrames(atRate: request.sampleRate)
      let format = SinkFormat(
        sampleRate: request.sampleRate, channelCount: request.channelCount,
        encoding: container == .wav && encoding == .int24 ? .packedInt24 : encoding,
        periodFrames: slotFrames, bufferFrames: slotFrames)
      let file = try OutputFile.grow(at: path, replacing: isReplacing)
      return try FileSink(file, format, container)
    }
  }

  /// A sink at the start of an empty file.
  init(_ file: OutputFile, _ format: SinkFormat, _ container: Container) throws(Failure) {
    self.file = file
    self.format = format
    wave = container == .wav ? WaveFile(WaveFormat(format)) : nil
    end = wave?.soundStart ?? 0
    try settle()
  }

  deinit { try? settle() }

  /// True: a file has one format, and items of another one are converted.
  public var isFixed: Bool { true }

  /// Zero: every written frame counts as heard.
  public var delay: Int { 0 }

  /// Takes all frames.
  ///
  /// - Throws: The system's error; the file keeps what was written before.
  public func write(_ frames: UnsafeRawPointer, count: Int) throws(Failure) -> SinkOutcome {
    let bytes = UnsafeRawBufferPointer(start: frames, count: count * format.frameSize)
    do throws(Failure) {
      try file.put(bytes, at: end)
      end += Int64(bytes.count)
      return .wrote(count)
    } catch {
      file.cut(to: end)
      throw error
    }
  }

  /// Does not wait: there is room.
  public func wait(or descriptor: Int32, milliseconds: Int32) {}

  /// Discards nothing, since every frame counts as heard.
  public func drop() { try? settle() }

  /// True: every frame counts as heard.
  ///
  /// - Throws: The system's error for the header.
  public func drain() throws(Failure) -> Bool {
    try settle()
    return true
  }

  private func settle() throws(Failure) {
    guard let wave else { return }
    try file.put(wave.head(soundSize: end - wave.soundStart), at: 0)
  }
}

extension WaveFormat {
  /// How a WAV has the samples of a sink.
  fileprivate init(_ format: SinkFormat) {
    let places = ChannelLayout.usual(ofCount: format.channelCount).channels
    self.init(
      format.encoding == .float32 ? .float : .integer, bits: 8 * format.encoding.byteCount,
      sampleRate: format.sampleRate, channelCount: format.channelCount,
      channelMask: places.reduce(0) { $1 == .unplaced ? $0 : $0 | 1 << UInt64($1.rawValue) })
  }
}
