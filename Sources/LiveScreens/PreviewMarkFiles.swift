import Diagnosis
import ExportEngine
import Files
import Glibc
import SystemPackage

/// The files that the marks of a preview are written to: one for each entry with marks.
///
/// Each mark is in its file as soon as it is set.
package struct PreviewMarkFiles {
  /// What a file holds.
  private enum Format { case labels, snippet }

  private let format: Format
  /// Of each entry.
  private let paths: [FilePath]
  private let replacesFiles: Bool
  /// The entries whose files this object has written.
  private var written: Set<Int> = []

  /// Files of a preview of some entries: `path` if there is one entry, otherwise beside it
  /// `marks-NAME.txt` for `marks.txt`.
  ///
  /// - Parameters:
  ///   - path: Ends in `.txt` for Audacity's labels, and in `.yaml` or `.yml` for job files.
  ///   - names: Of the entries.
  ///   - replacesFiles: Whether files that are there may be replaced.
  /// - Throws: `mendJob` for another extension, and for a file that is there and may not be replaced.
  package init(
    at path: FilePath, entries names: [String], replacing replacesFiles: Bool
  ) throws(Failure) {
    guard let format = Self.format(of: path) else {
      throw Failure(.mendJob, "'\(path)' does not end in .txt, .yaml or .yml")
    }
    self.format = format
    var taken: Set<FilePath> = []
    paths = names.indices.map { index in
      guard names.count > 1 else { return path }
      var own = Self.path(path, named: names[index])
      // Entries may have one name, or one that a number makes.
      while !taken.insert(own).inserted { own = Self.path(own, named: "\(index + 1)") }
      return own
    }
    self.replacesFiles = replacesFiles
    guard !replacesFiles, let found = paths.first(where: { PathCalls.access($0, F_OK) == 0 }) else {
      return
    }
    throw Failure(.mendJob, "'\(found)' exists already; --force replaces it with new marks")
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
    let name = name.printable.replacing("/", with: "_")
    let (stem, suffix) = (path.stem ?? "marks", path.extension ?? "txt")
    return path.removingLastComponent().appending("\(stem)-\(name).\(suffix)")
  }

  /// Writes the marks of an entry, or removes its file where there are none any more.
  ///
  /// - Throws: The system's error; `mendJob` for a file that was made there meanwhile.
  mutating func write(_ marks: PreviewMarks, of entry: Int, named name: String) throws(Failure) {
    let path = paths[entry]
    guard !marks.marks(of: entry).isEmpty else {
      if written.remove(entry) != nil { PathCalls.unlink(path) }
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
    try file.commit(replacing: replacesFiles || written.contains(entry) ? .all : .none)
    written.insert(entry)
  }

  /// The files that hold marks now, in the order of their entries.
  var files: [FilePath] { written.sorted().map { paths[$0] } }
}
