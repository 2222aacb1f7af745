internal import CSystemd

/// libsystemd, loaded once when the process joins a bus.
//
// `@unchecked Sendable`: the table is written before the object exists, and never after. Its
// functions may be called from any thread, those of one bus by one thread at a time (sd-bus(3)).
final class SystemdLibrary: @unchecked Sendable {
  private let table: UnsafeMutablePointer<avjob_sd_bus>

  /// The version of all distributions since 2013.
  static let name = "libsystemd.so.0"

  /// Nil if the library cannot be loaded.
  static let shared = SystemdLibrary(name: name)

  /// The library of a name; nil if it cannot be loaded or lacks a function.
  init?(name: String) {
    table = .allocate(capacity: 1)
    table.initialize(to: avjob_sd_bus())
    // `deinit` runs after a failure, too.
    guard avjob_load_sd_bus(name, table) != 0 else { return nil }
  }

  deinit { table.deallocate() }

  /// The functions of the library.
  var functions: avjob_sd_bus { table.pointee }

  /// The functions of the library, for the shims.
  var functionTable: UnsafePointer<avjob_sd_bus> { UnsafePointer(table) }
}
