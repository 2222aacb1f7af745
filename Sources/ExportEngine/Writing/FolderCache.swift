import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// Folders, for one view of the disk: each is examined once, however many outputs go there. Later
/// changes are not seen.
package struct FolderCache {
  private enum Sight {
    case folder(FileIdentity.Inode, mayBeWritten: Result<Void, Errno>)
    case otherThanFolder(FileIdentity.Inode)
    case unreachable(Errno)
  }

  private var sights: [FilePath: Sight] = [:]

  package init() {}

  /// Whether nothing is at the path.
  mutating func isMissing(_ folder: FilePath) -> Bool {
    if case .unreachable(.noSuchFileOrDirectory) = sight(of: folder) { true } else { false }
  }

  /// The inode at the path; nil where nothing is.
  mutating func inode(of folder: FilePath) -> FileIdentity.Inode? {
    switch sight(of: folder) {
    case .folder(let inode, mayBeWritten: _), .otherThanFolder(let inode): inode
    case .unreachable: nil
    }
  }

  /// Checks that a file can be created in its folder, or in one to be made for it.
  ///
  /// - Parameters:
  ///   - target: The file, behind all links.
  ///   - path: The output, as it is called.
  /// - Throws: The system's error, about the output at `path`.
  mutating func requireWritable(_ target: FilePath, for path: FilePath) throws(Failure) {
    var (folder, child) = (target.folder, target)
    // Names in folders that are not there yet.
    var newNames: [FilePath.Component] = []
    while true {
      switch sight(of: folder) {
      case .folder(_, mayBeWritten: .success):
        return try Self.require(newNames, in: folder, for: path)
      case .folder(_, mayBeWritten: .failure(let error)):
        throw .writing(error.rawValue, "cannot write into the folder \(folder)", path: path)
      case .otherThanFolder:
        throw .writing(ENOTDIR, "cannot make the folder \(target.folder)", path: path)
      case .unreachable(let error):
        guard error == .noSuchFileOrDirectory, folder != folder.folder else {
          throw .writing(error.rawValue, "cannot make the folder \(folder)", path: path)
        }
        // In a path that is no longer than a name may be, no name is too long.
        if target.length > TemporaryFile.longestName, let name = child.lastComponent {
          newNames.append(name)
        }
        (folder, child) = (folder.folder, folder)
      }
    }
  }

  /// Checks that the file system of a folder takes names that are to be made below it.
  private static func require(
    _ names: [FilePath.Component], in folder: FilePath, for path: FilePath
  ) throws(Failure) {
    for name in names where FilePath(root: nil, [name]).length > TemporaryFile.longestName {
      do throws(Errno) {
        // Asked, and not computed: some count bytes, and some characters.
        _ = try FileStatus(at: folder.appending(name), followingLinks: false)
      } catch {
        guard error != .fileNameTooLong else { throw .tooLong(path) }
      }
    }
  }

  private mutating func sight(of folder: FilePath) -> Sight {
    if let known = sights[folder] { return known }
    let sight = Self.look(at: folder)
    sights[folder] = sight
    return sight
  }

  private static func look(at folder: FilePath) -> Sight {
    let found: FileStatus
    do throws(Errno) {
      found = try FileStatus(at: folder)
    } catch {
      return .unreachable(error)
    }
    let inode = FileIdentity(found).file
    guard found.kind == .folder else { return .otherThanFolder(inode) }
    let status = PathCalls.accessToWrite(folder)
    return .folder(
      inode, mayBeWritten: status == 0 ? .success(()) : .failure(Errno(rawValue: errno)))
  }
}
