import Diagnosis
import LibAV

/// The lengths in bytes of a file's packets, as MP4 lists them (`stsz`; ISO/IEC 14496-12, 8.7.3): the
/// last ones in memory, and the others, of a long sound, in a temporary file beside the output, which goes
/// with this object. One thread at a time.
final class PacketLengths {
  private let output: OutputFile
  private var spool: OutputFile?
  /// Four bytes each, the most significant first.
  private var pending: [UInt8] = []
  private(set) var count = 0

  /// Bytes that are held in memory: those of an hour and a half.
  private static let mostHeld = 1 << 20

  /// None yet, of the packets of `output`.
  init(of output: OutputFile) { self.output = output }

  /// Appends the lengths of the next packets.
  ///
  /// - Throws: The disk's error.
  func append(_ lengths: [UInt32]) throws(Failure) {
    lengths.map(\.bigEndian).withUnsafeBytes { pending += $0 }
    count += lengths.count
    guard pending.count >= Self.mostHeld else { return }
    let spool = if let spool { spool } else { try OutputFile.create(at: output.path) }
    self.spool = spool
    try spool.put(pending, at: spool.size)
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes all of them into the output.
  ///
  /// - Parameter place: Bytes from the output's start on.
  /// - Throws: The disk's error.
  /// - Complexity: O(packets)
  func write(at place: Int64) throws(Failure) {
    var done: Int64 = 0
    while let spool, done < spool.size {
      let bytes = try spool.bytes(at: done, count: Self.mostHeld)
      try output.put(bytes, at: place + done)
      done += Int64(bytes.count)
    }
    try output.put(pending, at: place + done)
  }
}
