import Glibc

/// Where files are written that are removed with the preview.
enum TemporaryFolder {
  /// The folder that the first of some environment variables names, or `/tmp`. A variable without a
  /// value is as good as none.
  ///
  /// - Parameters:
  ///   - names: Of the variables.
  ///   - value: Gives the value of a variable.
  /// - Returns: Its path.
  static func path(
    of names: String...,
    in value: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) -> String {
    names.lazy.compactMap(value).first { !$0.isEmpty } ?? "/tmp"
  }
}
