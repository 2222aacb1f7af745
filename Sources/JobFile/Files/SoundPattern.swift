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
    var folders = [(path: folder, depth: 0)]
    while let (path, depth) = folders.popLast() {
      for entry in files.entries(of: path) ?? [] where !entry.name.string.hasPrefix(".") {
        let inner = path.appending(entry.name)
        switch entry.kind {
        case .file where MediaInstead.hasMediaExtension(inner):
          if let own = entry.name.extension { extensions.insert(own) }
        case .folder where !entry.isLink && depth < FilePattern.depthLimit:
          folders.append((inner, depth + 1))
        default: break
        }
      }
    }
    let names = extensions.filter { !MediaInstead.isPicture($0) }.sorted()
    guard let first = names.first else { return nil }
    let ending = names.count == 1 ? first : "{" + names.joined(separator: ",") + "}"
    return FilePattern.escaped(folder.string) + "/**/*." + ending
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
