import ArgumentParser
import Diagnosis
import ExportEngine
import Files
import JobFile
import JobModel
import MediaComposition
import SystemPackage

/// `avjob compress`
struct Compress: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "compress", abstract: "Encode media files again, on all cores.",
    discussion: """
      One file becomes the output. Several files, and the files in folders, become files of the \
      same names in the output, a folder, with their folders mirrored. In a folder they become \
      MP3, unless an option names another format.

      avjob compress talk.wav -o talk.mp3 --mp3 'abr 96k' --channels mono
      avjob compress raw -o small --opus 48k
      """)

  @Argument(
    help: .value("input", "Read these media files and folders."),
    completion: .file())
  var inputs: [String]

  @OptionGroup var output: OutputOptions
  @OptionGroup var reporting: ReportingOptions
  @OptionGroup var network: NetworkOptions

  func validate() throws {
    let own = FilePath(output.output).extension?.lowercased() ?? ""
    guard !output.output.endsWithScalars("/"),
      Output.Kind(extension: own) != nil || OutputCapabilities.videoExtensions.contains(own)
    else { return }
    if inputs.count > 1 {
      throw ValidationError(
        "'\(output.output)' is one file, and there are \(inputs.count) inputs; name a folder, "
          + "or join them with 'avjob concat'")
    }
    if let folder = inputs.first(where: Self.isFolder) {
      throw ValidationError(
        "'\(output.output)' is one file, and '\(folder)' is a folder; name a folder to write to")
    }
  }

  func run() throws {
    let shot = OneShot(output, reporting)
    let places = shot.places
    try shot.refuseRepeated(inputs)
    let folders = inputs.filter(Self.isFolder)
    try shot.context.refuse(folders.compactMap { refusal(of: $0, shot) })
    try shot.context.refuse(overlaps(of: folders, shot))
    let sources = try shot.sources(inputs.filter { !folders.contains($0) })
    let isFolder =
      inputs.count > 1 || output.output.endsWithScalars("/") || Self.isFolder(output.output)
    let outputNode =
      isFolder || !folders.isEmpty
      ? shot.outputNode(
        "folder", adding: output.namesFormat ? [] : [("mp3", .text("V2", places.command))])
      : shot.outputNode()
    let rest = shot.metadata() + [("output", outputNode)]
    var names = sources.names.makeIterator()
    // Addresses that differ in what is not shown have one name.
    var uses: [String: Int] = [:]
    let jobs = inputs.compactMap { input -> (key: String, value: ArgumentNode)? in
      let clip =
        folders.contains(input)
        ? JobFile.soundPattern(below: FilePath(input)).map {
          ("for_each", places.node($0, at: input))
        }
        : names.next().map { ("clip", $0) }
      let name = name(of: input)
      let use = uses[name, default: 0] + 1
      uses[name] = use
      return clip.map { (use == 1 ? name : "\(name) \(use)", .map([$0] + rest, places.command)) }
    }
    try shot.run(sources.entry + [("jobs", .map(jobs, places.command))])
  }

  /// Names are unique; those of files in different folders may not be.
  private func name(of input: String) -> String {
    let location = try? MediaLocation(parsing: input)
    let name = inputs.count == 1 ? location?.stem : location.map { "\($0)" }
    return Template.literal(MediaURL.shown(name ?? input))
  }

  /// Refusals of files that are named twice: as files in one of the inputs' `folders`, and by themselves
  /// or as files in another one. A file that two folders have by links is none.
  private func overlaps(of folders: [String], _ shot: OneShot) -> [Diagnostic] {
    guard inputs.count > 1, !folders.isEmpty else { return [] }
    var known: [FilePath: FileIdentity.Inode] = [:]
    func entry(_ path: FilePath) -> NameInFolder? {
      let parent = path.removingLastComponent()
      guard let name = path.lastComponent,
        let folder = known[parent] ?? SourceFile.inode(of: parent.isEmpty ? "." : parent)
      else { return nil }
      known[parent] = folder
      return NameInFolder(folder: folder, name: name)
    }
    var first: [NameInFolder: String] = [:]
    return inputs.compactMap { input in
      let isFolder = folders.contains(input)
      let files = isFolder ? JobFile.soundFiles(below: FilePath(input)) : [FilePath(input)]
      var shared: (path: FilePath, other: String)?
      for path in files {
        guard let entry = entry(path) else { continue }
        guard let other = first[entry] else {
          first[entry] = input
          continue
        }
        shared = shared ?? (path, other)
      }
      guard let (path, other) = shared else { return nil }
      guard isFolder, folders.contains(other) else {
        let (file, folder) = isFolder ? (other, input) : (input, other)
        return shot.refusal(
          "'\(file)' is named twice: it is in '\(folder)', too", of: file, help: "leave it out")
      }
      return shot.refusal(
        "'\(path)' is named twice: it is in '\(other)' and in '\(input)'", of: input,
        help: "name one of these folders")
    }
  }

  /// A name in a folder, however the folder is spelled.
  private struct NameInFolder: Hashable {
    let folder: FileIdentity.Inode
    let name: FilePath.Component
  }

  private static func isFolder(_ path: String) -> Bool {
    LocalFileSystem().kind(of: FilePath(path)) == .folder
  }

  /// Why the files in a folder cannot be compressed.
  private func refusal(of folder: String, _ shot: OneShot) -> Diagnostic? {
    let current = LocalFileSystem().currentDirectory
    let target = FilePath(output.output).normalized(in: current)
    if target.starts(with: FilePath(folder).normalized(in: current)) {
      return shot.refusal(
        "the output '\(output.output)' lies in '\(folder)', whose files would be compressed "
          + "again the next time", of: folder, help: "write to a folder beside it")
    }
    guard JobFile.soundPattern(below: FilePath(folder)) == nil else { return nil }
    return shot.refusal(
      "there is no media file in '\(folder)'", of: folder,
      help: "name a folder that has some, in itself or in folders below it")
  }
}
