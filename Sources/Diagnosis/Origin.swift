/// Where a value was written, as a token that only its author can read.
///
/// `JobFile` hands tokens out and resolves them to file, line and column; a library user may pass
/// any number, or `.unknown`. Compositions, graphs and failures carry it without looking inside.
package struct Origin: RawRepresentable, Sendable, Hashable, Codable {
  /// Meaningful to its author alone.
  package let rawValue: UInt32
  /// A token of an author of origins.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No place is known.
  package static let unknown = Origin(rawValue: 0)
}
