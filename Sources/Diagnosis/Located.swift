/// A value and where it was written.
package struct Located<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The value.
  package var value: Value
  /// Where.
  package var origin: Origin

  /// `value`, written at `origin`.
  package init(_ value: Value, at origin: Origin = .unknown) {
    self.value = value
    self.origin = origin
  }
}
