internal import CSystemd

/// The table of an interface that sd-bus dispatches calls by (sd_bus_add_object_vtable(3)). It must
/// live as long as the bus.
final class VTable {
  /// The entries of sd-bus.
  let entries: UnsafeMutablePointer<sd_bus_vtable>
  private let count: Int
  /// Memory of names and signatures, each with a NUL at its end.
  private var texts: [UnsafeMutablePointer<CChar>] = []

  /// The functions that sd-bus calls.
  struct Callbacks {
    let call: sd_bus_message_handler_t
    let get: sd_bus_property_get_t
    let set: sd_bus_property_set_t
  }

  /// The table of an interface.
  init(_ interface: DBusInterface, _ callbacks: Callbacks, library: SystemdLibrary) {
    count = 2 + interface.methods.count + interface.signals.count + interface.properties.count
    entries = .allocate(capacity: count)
    entries.initialize(repeating: sd_bus_vtable(), count: count)
    avjob_vtable_start(entries, library.functionTable)
    var entry = entries + 1
    for method in interface.methods {
      avjob_vtable_method(
        entry, keep(method.name), keep(signature(of: method.arguments)),
        keep(signature(of: method.results)), keep(names(of: method.arguments + method.results)),
        callbacks.call)
      entry += 1
    }
    for signal in interface.signals {
      avjob_vtable_signal(
        entry, keep(signal.name), keep(signature(of: signal.parameters)),
        keep(names(of: signal.parameters)))
      entry += 1
    }
    for property in interface.properties {
      let flags =
        switch property.changeSignal {
        case .value: avjob_vtable_emits_change()
        case .invalidation: avjob_vtable_emits_invalidation()
        case .constant: avjob_vtable_is_constant()
        case .none: UInt64(0)
        }
      avjob_vtable_property(
        entry, keep(property.name), keep(property.signature), flags, callbacks.get,
        property.isWritable ? callbacks.set : nil)
      entry += 1
    }
    avjob_vtable_end(entry)
  }

  deinit {
    entries.deinitialize(count: count)
    entries.deallocate()
    for text in texts { text.deallocate() }
  }

  private func keep(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    memory.initialize(from: bytes, count: bytes.count)
    texts.append(memory)
    return UnsafePointer(memory)
  }

  private func signature(of parameters: [DBusInterface.Parameter]) -> String {
    parameters.map(\.signature).joined()
  }

  /// Each with a NUL behind it.
  private func names(of parameters: [DBusInterface.Parameter]) -> String {
    parameters.map { $0.name + "\0" }.joined()
  }
}
