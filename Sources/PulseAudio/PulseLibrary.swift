internal import CPulse

/// libpulse, loaded once at the first connection.
//
// `@unchecked Sendable`: the table is written before the object exists, and never after. Its
// functions may be called from any thread; those of a connection with the lock of its loop.
final class PulseLibrary: @unchecked Sendable {
  private let table: UnsafeMutablePointer<avjob_pulse>

  /// The version of all distributions since 2008; PipeWire's servers are reached by it as well.
  static let name = "libpulse.so.0"

  private static let shared = PulseLibrary(name: name)

  /// The library.
  ///
  /// - Throws: `PulseError` of kind `.libraryMissing` if it cannot be loaded.
  static func loaded() throws(PulseError) -> PulseLibrary {
    guard let shared else { throw PulseError(.libraryMissing, "dlopen", name) }
    return shared
  }

  /// The library of a name; nil if it cannot be loaded or lacks a function.
  init?(name: String) {
    table = .allocate(capacity: 1)
    table.initialize(to: avjob_pulse())
    // `deinit` runs after a failure, too.
    guard avjob_load_pulse(name, table) != 0 else { return nil }
  }

  deinit { table.deallocate() }

  /// The functions of the library.
  var functions: avjob_pulse { table.pointee }

  /// The error for a code of `pa_context_errno`.
  func error(_ code: Int32, _ call: String) -> PulseError {
    let text = functions.strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return PulseError(PulseError.Kind(code), call, text)
  }

  /// Lends a property list; entries without a value are left out.
  func withProperties<Result>(
    _ properties: [String: String], _ body: (OpaquePointer?) -> Result
  ) -> Result {
    let list = functions.proplist_new()
    defer { if let list { functions.proplist_free(list) } }
    for (key, value) in properties { _ = functions.proplist_sets(list, key, value) }
    return body(list)
  }
}

/// An error of libpulse.
package struct PulseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error, by the reaction to it.
  package enum Kind: Sendable, Hashable {
    /// libpulse is not installed.
    case libraryMissing
    /// There is no server, or it has ended.
    case noServer
    /// The server does not answer.
    case timeout
    /// The server refuses this user.
    case forbidden
    /// The server has no device of this name.
    case noDevice
    /// The server does not know what is asked for.
    case unsupported
    /// Anything else.
    case other

    init(_ code: Int32) {
      switch UInt32(bitPattern: code) {
      case PA_ERR_CONNECTIONREFUSED.rawValue, PA_ERR_CONNECTIONTERMINATED.rawValue,
        PA_ERR_INVALIDSERVER.rawValue:
        self = .noServer
      case PA_ERR_TIMEOUT.rawValue: self = .timeout
      case PA_ERR_ACCESS.rawValue, PA_ERR_AUTHKEY.rawValue: self = .forbidden
      case PA_ERR_NOENTITY.rawValue, PA_ERR_KILLED.rawValue: self = .noDevice
      case PA_ERR_NOTSUPPORTED.rawValue, PA_ERR_NOTIMPLEMENTED.rawValue,
        PA_ERR_COMMAND.rawValue:
        self = .unsupported
      default: self = .other
      }
    }
  }

  /// The kind.
  package let kind: Kind
  /// The call that failed, such as `pa_context_connect`.
  package let call: String
  /// libpulse's text (`pa_strerror`).
  package let reason: String

  init(_ kind: Kind, _ call: String, _ reason: String) {
    (self.kind, self.call, self.reason) = (kind, call, reason)
  }

  /// For a process that has no descriptor left.
  package static let noDescriptor = PulseError(.other, "eventfd", "too many open files")

  /// One line, such as `Connection refused (pa_context_connect)`.
  package var description: String { "\(reason) (\(call))" }
}
