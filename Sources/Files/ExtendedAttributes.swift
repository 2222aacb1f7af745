internal import CFiles
import Glibc

/// What a file has beside its content and its mode (xattr(7)).
package enum ExtendedAttributes {
  /// acl(5)
  private static let accessList = "system.posix_acl_access"
  /// `XATTR_LIST_MAX` and `XATTR_SIZE_MAX` of <linux/limits.h>
  private static let largest = 65_536

  /// Gives an open file the access list and the attributes of users (`user.…`) of another one. Does
  /// nothing where the file system has none, and leaves out what it refuses.
  package static func copy(from source: Int32, to target: Int32) {
    var names = [CChar](repeating: 0, count: largest)
    let length = avjob_flistxattr(source, &names, UInt(largest))
    guard length >= 0 else { return }
    // The list that the folder has given the new file.
    _ = avjob_fremovexattr(target, accessList)
    var value: [UInt8] = []
    for bytes in names[..<length].split(separator: 0) {
      let name = Array(bytes) + [0]
      let text = String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text == accessList || text.hasPrefix("user.") else { continue }
      if value.isEmpty { value = [UInt8](repeating: 0, count: largest) }
      let size = avjob_fgetxattr(source, name, &value, UInt(largest))
      if size >= 0 { _ = avjob_fsetxattr(target, name, value, UInt(size), 0) }
    }
  }
}
