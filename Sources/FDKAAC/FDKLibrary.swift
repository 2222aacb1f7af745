internal import CFDKAAC

/// libfdk-aac, loaded once when a job asks for it.
//
// `@unchecked Sendable`: the table is written before the object exists, and never after. Its
// functions may be called from any thread, those of one encoder by one thread at a time.
package final class FDKLibrary: @unchecked Sendable {
  private let table: UnsafeMutablePointer<avjob_fdk>

  /// The interface of all distributions since 2019.
  package static let name = "libfdk-aac.so.2"

  /// The library; nil if it cannot be loaded.
  package static let shared = FDKLibrary(name: name)

  /// The library of a name; nil if it cannot be loaded or lacks a function.
  init?(name: String) {
    table = .allocate(capacity: 1)
    table.initialize(to: avjob_fdk())
    // `deinit` runs after a failure, too.
    guard avjob_load_fdk(name, table) != 0 else { return nil }
  }

  deinit { table.deallocate() }

  /// The version of its encoder, as `4.0.1`; empty where it does not say.
  package var version: String {
    // `FDK_MODULE_LAST` entries, each with a number of its own; 4 is the encoder's.
    var modules = [avjob_fdk_module](repeating: avjob_fdk_module(), count: Int(avjob_fdk_modules))
    _ = table.pointee.GetLibInfo(&modules)
    guard var encoder = modules.first(where: { $0.id == avjob_fdk_encoder_module }) else {
      return ""
    }
    return withUnsafeBytes(of: &encoder.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The functions of the library.
  var functions: avjob_fdk { table.pointee }

  /// The functions of the library, for the shims.
  var functionTable: UnsafePointer<avjob_fdk> { UnsafePointer(table) }
}

/// An error of libfdk-aac.
package struct FDKError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error, by the reaction to it.
  package enum Kind: Sendable, Hashable {
    /// libfdk-aac is not installed.
    case libraryMissing
    /// There is no memory.
    case noMemory
    /// It does not have the profile, as where its makers have left that out.
    case noProfile
    /// It has the profile, and not with these settings.
    case unsupported
    /// It would take another bit rate, this one.
    case otherBitRate(Int)
    /// Anything else.
    case other
  }

  /// The kind.
  package let kind: Kind
  /// The call that failed, such as `aacEncEncode`.
  package let call: String
  /// Its status (`AACENC_ERROR`); 0 where it had none.
  package let status: Int

  init(_ kind: Kind, _ call: String, _ status: Int32 = 0) {
    (self.kind, self.call, self.status) = (kind, call, Int(status))
  }

  /// The error of a call without a reason of its own.
  init(_ call: String, _ status: Int32) {
    self.init(status == avjob_fdk_no_memory ? .noMemory : .other, call, status)
  }

  /// One line, such as `aacEncEncode: 0x60`.
  package var description: String { "\(call): 0x" + String(status, radix: 16) }
}
