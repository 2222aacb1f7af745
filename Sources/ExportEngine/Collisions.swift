import MediaComposition
import SystemPackage

extension ExportSession {
  /// An output whose file is that of a source, or of another output, whatever links lead to it.
  public struct Collision: Sendable, Hashable {
    /// What else the file is.
    public enum Other: Sendable, Hashable {
      /// What an export reads, as it calls it.
      case source(FilePath)
      /// What an export writes, as it calls it.
      case output(FilePath)
    }
    /// Which export the output is of: an index into the list.
    public var export: Int
    /// The output, as it is called.
    public var path: FilePath
    /// Where the output was written.
    public var origin: Origin
    /// What else the file is.
    public var other: Other

    /// The same as a refusal.
    public var failure: Failure {
      let message =
        switch other {
        case .source(let source):
          "is the source \(source.string): a source is never written to; choose another path"
        case .output(let output):
          "is the same file as \(output.string), another output; choose another path"
        }
      return Failure(.mendJob, message, path: path, origin: origin)
    }
  }

  /// Outputs that would overwrite a source, or each other, whatever links lead to them. Sources that
  /// another export is to write, which are predicted, are none.
  ///
  /// Looks at the disk, but opens nothing. O(outputs + sources).
  public static func conflicts(among exports: [Export]) -> [Failure] {
    collisions(among: exports).map(\.failure)
  }

  /// The same, as they were found.
  ///
  /// - Parameters:
  ///   - exports: All exports of a run.
  ///   - absentSources: Sources that are not there: outputs may be written to where they would be.
  /// - Returns: One for each path of an output that is taken, in the order of the exports.
  public static func collisions(
    among exports: [Export], absentSources: [FilePath] = []
  ) -> [Collision] {
    var finder = PlaceFinder()
    var sources: [OutputPlace: FilePath] = [:]
    for export in exports {
      for asset in export.composition.assets where !asset.isPredicted {
        sources[.file(asset.identity.file)] = asset.path
      }
    }
    for path in absentSources { finder.place(of: path).map { sources[$0] = path } }
    var found: [Collision] = []
    var outputs: [OutputPlace: FilePath] = [:]
    for (index, export) in exports.enumerated() {
      let written =
        export.outputs.flatMap { output in output.paths.map { (path: $0, origin: output.origin) } }
        + export.records.map { (path: $0.path, origin: $0.origin) }
      for (path, origin) in written {
        guard let place = finder.place(of: path) else { continue }
        let other: Collision.Other? =
          sources[place].map { .source($0) } ?? outputs[place].map { .output($0) }
        if let other {
          found.append(Collision(export: index, path: path, origin: origin, other: other))
        }
        outputs[place] = path
      }
    }
    return found
  }
}

/// Where an output will be, by whatever links its path leads there.
private enum OutputPlace: Hashable {
  case file(FileIdentity.Inode)
  /// Not there yet: names below a folder that is.
  case entry(FilePath, in: FileIdentity.Inode)
}

/// Asks for each folder once.
private struct PlaceFinder {
  private var folders: [FilePath: FileIdentity.Inode?] = [:]

  mutating func place(of path: FilePath) -> OutputPlace? {
    if let file = SourceFile.inode(of: path) { return .file(file) }
    guard var folder = try? OutputFile.followLinks(path) else { return nil }
    var names = FilePath()
    while let name = folder.lastComponent {
      names = FilePath(root: nil, [name]).appending(names.components)
      folder = folder.folder
      if let inode = inode(of: folder) { return .entry(names, in: inode) }
    }
    return nil
  }

  private mutating func inode(of folder: FilePath) -> FileIdentity.Inode? {
    if let known = folders[folder] { return known }
    let inode = SourceFile.inode(of: folder)
    folders[folder] = .some(inode)
    return inode
  }
}
