import SystemPackage

extension FilePath {
  /// This path made absolute and freed of `.` and `..`, so that two spellings of one path are one: by
  /// names alone, no link is followed.
  ///
  /// - Parameter currentDirectory: Absolute; a relative path counts from it.
  /// - Returns: The same place, if no folder on the way is a link.
  package func normalized(in currentDirectory: FilePath) -> FilePath {
    currentDirectory.pushing(self).lexicallyNormalized()
  }
}
