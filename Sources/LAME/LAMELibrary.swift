internal import CLAME

/// What belongs to the process rather than to one encoder.
package enum LAMELibrary {
  /// The linked LAME, such as `3.100` (`get_lame_version`).
  package static var version: String { String(cString: get_lame_version()) }

  /// The first number of the linked LAME's version (`get_lame_version_numerical`).
  package static let majorVersion: Int = {
    var version = lame_version_t()
    get_lame_version_numerical(&version)
    return Int(version.major)
  }()
}
