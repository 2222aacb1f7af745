internal import CSystemd
import Glibc

/// An object of a connection, with its tables: the context of sd-bus' callbacks.
final class DBusExport {
  let object: any DBusObject
  let library: SystemdLibrary
  /// For each interface, in order.
  let tables: [VTable]

  init(_ object: any DBusObject, _ interfaces: [DBusInterface], library: SystemdLibrary) {
    (self.object, self.library) = (object, library)
    let callbacks = VTable.Callbacks(call: answerCall, get: readProperty, set: writeProperty)
    tables = interfaces.map { VTable($0, callbacks, library: library) }
  }

  /// Calls the object, and sends its answer.
  fileprivate func answer(_ call: OpaquePointer) throws(DBusError) {
    let functions = library.functions
    let arguments = try DBusMessage(library: library, pointer: call).values()
    let results = try object.call(
      text(functions.message_get_member(call)), of: text(functions.message_get_interface(call)),
      arguments)
    guard functions.message_get_expect_reply(call) > 0 else { return }
    var reply: OpaquePointer?
    try check(functions.message_new_method_return(call, &reply))
    guard let reply else { return }
    defer { _ = functions.message_unref(reply) }
    let message = DBusMessage(library: library, pointer: reply)
    for value in results { try message.append(value) }
    try check(functions.send(nil, reply, nil))
  }

  private func check(_ code: Int32) throws(DBusError) {
    guard code >= 0 else { throw DBusError(code: code, "a call cannot be answered") }
  }

  private func text(_ bytes: UnsafePointer<CChar>?) -> String {
    bytes.map { String(cString: $0) } ?? ""
  }

  /// What a callback returns: sd-bus answers the caller with an error.
  fileprivate func refuse(
    _ refusal: DBusError, _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    library.functions.error_set(error, refusal.name, refusal.message.fitForDBus)
  }
}

// The callbacks: at file scope, so that they inherit no actor's isolation. The context lives as long
// as the connection.

private func dbusExport(of context: UnsafeMutableRawPointer) -> DBusExport {
  Unmanaged<DBusExport>.fromOpaque(context).takeUnretainedValue()
}

/// `sd_bus_message_handler_t`
private func answerCall(
  _ call: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let call, let context else { return -EINVAL }
  let (export, refusal) = (dbusExport(of: context), error)
  do throws(DBusError) {
    try export.answer(call)
    return 1
  } catch {
    return export.refuse(error, refusal)
  }
}

/// `sd_bus_property_get_t`
private func readProperty(
  _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
  _ property: UnsafePointer<CChar>?, _ reply: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let interface, let property, let reply, let context else { return -EINVAL }
  let (export, refusal) = (dbusExport(of: context), error)
  do throws(DBusError) {
    let value = try export.object.property(
      String(cString: property), of: String(cString: interface))
    try DBusMessage(library: export.library, pointer: reply).append(value)
    return 1
  } catch {
    return export.refuse(error, refusal)
  }
}

/// `sd_bus_property_set_t`
private func writeProperty(
  _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
  _ property: UnsafePointer<CChar>?, _ value: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let interface, let property, let value, let context else { return -EINVAL }
  let (export, refusal) = (dbusExport(of: context), error)
  do throws(DBusError) {
    let values = try DBusMessage(library: export.library, pointer: value).values()
    guard let value = values.first else { return -EINVAL }
    try export.object.setProperty(
      String(cString: property), of: String(cString: interface), to: value)
    return 1
  } catch {
    return export.refuse(error, refusal)
  }
}
