import Files
import SystemPackage

extension JobFile {
  /// The pattern of the media files in a folder and below it, for `for_each`.
  ///
  /// - Parameters:
  ///   - folder: Taken literally.
  ///   - files: The disk.
  /// - Returns: A pattern of the extensions found; nil without media files.
  /// - Complexity: O(files)
  package static func soundPattern(
    below folder: FilePath, files: some FileSystem = LocalFileSystem()
  ) -> String? {
    var extensions: Set<String> = []
    visitSound(below: folder, files) { if let own = $0.extension { extensions.insert(own) } }
    let names = extensions.sorted()
    guard let first = names.first else { return nil }
    let ending = names.count == 1 ? first : "{" + names.joined(separator: ",") + "}"
    return FilePattern.escaped(folder.string) + "/**/*." + ending
  }

  /// The files that `soundPattern` matches.
  ///
  /// - Parameters:
  ///   - folder: Taken literally.
  ///   - files: The disk.
  /// - Returns: Their paths, which begin with `folder`, in natural order.
  /// - Complexity: O(files · log files)
  package static func soundFiles(
    below folder: FilePath, files: some FileSystem = LocalFileSystem()
  ) -> [FilePath] {
    var found: [FilePath] = []
    visitSound(below: folder, files) { found.append($0) }
    return NaturalOrder.sorted(found)
  }

  /// Gives `body` the media files in a folder and below it, but for pictures.
  private static func visitSound(
    below folder: FilePath, _ files: some FileSystem, _ body: (FilePath) -> Void
  ) {
    var folders = [(path: folder, depth: 0)]
    while let (path, depth) = folders.popLast() {
      for entry in files.entries(of: path) ?? [] where !entry.name.beginsWithDot {
        let inner = path.appending(entry.name)
        switch entry.kind {
        case .file where MediaInstead.hasMediaExtension(inner):
          if !MediaInstead.isPicture(entry.name.extension) { body(inner) }
        case .folder where !entry.isLink && depth < FilePattern.depthLimit:
          folders.append((inner, depth + 1))
        default: break
        }
      }
    }
  }
}

extension FilePattern {
  /// The pattern that matches `text` alone.
  static func escaped(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.flatMap { special.contains($0) ? ["\\", $0] : [$0] }))
  }
}
