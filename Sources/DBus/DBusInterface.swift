/// What an object on a bus has under one name (D-Bus specification, "Introspection Data Format").
package struct DBusInterface: Sendable {
  /// An argument, a result, or a part of a signal.
  package struct Parameter: Sendable {
    /// For introspection.
    package let name: String
    /// A complete type, such as `ao`.
    package let signature: String

    /// A parameter.
    package init(_ name: String, _ signature: String) {
      (self.name, self.signature) = (name, signature)
    }
  }

  /// A method. Arguments are basic types, or lists of them.
  package struct Method: Sendable {
    /// Such as `SetPosition`.
    package let name: String
    /// What a call has.
    package let arguments: [Parameter]
    /// What its answer has.
    package let results: [Parameter]

    /// A method.
    package init(_ name: String, _ arguments: [Parameter] = [], results: [Parameter] = []) {
      (self.name, self.arguments, self.results) = (name, arguments, results)
    }
  }

  /// A signal.
  package struct Signal: Sendable {
    /// Such as `Seeked`.
    package let name: String
    /// What it has.
    package let parameters: [Parameter]

    /// A signal.
    package init(_ name: String, _ parameters: [Parameter]) {
      (self.name, self.parameters) = (name, parameters)
    }
  }

  /// A property.
  package struct Property: Sendable {
    /// How changes are signalled (`org.freedesktop.DBus.Property.EmitsChangedSignal`).
    package enum ChangeSignal: Sendable {
      /// With the new value.
      case value
      /// Without the new value.
      case invalidation
      /// There are no changes.
      case constant
      /// Not at all.
      case none
    }

    /// Such as `Volume`.
    package let name: String
    /// A complete type.
    package let signature: String
    /// Whether callers may set it.
    package let isWritable: Bool
    /// How its changes are signalled.
    package let changeSignal: ChangeSignal

    /// A property, which callers may only read unless `isWritable`.
    package init(
      _ name: String, _ signature: String, isWritable: Bool = false, _ signal: ChangeSignal = .value
    ) {
      (self.name, self.signature, self.isWritable) = (name, signature, isWritable)
      changeSignal = signal
    }
  }

  /// Such as `org.mpris.MediaPlayer2.Player`.
  package let name: String
  /// In the order of introspection, as the others.
  package let methods: [Method]
  /// What it emits.
  package let signals: [Signal]
  /// What can be read, or written.
  package let properties: [Property]

  /// An interface.
  package init(
    _ name: String, methods: [Method] = [], signals: [Signal] = [], properties: [Property] = []
  ) {
    (self.name, self.methods, self.signals) = (name, methods, signals)
    self.properties = properties
  }
}

/// An object that other programs call over a bus. Its functions are called on the thread that
/// processes the connection, one at a time.
package protocol DBusObject: AnyObject {
  /// Performs a method of an interface that the object was exported with; `arguments` are of the
  /// method's types.
  ///
  /// - Returns: Results of the method's types.
  /// - Throws: The error that the caller gets.
  func call(
    _ method: String, of interface: String, _ arguments: [DBusValue]
  ) throws(DBusError) -> [DBusValue]

  /// The value of a property, of its type.
  ///
  /// - Throws: The error that the caller gets.
  func property(_ name: String, of interface: String) throws(DBusError) -> DBusValue

  /// Sets a writable property to a value of its type.
  ///
  /// - Throws: The error that the caller gets.
  func setProperty(
    _ name: String, of interface: String, to value: DBusValue
  ) throws(DBusError)
}
