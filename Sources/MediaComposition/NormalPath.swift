import Glibc
import SystemPackage

extension FilePath {
  /// This path made absolute and freed of `.` and `..`, so that two spellings of one path are one: by
  /// names alone, no link is followed.
  ///
  /// - Parameter currentDirectory: Absolute and normal; a relative path counts from it.
  /// - Returns: The same place, if no folder on the way is a link.
  package func normalized(in currentDirectory: FilePath) -> FilePath {
    let whole = currentDirectory.pushing(self)
    // Nearly all paths are normal, and looking is some twenty times as fast as normalising.
    return hasDots ? whole.lexicallyNormalized() : whole
  }

  /// This path as it is seen from `folder`: without a root, and with `..` in front only. By names alone;
  /// relative paths count from `currentDirectory`.
  package func relative(to folder: FilePath, in currentDirectory: FilePath) -> FilePath {
    let target = normalized(in: currentDirectory).components
    let base = folder.normalized(in: currentDirectory).components
    let shared = zip(target, base).prefix { $0 == $1 }.count
    let up = Array(repeating: FilePath.Component(".."), count: base.count - shared)
    return FilePath(root: nil, up + target.dropFirst(shared))
  }

  /// The folder that relative paths of this process count from; the root where it is gone.
  package static var current: FilePath {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return FilePath(platformString: path)
  }

  /// Whether a name in it begins with a dot, as `.` and `..` do. O(length).
  package var hasDots: Bool {
    withPlatformString { bytes in
      var isStart = true
      for index in 0..<length {
        if isStart, bytes[index] == 0x2E { return true }
        isStart = bytes[index] == 0x2F
      }
      return false
    }
  }
}
