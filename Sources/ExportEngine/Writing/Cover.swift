import Glibc
import LibAV
import MediaComposition
import SystemPackage

/// The most that a FLAC file has room for: a block's length has 24 bits (RFC 9639, section 8.1),
/// less what stands before the picture.
private let largestCover = (1 << 24) - 4096

/// Reads a cover picture without decoding it.
///
/// - Throws: `.mendInput` where it is not a regular file, too large, damaged, or neither JPEG nor
///   PNG.
func readPicture(_ path: FilePath) throws(Failure) -> Picture {
  // O_NONBLOCK: a FIFO would wait for a writer.
  let descriptor = path.withPlatformString { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
  guard descriptor >= 0 else {
    throw Failure(.mendInput, "cannot open the cover: \(Errno(rawValue: errno))", path: path)
  }
  defer { close(descriptor) }
  var facts = stat()
  guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
    throw Failure(.mendInput, "the cover is no regular file", path: path)
  }
  guard facts.st_size <= largestCover else {
    throw Failure(.mendInput, "the cover is larger than 16 MB; make it smaller", path: path)
  }
  let size = Int(facts.st_size)
  var failure: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    while count < size {
      let read = pread(
        descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
      if read < 0, errno == EINTR { continue }
      if read < 0 { failure = errno }
      guard read > 0 else { return }
      count += read
    }
  }
  guard failure == 0 else {
    throw Failure(.mendInput, "cannot read the cover: \(Errno(rawValue: failure))", path: path)
  }
  guard let picture = Picture(bytes) else {
    throw Failure(.mendInput, "the cover is neither a JPEG nor a PNG picture", path: path)
  }
  if let damage = picture.damage {
    throw Failure(.mendInput, "the cover \(damage)", path: path)
  }
  return picture
}
