import Glibc

/// An error of a bus, or one that a call is answered with (D-Bus specification, "Errors").
package struct DBusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Such as `org.freedesktop.DBus.Error.NotSupported`.
  package let name: String
  /// One line for people.
  package let message: String

  /// An error of a name.
  package init(name: String, _ message: String) { (self.name, self.message) = (name, message) }

  /// One line.
  package var description: String { "\(name): \(message)" }

  /// libsystemd is not installed.
  package static let libraryMissing = DBusError(
    name: standard("FileNotFound"), "\(SystemdLibrary.name) is not installed")

  /// The called object cannot do it.
  package static func notSupported(_ message: String) -> DBusError {
    DBusError(name: standard("NotSupported"), message)
  }

  /// An argument is wrong.
  package static func invalidArguments(_ message: String) -> DBusError {
    DBusError(name: standard("InvalidArgs"), message)
  }

  /// A call is larger than allowed.
  package static func limitsExceeded(_ message: String) -> DBusError {
    DBusError(name: standard("LimitsExceeded"), message)
  }

  /// The object tried, in vain.
  package static func failed(_ message: String) -> DBusError {
    DBusError(name: standard("Failed"), message)
  }

  /// A negative errno of sd-bus.
  init(code: Int32, _ action: String) {
    self.init(
      name: Self.standard("Failed"), "\(action): \(String(cString: strerror(-code)))")
  }

  private static func standard(_ name: String) -> String { "org.freedesktop.DBus.Error.\(name)" }
}
