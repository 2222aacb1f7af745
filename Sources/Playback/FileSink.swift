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
  private var end: Int64
  private let sizes: WAVSizes?

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
    let header = container == .wav ? wavHeader(of: format) : []
    self.file = file
    self.format = format
    end = Int64(header.count)
    sizes = WAVSizes(header: header)
    try file.put(header, at: 0)
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
    guard let sizes else { return }
    try file.put(sizes.header(fileSize: end), at: 0)
  }
}

/// A WAV header up to the first sample, without its sizes: Microsoft's "Multimedia
/// Programming Interface and Data Specifications 1.0", `WAVEFORMATEXTENSIBLE` of mmreg.h for more
/// than two channels and for more than 16 bits, and room for EBU Tech 3306's `ds64`.
private func wavHeader(of format: SinkFormat) -> [UInt8] {
  func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + number(body.count, 4) + body
  }
  let bits = format.encoding.byteCount * 8
  let isFloat = format.encoding == .float32
  let tag = isFloat ? 3 : 1
  let isExtensible = format.channelCount > 2 || !isFloat && bits > 16
  var facts =
    number(isExtensible ? 0xFFFE : tag, 2) + number(format.channelCount, 2)
    + number(format.sampleRate, 4) + number(format.sampleRate * format.frameSize, 4)
    + number(format.frameSize, 2) + number(bits, 2)
  if isExtensible {
    let places = ChannelLayout.usual(ofCount: format.channelCount).channels
    let mask = places.reduce(0) { $0 | 1 << $1.rawValue }
    facts += number(22, 2) + number(bits, 2) + number(mask, 4)
    // The GUID of a format that has a tag.
    facts += number(tag, 4) + [0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
  } else if isFloat {
    facts += number(0, 2)
  }
  let size = [UInt8](repeating: 0, count: 4)
  return Array("RIFF".utf8) + size + Array("WAVE".utf8)
    + chunk("JUNK", [UInt8](repeating: 0, count: 28)) + chunk("fmt ", facts)
    + (isFloat ? chunk("fact", size) : []) + Array("data".utf8) + size
}
