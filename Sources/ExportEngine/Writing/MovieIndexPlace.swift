import Diagnosis
import Tagging
import Threads

/// Where the index of an MP4 or QuickTime movie lies.
extension OutputFile {
  /// The index, which libavformat writes behind all media, and the end of what stands before these.
  ///
  /// - Throws: `reportBug` where the file does not end with an index.
  func movieIndex() throws(Failure) -> (front: Int64, index: Range<Int64>) {
    var (offset, front): (Int64, Int64) = (0, 0)
    while let head = AtomHead(
      try bytes(at: offset, count: AtomHead.longest), space: size - offset)
    {
      if head.name == "ftyp" { front = offset + head.size }
      if head.name == "moov", offset + head.size == size { return (front, offset..<size) }
      offset += head.size
    }
    throw Failure(.reportBug, "the file does not end with its index", path: path)
  }

  /// Bytes that are moved at once.
  private static let blockSize: Int64 = 1 << 22

  /// Moves the index in front of the media: a player of a server's file then begins before all of the
  /// file has come.
  ///
  /// - Parameter cancellation: Polled for each block that is moved.
  /// - Throws: The system's error, `tryAgain` once cancelled, and `reportBug` where the file does not end
  ///   with an index.
  /// - Complexity: O(size)
  func moveIndexToFront(unless cancellation: CancellationFlag) throws(Failure) {
    let (front, index) = try movieIndex()
    var new = try bytes(at: index.lowerBound, count: index.count)
    guard MovieIndex.placeInFront(&new) else {
      throw Failure(.reportBug, "the file's index cannot be read", path: path)
    }
    var end = index.lowerBound
    while end > front {
      guard !cancellation.isCancelled else { throw Failure.cancelled(at: .file(path)) }
      let start = max(front, end - Self.blockSize)
      try put(try bytes(at: start, count: Int(end - start)), at: start + Int64(new.count))
      end = start
    }
    try put(new, at: front)
  }
}
