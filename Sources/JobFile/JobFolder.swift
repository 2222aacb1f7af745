import Diagnosis
import Files
import MediaComposition
import SystemPackage

extension JobFile {
  /// What names of job files end in.
  package static let extensions = ["yaml", "yml"]

  /// Whether a name ends as those of job files do.
  package static func isNamed(_ path: FilePath) -> Bool {
    extensions.contains(path.extension?.lowercased() ?? "")
  }

  /// The job files in a folder, without those below it, for `avjob run FOLDER`.
  ///
  /// - Parameters:
  ///   - folder: As the user spelled it; see `FileSystem.spelling(of:)`.
  ///   - files: The disk.
  /// - Returns: Files that end in `.yaml` or `.yml`, in natural order, without names that begin
  ///   with a dot.
  /// - Throws: An error if there are none, or the folder cannot be opened.
  package static func paths(
    in folder: FilePath, files: some FileSystem = LocalFileSystem()
  ) throws(Diagnostics) -> [FilePath] {
    guard let entries = files.entries(of: folder) else {
      throw Diagnostics(
        "the folder '\(folder)' cannot be opened", at: .unknown,
        help: "let it be read, or name the job files themselves")
    }
    let paths = jobFiles(among: entries, of: folder)
    guard !paths.isEmpty else {
      throw Diagnostics(
        "there is no job file in the folder '\(folder)'", at: .unknown,
        help: "job files end in '.yaml' or '.yml'")
    }
    return NaturalOrder.sorted(paths)
  }

  /// The media files in a folder without job files, without those below it, for
  /// `avjob preview FOLDER`.
  ///
  /// - Parameters:
  ///   - folder: As the user spelled it.
  ///   - files: The disk.
  /// - Returns: Media by `isMedia`, in natural order, without pictures, and without names that begin
  ///   with a dot; nil if there are job files, or the folder cannot be opened.
  package static func media(
    in folder: FilePath, files: some FileSystem = LocalFileSystem()
  ) -> [FilePath]? {
    guard let entries = files.entries(of: folder), jobFiles(among: entries, of: folder).isEmpty
    else { return nil }
    let paths = entries.compactMap { entry -> FilePath? in
      let path = folder.appending(entry.name)
      guard entry.kind == .file, !entry.name.beginsWithDot,
        !MediaInstead.isPicture(path.extension)
      else { return nil }
      return isMedia(path) ? path : nil
    }
    return NaturalOrder.sorted(paths)
  }

  private static func jobFiles(among entries: [FolderEntry], of folder: FilePath) -> [FilePath] {
    entries.compactMap { entry -> FilePath? in
      let path = folder.appending(entry.name)
      // One that leads out of reach is refused when it is read, and not passed over.
      let isFile = entry.kind == .file || entry.kind == .outside
      return isNamed(path) && isFile && !entry.name.beginsWithDot ? path : nil
    }
  }
}
