/// The index of a file whose bytes are costly, as a server's are: it has the frames as far as they
/// were needed, and for the others the word of the file's head. One thread at a time.
///
/// A tag of Xing, LAME, FFmpeg or Fraunhofer is believed if the stream has as many bytes as it says, and
/// its checksum is right where it has one. Without such a tag a stream is taken for one of a constant
/// bit rate if its first and its last frames have that, and its bytes are those of a whole number of
/// frames. Where the last frame is needed, or where bytes lie between frames, all of them are counted.
package struct GrowingFrameIndex {
  /// What the file's head says of all frames, and where those lie that were found.
  package private(set) var index: FrameIndex
  private let note: ITunesGapless?
  /// nil: all frames are there.
  private var scanner: FrameScanner?

  /// The frames are not as many as the file's head says.
  package struct Contradiction: Error, Hashable {
    /// By the tag, or by the bit rate.
    package let announced: Int
    /// In the file.
    package let found: Int
  }

  /// An index that has all frames.
  package init(_ whole: FrameIndex) {
    index = whole
    (scanner, note) = (nil, nil)
  }

  /// Whether the index has all frames.
  package var isWhole: Bool { scanner == nil }

  /// Reads the file's ends, and finds its first frames; nil where its head does not say how many there
  /// are.
  ///
  /// - Parameters:
  ///   - byteCount: As of `FrameIndex`.
  ///   - note: iTunes' note, if the file has one.
  ///   - read: As of `FrameIndex`; also called by `find`.
  /// - Throws: `FrameIndex.Refusal` where there is no Layer III stream.
  package init?(
    byteCount: Int, noting note: ITunesGapless? = nil,
    reading read: @escaping (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int
  ) throws(FrameIndex.Refusal) {
    var scanner = try FrameScanner(FileWindow(count: byteCount, reading: read))
    let byteCount = scanner.streamLength - scanner.result.tagLength
    let tagged = Self.count(taggedIn: scanner)
    scanner.find(min(tagged ?? .max, Self.firstFrames))
    if scanner.isInterrupted { return nil }
    guard let count = tagged ?? scanner.constantCount else { return nil }
    var index = FrameIndex(scanner.result, count: count, byteCount: byteCount)
    index.isConstant = tagged == nil
    self.index = note.map(index.noting) ?? index
    (self.scanner, self.note) = (scanner, note)
  }

  /// How many frames the tag counts; nil where it is not to be believed.
  private static func count(taggedIn scanner: FrameScanner) -> Int? {
    let (header, tagLength) = (scanner.result.header, scanner.result.tagLength)
    let byteCount = scanner.streamLength - tagLength
    let lengths = FrameSync.lengths(like: header).filter { $0 > 0 }
    guard let tag = scanner.result.tag, tag.isChecksumValid != false,
      let count = tag.frameCount, count > 0,
      // FFmpeg's count leaves the tag's own frame out.
      tag.byteCount == scanner.streamLength || tag.byteCount == byteCount,
      let least = lengths.min(), let most = lengths.max(),
      (least * count...(most + 1) * count).contains(byteCount)
    else { return nil }
    return count
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
    let counted = FrameIndex(result)
    let whole = note.map(counted.noting) ?? counted
    guard whole.count == index.count, whole.validFrameCount == index.validFrameCount else {
      throw Contradiction(announced: index.count, found: whole.count)
    }
    (index, scanner) = (whole, nil)
  }
}
