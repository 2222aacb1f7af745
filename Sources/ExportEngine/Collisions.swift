import Diagnosis
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
    collisions(
      among: exports.lazy.map(ExportFiles.init),
      sources: exports.lazy.flatMap(\.composition.assets)
    )
    .map(\.failure)
  }

  /// The same, as they were found.
  ///
  /// - Parameters:
  ///   - exports: What all exports of a run write.
  ///   - assets: What they read.
  ///   - absentSources: Sources that are not there: outputs may be written to where they would be.
  /// - Returns: One for each path of an output that is taken, in the order of the exports.
  public static func collisions(
    among exports: some Sequence<ExportFiles>, sources assets: some Sequence<Asset>,
    absentSources: [FilePath] = []
  ) -> [Collision] {
    var finder = PlaceFinder()
    var sources: [OutputPlace: FilePath] = [:]
    for asset in assets where !asset.isPredicted {
      sources[.file(asset.identity.file)] = asset.path
    }
    for path in absentSources { finder.place(of: path).map { sources[$0] = path } }
    var found: [Collision] = []
    var outputs: [OutputPlace: FilePath] = [:]
    for (index, export) in exports.enumerated() {
      for file in export.files {
        guard let place = finder.place(of: file.path) else { continue }
        let other: Collision.Other? =
          sources[place].map { .source($0) } ?? outputs[place].map { .output($0) }
        if let other {
          found.append(
            Collision(export: index, path: file.path, origin: file.origin, other: other))
        }
        outputs[place] = file.path
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
  /// A folder that is there, and the names of those in it that are still to be made.
  private struct Site {
    var root: FileIdentity.Inode
    var names = FilePath()
  }

  private var folders = FolderLook()
  private var sites: [FilePath: Site?] = [:]

  mutating func place(of path: FilePath) -> OutputPlace? {
    var target = path
    // In a folder that is not there is nothing.
    if !folders.isMissing(path.folder) {
      if let file = SourceFile.inode(of: path) { return .file(file) }
      guard let followed = try? OutputFile.followLinks(path) else { return nil }
      target = followed
    }
    guard let name = target.lastComponent, let site = site(of: target.folder) else { return nil }
    return .entry(site.names.appending(name), in: site.root)
  }

  private mutating func site(of folder: FilePath) -> Site? {
    if let known = sites[folder] { return known }
    var site: Site?
    if let inode = folders.inode(of: folder) {
      site = Site(root: inode)
    } else if let name = folder.lastComponent, folder != folder.folder {
      site = self.site(of: folder.folder)
      site?.names.append(name)
    }
    sites[folder] = .some(site)
    return site
  }
}
