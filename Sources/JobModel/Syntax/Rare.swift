/// A value that most of its owners lack: nil takes the room of a pointer, whatever the type. A job
/// file may make a hundred thousand jobs, and an item has a dozen modifiers of fifty bytes and
/// more. Copies share the value until one is changed.
@propertyWrapper
package struct Rare<Value: Sendable & Hashable>: Sendable, Hashable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  /// nil.
  package init() {}

  /// A box with `wrappedValue`.
  package init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

  /// The value. Setting it allocates.
  package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }

  /// Whether both have equal values, or none.
  package static func == (a: Rare, b: Rare) -> Bool {
    a.box === b.box || a.box?.value == b.box?.value
  }

  /// Equal ones hash alike.
  package func hash(into hasher: inout Hasher) { hasher.combine(box?.value) }
}
