/// A value and where it was written.
public struct Located<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The value.
  public var value: Value
  /// Where.
  public var origin: Origin

  /// `value`, written at `origin`.
  public init(_ value: Value, at origin: Origin = .unknown) {
    self.value = value
    self.origin = origin
  }
}
