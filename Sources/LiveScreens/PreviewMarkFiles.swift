import Diagnosis
import ExportEngine
import Files
import SystemPackage

/// The files that the marks of a preview are written to: one for each entry with marks.
///
/// Each mark is in its file as soon as it is set.
package struct PreviewMarkFiles {
  /// What a file holds.
  private enum Format { case labels, snippet }

  /// The file of an entry.
  private struct File {
    /// The entry's identity.
    let entry: Int
    let path: FilePath
    /// Whether this object has written it.
    var isWritten = false
  }

  /// Without the names of entries.
  private let path: FilePath
  private let format: Format
  private let replacesFiles: Bool
  /// Of each entry, in order.
  private var entries: [File] = []
  /// Files that were written for entries that are gone.
  private var left: [FilePath] = []

  /// Files of a preview of some entries: `path` if there is one entry, otherwise beside it
  /// `marks-NAME.txt` for `marks.txt`.
  ///
  /// - Parameters:
  ///   - path: Ends in `.txt` for Audacity's labels, and in `.yaml` or `.yml` for job files.
  ///   - names: Of the entries, whose identities are their indices.
  ///   - replacesFiles: Whether files that are there may be replaced.
  /// - Throws: `mendJob` for another extension, and for a file that is there and may not be replaced.
  package init(
    at path: FilePath, entries names: [String], replacing replacesFiles: Bool
  ) throws(Failure) {
    guard let format = Self.format(of: path) else {
      throw Failure(.mendJob, "'\(path)' does not end in .txt, .yaml or .yml")
    }
    (self.path, self.format, self.replacesFiles) = (path, format, replacesFiles)
    var taken: Set<FilePath> = []
    for index in names.indices {
      let path = newPath(of: index, names) { taken.insert($0).inserted }
      entries.append(File(entry: index, path: path))
    }
    guard !replacesFiles, let found = entries.first(where: \.path.exists) else { return }
    throw Failure(.mendJob, "'\(found.path)' exists already; --force replaces it with new marks")
  }

  /// A path for an entry. Entries may have one name, or one that a number makes.
  private func newPath(
    of index: Int, _ names: [String], unless isFree: (FilePath) -> Bool
  ) -> FilePath {
    var own = names.count > 1 ? Self.path(path, named: names[index]) : path
    while !isFree(own) { own = Self.path(own, named: "\(index + 1)") }
    return own
  }

  /// Another version of the entries. Entries that are there still keep their files, new ones get files
  /// that nobody has, and files of entries that are gone stay as they are.
  ///
  /// - Parameters:
  ///   - next: The identities and names of the entries now.
  ///   - ready: The identities of entries that may have marks.
  /// - Complexity: O(entries), with a system call for each new one
  mutating func take(_ next: [(id: Int, name: String)], keeping ready: Set<Int>) {
    let present = ready.intersection(next.map(\.id))
    left += entries.filter { !present.contains($0.entry) && $0.isWritten }.map(\.path)
    let kept = entries.filter { present.contains($0.entry) }
      .reduce(into: [:]) { $0[$1.entry] = $1 }
    var taken = Set(kept.values.map(\.path) + left)
    let names = next.map(\.name)
    entries = next.enumerated().map { index, entry in
      if let file = kept[entry.id] { return file }
      let path = newPath(of: index, names) { path in
        (replacesFiles || !path.exists) && taken.insert(path).inserted
      }
      return File(entry: entry.id, path: path)
    }
  }

  /// Whether a name says what the file is to hold.
  package static func namesFormat(_ path: FilePath) -> Bool { format(of: path) != nil }

  private static func format(of path: FilePath) -> Format? {
    switch path.extension?.lowercased() {
    case "txt": .labels
    case "yaml", "yml": .snippet
    default: nil
    }
  }

  /// `marks-intro.txt` for `marks.txt` and an entry `intro`.
  private static func path(_ path: FilePath, named name: String) -> FilePath {
    let name = name.printable.replacingScalars("/", with: "_")
    let (stem, suffix) = (path.stem ?? "marks", path.extension ?? "txt")
    return path.removingLastComponent().appending("\(stem)-\(name).\(suffix)")
  }

  /// Writes the marks of an entry, or removes its file where there are none any more.
  ///
  /// - Throws: The system's error; `mendJob` for a file that was made there meanwhile.
  mutating func write(_ marks: PreviewMarks, of entry: Int, named name: String) throws(Failure) {
    guard let index = entries.firstIndex(where: { $0.entry == entry }) else { return }
    let path = entries[index].path
    guard !marks.marks(of: entry).isEmpty else {
      if entries[index].isWritten { PathCalls.unlink(path) }
      entries[index].isWritten = false
      return
    }
    let text =
      switch format {
      case .labels: marks.labels(of: entry)
      case .snippet: marks.snippet(of: entry, named: name)
      }
    let file = try OutputFile.create(at: path)
    try file.put(text.utf8, at: 0)
    try file.flush()
    try file.commit(replacing: replacesFiles || entries[index].isWritten ? .all : .none)
    entries[index].isWritten = true
  }

  /// The files that hold marks now: those of entries that are gone, and then in the order of the
  /// entries.
  var files: [FilePath] { left + entries.filter(\.isWritten).map(\.path) }
}
