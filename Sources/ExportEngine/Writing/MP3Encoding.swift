import Diagnosis
import LAME
import MediaComposition

/// Writes MP3: frames that are encoded on many cores, or as the sound comes.
final class MP3Encoding: GrowingEncoding {
  private let encoder: any FrameEncoder
  private var output: MP3Bytes
  private(set) var settledFrames: Int64 = 0

  /// `tag` as of `MP3Bytes`.
  init(_ file: OutputFile, _ encoder: any FrameEncoder, tag: [UInt8]) throws(Failure) {
    self.encoder = encoder
    output = try MP3Bytes(file, tag: tag)
  }

  func encode(_ block: AudioBuffer) throws {
    try encoder.encode(block.planes, count: block.frameCount, into: &output.pending)
    if output.isFull { try settle() }
  }

  func end() throws { try encoder.end() }

  func finish() throws -> [CopiedPart]? {
    let infoFrame = try encoder.finish(into: &output.pending)
    try settle()
    try output.put(infoFrame: infoFrame)
    return nil
  }

  func settle() throws {
    try output.flush()
    settledFrames = (encoder as? StreamEncoder)?.givenCount ?? 0
  }

  func mark(_: Int64, _: String) {}

  func cancel() {
    encoder.cancel()
    // A file that stays keeps its whole frames.
    output.cut()
  }
}

/// The bytes of an MP3 on their way into its file: a tag, the Info frame, and the frames behind it.
struct MP3Bytes {
  private let file: OutputFile
  /// The place of the Info frame: after the tag.
  private let start: Int64
  /// The end of what is in the file.
  private var end: Int64
  /// Frames that follow; the first of all keeps the Info frame's place.
  var pending: [UInt8] = []

  private static let capacity = 1 << 16

  /// Puts the bytes before the sound: a whole ID3v2 tag or nothing.
  init(_ file: OutputFile, tag: [UInt8]) throws(Failure) {
    self.file = file
    start = Int64(tag.count)
    end = start
    try file.put(tag, at: 0)
  }

  /// Whether it is time for `flush`.
  var isFull: Bool { pending.count >= Self.capacity }

  mutating func flush() throws(Failure) {
    try file.put(pending, at: end)
    end += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  func put(infoFrame: [UInt8]) throws(Failure) { try file.put(infoFrame, at: start) }

  /// Removes the part of a frame that could not be put whole.
  func cut() { file.cut(to: end) }
}
