import Glibc
import SystemPackage

extension PathCalls {
  /// All bytes of a regular file, as many as it says it has; those of /proc say none.
  ///
  /// - Throws: `EISDIR` and `EINVAL` for what is no regular file, `EFBIG` above `limit`, `EIO` where it
  ///   shrinks meanwhile, and what `open(2)` and `read(2)` report.
  /// - Complexity: O(size)
  package static func contents(of path: FilePath, limit: Int) throws(Errno) -> [UInt8] {
    let file = try openToRead(path)
    defer { try? file.close() }
    var facts = Glibc.stat()
    guard fstat(file.rawValue, &facts) == 0 else { throw Errno(rawValue: errno) }
    let kind = facts.st_mode & S_IFMT
    guard kind == S_IFREG else { throw kind == S_IFDIR ? .isDirectory : .invalidArgument }
    guard facts.st_size <= limit else { throw .fileTooLarge }
    let size = Int(facts.st_size)
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let read = Glibc.read(file.rawValue, buffer.baseAddress.map { $0 + count }, size - count)
        if read < 0, errno == EINTR { continue }
        guard read > 0 else {
          failure = read < 0 ? Errno(rawValue: errno) : .ioError
          return
        }
        count += read
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
