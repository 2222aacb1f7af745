import Diagnosis
import LibAV
import Tagging

extension OutputFile {
  /// Appends chunks to an AIFF or a CAF that is complete but for them: at its end there is room.
  ///
  /// - Throws: `mendJob` where the sizes of AIFF, of 32 bits, do not suffice; and the disk's error.
  func append(_ chunks: [WaveFile.Chunk], to container: Muxer.Container?) throws(Failure) {
    guard !chunks.isEmpty else { return }
    let isAIFF = container == .aiff
    let layout: ChunkWalk.Layout = isAIFF ? .aiff : .caf
    let bytes = chunks.flatMap { layout.chunk($0.name, $0.content) ?? [] }
    // AIFF counts all behind its first eight bytes (`FORM` and this).
    let size = UInt32(exactly: self.size + Int64(bytes.count) - 8)
    guard !isAIFF || size != nil else {
      throw Failure(.mendJob, AIFFFormat.sizeProblem)
    }
    try put(bytes, at: self.size)
    guard isAIFF, let size else { return }
    try put([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }, at: 4)
  }
}

/// Puts blocks of metadata behind a FLAC's first one, `STREAMINFO`, which libavformat's muxer writes
/// first and again at the end, and behind which other blocks follow (RFC 9639, 8.1).
final class FLACBlockInserter: ByteOutput {
  private let file: OutputFile
  private let blocks: [UInt8]

  /// Bytes of `fLaC` and that block.
  private static let place: Int64 = 42

  /// `blocks` are whole, and none is marked as the last one.
  init(_ file: OutputFile, _ blocks: [UInt8]) { (self.file, self.blocks) = (file, blocks) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
    let before = Int(clamping: min(Int64(bytes.count), max(0, Self.place - offset)))
    let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(before))
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(before))
    if !head.isEmpty {
      let status = file.write(head, at: offset)
      guard status == 0 else { return status }
    }
    guard !rest.isEmpty else { return 0 }
    let start = offset + Int64(before)
    if start == Self.place {
      let status = blocks.withUnsafeBytes { file.write($0, at: start) }
      guard status == 0 else { return status }
    }
    return file.write(rest, at: start + Int64(blocks.count))
  }
}
