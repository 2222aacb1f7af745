import Glibc
import SystemPackage

extension PathCalls {
  /// What a folder lists of a file.
  package struct Entry {
    /// Its name in the folder.
    package let name: FilePath.Component
    /// `DT_REG`, `DT_DIR` and so on; `DT_UNKNOWN` where the file system does not say (readdir(3)).
    package let type: Int
  }

  /// The entries of a folder, without `.` and `..`, in no order; nil with errno set where it cannot be
  /// read.
  ///
  /// - Complexity: O(entries)
  package static func entries(of folder: FilePath) -> [Entry]? {
    entries(ofOpened: open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  /// The entries of an open folder, wherever its path leads now, without `.` and `..`; nil with
  /// errno set where it cannot be read.
  package static func entries(of folder: FileDescriptor) -> [Entry]? {
    // Another description, since reading moves its offset.
    entries(ofOpened: openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  /// Closes the descriptor.
  private static func entries(ofOpened descriptor: Int32) -> [Entry]? {
    guard descriptor >= 0 else { return nil }
    guard let stream = fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    var entries: [Entry] = []
    while true {
      // At the end readdir leaves it alone.
      errno = 0
      guard let entry = readdir(stream) else { break }
      // The name is a C array behind the entry's fixed part; it ends with a NUL (dirent.h).
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
          FilePath.Component(platformString: $0)
        }
      }
      guard let name, name.kind == .regular else { continue }
      entries.append(Entry(name: name, type: Int(entry.pointee.d_type)))
    }
    let code = errno
    closedir(stream)
    errno = code
    return code == 0 ? entries : nil
  }
}
