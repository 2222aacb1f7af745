import Diagnosis
import LibAV

extension ContainerFacts {
  /// Sizes from here on stand for an unknown one where the file is shorter, as writers to a pipe leave
  /// it: sox has 0x7F000008, less than a frame's bytes; others take theirs from 0x7FFFFFFF or 0xFFFFFFFF.
  private static let openSizes: [ClosedRange<Int64>] = [
    0x7EFF_0000...0x7F00_0008, 0x7FFF_0000...0x8000_0000, 0xFFFF_0000...0xFFFF_FFFF,
  ]

  /// The bytes of an AIFF's sound (AIFF 1.3, "Sound Data Chunk"), as far as the file has them, and whether
  /// its writer left the size open; nil without a chunk of sound.
  ///
  /// - Complexity: O(chunks)
  static func soundOfAIFF(
    _ medium: MediumBytes
  ) throws(Failure) -> (body: Range<Int64>, isOpen: Bool)? {
    let chunk = try chunks(of: "aiff", wave: nil, medium).first { $0.name == "SSND" }
    guard let chunk else { return nil }
    let announced = Int64(chunk.body.count) + chunk.missing
    let isOpen = chunk.missing > 0 && openSizes.contains { $0.contains(announced) }
    return (chunk.body, isOpen || chunk.isOpen)
  }
}

extension Prober {
  /// Where the bytes of a container's sound of fixed frames end, as far as its file has them: of an AIFF,
  /// whose sound other chunks may follow, with the sound's own chunk.
  func soundEnd(_ demuxer: Demuxer) throws(Failure) -> Int64 {
    guard demuxer.formatName == "aiff", let sound = try ContainerFacts.soundOfAIFF(bytes) else {
      return demuxer.byteCount
    }
    return min(demuxer.byteCount, sound.body.upperBound)
  }

  /// Whether the container leaves its length open, though its header has a number.
  func leavesLengthOpen(_ demuxer: Demuxer) throws(Failure) -> Bool {
    guard demuxer.formatName == "aiff" else { return false }
    return try ContainerFacts.soundOfAIFF(bytes)?.isOpen ?? false
  }
}
