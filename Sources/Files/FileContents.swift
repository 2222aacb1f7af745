import Glibc
import SystemPackage

extension PathCalls {
  /// The first bytes of a file, at most 4096; none where it cannot be read.
  package static func beginning(of path: FilePath) -> [UInt8] {
    guard let file = try? openToRead(path) else { return [] }
    defer { try? file.close() }
    return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Glibc.read(file.rawValue, buffer.baseAddress, 4096))
    }
  }

  /// All bytes of a regular file, as many as it says it has; those of /proc say none.
  ///
  /// - Throws: `EISDIR` and `EINVAL` for what is no regular file, `EFBIG` above `limit`, `EIO` where it
  ///   shrinks meanwhile, and what `open(2)` and `read(2)` report.
  /// - Complexity: O(size)
  package static func contents(of path: FilePath, limit: Int) throws(Errno) -> [UInt8] {
    let file = try openToRead(path)
    defer { try? file.close() }
    let status = try FileStatus(of: file.rawValue)
    try status.requireFile()
    guard status.size <= limit else { throw .fileTooLarge }
    let size = Int(status.size)
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
