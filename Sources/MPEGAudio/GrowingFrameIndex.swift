/// The index of a file whose bytes are costly, as a server's are: it has the frames as far as they
/// were needed, and the tag's word for the others. One thread at a time.
///
/// Only a tag with LAME's extension and a right checksum is believed, and only if the stream has as
/// many bytes as it says. Where the last frame is needed, or where bytes lie between frames, all of
/// them are counted.
package struct GrowingFrameIndex {
  /// What the tag says of all frames, and where those lie that were found.
  package private(set) var index: FrameIndex
  /// nil: all frames are there.
  private var scanner: FrameScanner?

  /// The frames are not as many as the tag says.
  package struct Contradiction: Error, Hashable {
    /// By the tag.
    package let announced: Int
    /// In the file.
    package let found: Int
  }

  /// An index that has all frames.
  package init(_ whole: FrameIndex) {
    index = whole
    scanner = nil
  }

  /// Whether the index has all frames.
  package var isWhole: Bool { scanner == nil }

  /// Reads the file's ends, and finds its first frames; nil where no tag is believed.
  ///
  /// - Parameters:
  ///   - byteCount: As of `FrameIndex`.
  ///   - read: As of `FrameIndex`; also called by `find`.
  /// - Throws: `FrameIndex.Refusal` where there is no Layer III stream.
  package init?(
    byteCount: Int,
    reading read: @escaping (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int
  ) throws(FrameIndex.Refusal) {
    var scanner = try FrameScanner(FileWindow(count: byteCount, reading: read))
    let (header, tagLength) = (scanner.result.header, scanner.result.tagLength)
    let byteCount = scanner.streamLength - tagLength
    let lengths = FrameSync.lengths(like: header).filter { $0 > 0 }
    guard let tag = scanner.result.tag, tag.isChecksumValid == true, tag.delay != nil,
      tag.padding != nil, let count = tag.frameCount,
      // FFmpeg's count leaves the tag's own frame out.
      tag.byteCount == scanner.streamLength || tag.byteCount == byteCount,
      let least = lengths.min(), let most = lengths.max(),
      (least * count...(most + 1) * count).contains(byteCount)
    else { return nil }
    scanner.find(min(count, Self.firstFrames))
    if scanner.isInterrupted { return nil }
    index = FrameIndex(scanner.result, count: count, byteCount: byteCount)
    self.scanner = scanner
  }

  /// Enough to recognise a constant bit rate.
  private static let firstFrames = 16

  /// Makes sure that frame `number`, and all before it, are in `index`.
  ///
  /// - Throws: `Contradiction` where the file has other frames than its tag says.
  /// - Complexity: O(n) in the bytes up to there, and behind the frames that were found before.
  package mutating func find(_ number: Int) throws(Contradiction) {
    // The last frame is looked behind, also where a scan has come as far before.
    let isLast = number >= index.count - 1
    guard scanner != nil, isLast || number >= index.entries.count else { return }
    scanner?.find(isLast ? .max : number + 1)
    if scanner?.isInterrupted == true { scanner?.find() }
    guard let result = scanner?.result else { return }
    index.entries += result.entries[index.entries.count...]
    guard scanner?.isAtEnd == true else { return }
    let whole = FrameIndex(result)
    guard whole.count == index.count, whole.validFrameCount == index.validFrameCount else {
      throw Contradiction(announced: index.count, found: whole.count)
    }
    (index, scanner) = (whole, nil)
  }
}
