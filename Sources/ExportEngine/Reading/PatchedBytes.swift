import LibAV
import MediaComposition

/// Bytes that a reader gets instead of those of its medium.
struct BytePatch: Sendable, Hashable {
  /// Where they stand in the medium.
  var offset: Int64
  /// At most twenty.
  var bytes: [UInt8]
}

/// How a demuxer gets a medium: what it is kept from taking at its word.
struct MediumOpening: Sendable, Hashable {
  /// Whether an MP4's edit lists are ours to apply.
  var ignoresEditLists = false
  /// In order.
  var patches: [BytePatch] = []
  /// What it holds, where it has no header and its name does not tell.
  var sound: RawSound?
}

/// A medium with some bytes replaced. One thread at a time.
final class PatchedBytes: ByteSource {
  private let source: any ByteSource
  private let patches: [BytePatch]

  /// - Parameters:
  ///   - source: The medium.
  ///   - patches: In order, without overlaps.
  init(_ source: any ByteSource, _ patches: [BytePatch]) {
    (self.source, self.patches) = (source, patches)
  }

  func size() throws -> Int64 { try source.size() }

  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try source.read(at: offset, into: bytes)
    let end = offset + Int64(count)
    let first = patches.partitioningIndex { $0.offset + Int64($0.bytes.count) > offset }
    for patch in patches[first...] {
      guard patch.offset < end else { break }
      for (place, byte) in zip(patch.offset..., patch.bytes) where offset..<end ~= place {
        bytes[Int(place - offset)] = byte
      }
    }
    return count
  }
}
