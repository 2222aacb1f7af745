internal import CSystemd
import Glibc

/// A connection to a bus (sd-bus(3)).
///
/// Used by one thread at a time: it is not `Sendable`. Calls of the bus itself, such as
/// `requestName`, wait for an answer, for 5 s at most, and before the first one for the bus to admit
/// this program; nothing else waits, except `wait`.
package final class DBusConnection {
  private let library: SystemdLibrary
  /// `sd_bus`
  private let bus: OpaquePointer
  private var exports: [DBusExport] = []

  /// How many messages are processed before the caller is asked whether to go on.
  private static let mostMessages = 64
  /// How long an answer of the bus itself is waited for, in microseconds. Only the first message of
  /// `sd_bus_open_user` has libsystemd's limit.
  private static let patience: UInt64 = 5_000_000

  private init(_ library: SystemdLibrary, _ bus: OpaquePointer) {
    (self.library, self.bus) = (library, bus)
  }

  deinit { _ = library.functions.close_unref(bus) }

  /// Connects to a bus.
  ///
  /// - Parameter address: The address of the bus; nil: of DBUS_SESSION_BUS_ADDRESS or, without it, of
  ///   XDG_RUNTIME_DIR (sd_bus_open_user(3)).
  /// - Returns: The connection, which may still be on its way.
  /// - Throws: `libraryMissing`; the reason why there is no bus.
  package static func open(at address: String? = nil) throws(DBusError) -> DBusConnection {
    guard let library = SystemdLibrary.shared else { throw .libraryMissing }
    var bus: OpaquePointer?
    let functions = library.functions
    let code = address == nil ? functions.open_user(&bus) : functions.new(&bus)
    guard code >= 0, let bus else { throw DBusError(code: code, "no session bus is there") }
    let connection = DBusConnection(library, bus)
    let action = "the bus cannot be used"
    // It holds for messages that are sent afterwards, of which `start` sends the first.
    try connection.check(functions.set_method_call_timeout(bus, patience), action)
    if let address {
      try connection.check(functions.set_address(bus, address), action)
      try connection.check(functions.set_bus_client(bus, 1), action)
      try connection.check(functions.start(bus), action)
    }
    // A library must not end the process with its bus.
    try connection.check(functions.set_exit_on_disconnect(bus, 0), action)
    return connection
  }

  private func check(_ code: Int32, _ action: String) throws(DBusError) {
    guard code >= 0 else { throw DBusError(code: code, action) }
  }

  /// Takes a name on the bus, neither from its owner nor after it (sd_bus_request_name(3)).
  ///
  /// - Returns: Whether the name was free.
  /// - Throws: A name that is none; a bus that does not answer.
  package func requestName(_ name: String) throws(DBusError) -> Bool {
    let code = library.functions.request_name(bus, name, 0)
    if code == -EEXIST || code == -EALREADY { return false }
    try check(code, "the name \(name) cannot be taken")
    return true
  }

  /// Lets other programs call an object, which is kept (sd_bus_add_object_vtable(3)). Introspection
  /// and `org.freedesktop.DBus.Properties` follow from the interfaces.
  ///
  /// - Throws: A path or a name that is none.
  package func export(
    _ object: any DBusObject, at path: String, _ interfaces: [DBusInterface]
  ) throws(DBusError) {
    let export = DBusExport(object, interfaces, library: library)
    exports.append(export)
    for (interface, table) in zip(interfaces, export.tables) {
      try check(
        library.functions.add_object_vtable(
          bus, nil, path, interface.name, table.entries, Unmanaged.passUnretained(export).toOpaque()
        ), "the interface \(interface.name) cannot be exported")
    }
  }

  // MARK: Signals

  /// Emits a signal (sd_bus_emit_signal(3)).
  ///
  /// - Throws: A lost connection.
  package func emit(
    _ signal: String, of interface: String, at path: String, _ values: [DBusValue]
  ) throws(DBusError) {
    var pointer: OpaquePointer?
    try check(
      library.functions.message_new_signal(bus, &pointer, path, interface, signal),
      "the signal \(signal) cannot be made")
    guard let pointer else { return }
    defer { _ = library.functions.message_unref(pointer) }
    let message = DBusMessage(library: library, pointer: pointer)
    for value in values { try message.append(value) }
    try check(
      library.functions.send(bus, pointer, nil), "the signal \(signal) cannot be sent")
  }

  /// Emits `PropertiesChanged`, with the values that the object has now
  /// (sd_bus_emit_properties_changed_strv(3)).
  ///
  /// - Parameters:
  ///   - names: Properties whose changes are signalled.
  ///   - interface: Their interface.
  ///   - path: The object's.
  /// - Throws: A lost connection.
  package func emitPropertiesChanged(
    _ names: [String], of interface: String, at path: String
  ) throws(DBusError) {
    guard !names.isEmpty else { return }
    var texts: [UnsafeMutablePointer<CChar>?] = names.map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    try check(
      library.functions.emit_properties_changed_strv(bus, path, interface, &texts),
      "changes of \(interface) cannot be signalled")
  }

  // MARK: The loop

  /// Processes what has come, some messages at most, so that a flood of calls keeps the caller from
  /// nothing (sd_bus_process(3)).
  ///
  /// - Returns: Whether there may be more.
  /// - Throws: A lost connection.
  package func process() throws(DBusError) -> Bool {
    for _ in 0..<Self.mostMessages {
      let code = library.functions.process(bus, nil)
      try check(code, "the connection is lost")
      if code == 0 { return false }
    }
    return true
  }

  /// Waits until a message comes, or a descriptor is readable (sd_bus_get_fd(3)).
  ///
  /// - Throws: A lost connection.
  package func wait(orReadable descriptor: Int32) throws(DBusError) {
    let file = library.functions.get_fd(bus)
    try check(file, "the connection is lost")
    let events = library.functions.get_events(bus)
    try check(events, "the connection is lost")
    var polled = [
      pollfd(fd: file, events: Int16(truncatingIfNeeded: events), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    poll(&polled, 2, try timeLimit())
  }

  /// Milliseconds, for poll(2): −1 is none.
  private func timeLimit() throws(DBusError) -> Int32 {
    var end: UInt64 = 0
    try check(library.functions.get_timeout(bus, &end), "the connection is lost")
    guard end != .max else { return -1 }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    return end <= now ? 0 : Int32(min((end - now) / 1000 + 1, 60_000))
  }
}
