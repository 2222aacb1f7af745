internal import CFFmpeg
internal import CReadingBounds
import Glibc

/// Bounds on what libavformat makes of a file, whose size it cannot choose: time and memory of a call
/// follow from the file's, whatever it announces.
package struct ReadingBounds {
  /// Entries of one dictionary: more tags than any honest file has, and as many as
  /// `Metadata.mostItems`.
  package static let tagLimit = 1000
  /// Chapters of a file: more than any honest file has.
  package static let chapterLimit = 10_000
  /// Bytes of tags that are compared or copied for the sake of others: some tenths of a second.
  private static let passedLimit = 256 << 20
  /// Bytes of compressed tags, together.
  private static let inflatedLimit: UInt = 16 << 20
  /// Bytes of arrays of a mebibyte and more, as they are asked for: an index takes 24 bytes for each
  /// packet, and grows in steps.
  private let tables: UInt

  /// Those of a file of so many bytes.
  init(fileSize: Int64) { tables = 128 << 20 + 32 * UInt(max(0, min(fileSize, 1 << 50))) }

  /// Makes one call within the bounds.
  ///
  /// - Returns: Its status, and whether tags or chapters were left out.
  /// - Throws: `LibAVError.tablesTooLarge`, where they are the cause of a failure or of a file without
  ///   an index; `blockTooLarge`, where a block is that libavformat found no room for.
  func call(_ body: () -> Int32) throws(LibAVError) -> (status: Int32, leavesTagsOut: Bool) {
    avjob_bound_reading(
      Int32(Self.tagLimit), Int32(Self.chapterLimit), Self.passedLimit, Self.inflatedLimit, tables)
    let status = body()
    let (tags, tables) = (avjob_refused_tags(), avjob_refused_tables())
    avjob_bound_reading(0, 0, 0, 0, 0)
    guard tables == 0 else { throw .tablesTooLarge }
    guard status != avjob_averror(ENOMEM) || !hasRoom else { throw .blockTooLarge }
    return (status, tags > 0)
  }

  /// Whether the machine has as much memory as a file of this size may need, in one block: half of what
  /// `Library.silence` allows. A header that asks for more than there is, asks for what no file needs then.
  private var hasRoom: Bool {
    let block = av_malloc(Int(min(tables, 1 << 29)))
    av_free(block)
    return block != nil
  }
}

extension LibAVError {
  /// A file that announces more than it can hold.
  static let tablesTooLarge = LibAVError(
    code: avjob_averror(EFBIG), operation: "its tables count more than a file of its size can hold")

  /// A file with a block, of a decoder's configuration say, of gigabytes that it has not.
  static let blockTooLarge = LibAVError(
    code: avjob_averror(EFBIG),
    operation: "its header announces more than a file of its size can hold")

  /// Whether it is one of them.
  package var isTooLarge: Bool { self == .tablesTooLarge || self == .blockTooLarge }
}
