import Glibc

extension FileIdentity {
  /// What `stat(2)` says of a file.
  package init(_ status: stat) {
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modificationTime: nanoseconds(status.st_mtim))
  }
}

/// Nanoseconds since 1970; the nearest that there are for a time before 1677 or after 2262, which a file
/// may well be given.
private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(clamping: Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec))
}
