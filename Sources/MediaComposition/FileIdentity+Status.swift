import Files

extension FileIdentity {
  /// The identity of the file that has this status.
  package init(_ status: FileStatus) {
    let (seconds, attoseconds) = status.modificationTime.components
    // The nearest nanosecond that there is for a time before 1677 or after 2262, which a file may well
    // be given.
    let time = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
    self.init(
      device: status.device, inode: status.inode, size: status.size,
      modificationTime: Int64(clamping: time))
  }
}
