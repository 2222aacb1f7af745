import ArgumentParser
import Glibc
import JobFile
import MediaComposition
import SystemPackage

/// `avjob compress`
struct Compress: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Encode media files anew, as many at once as there are cores.",
    discussion: """
      One file becomes the output; several become files of the same names in the output, a folder. \
      In a folder they become MP3, unless a preset has another format.

      avjob compress talk.wav -o talk.mp3 --mp3 'abr 96k' --channels mono
      avjob compress *.wav -o small/ --mp3 V4
      """)

  @Argument(help: ArgumentHelp("The media files.", valueName: "input"))
  var inputs: [String]

  @OptionGroup var output: OutputOptions

  func validate() throws {
    let ending = FilePath(output.output).extension?.lowercased() ?? ""
    guard inputs.count > 1, Output.Kind(extension: ending) != nil else { return }
    throw ValidationError(
      "'\(output.output)' is one file, and there are \(inputs.count) inputs; name a folder, "
        + "or join them with 'avjob concat'")
  }

  func run() throws {
    let shot = OneShot(output)
    let places = shot.places
    try shot.refuseRepeated(inputs)
    let sources = shot.sources(inputs)
    guard case .text(_, let place) = output.path(places) else { return }
    let isFolder = inputs.count > 1 || output.output.hasSuffix("/") || isExistingFolder
    let preset = output.mp3 == nil ? output.preset : nil
    let ending = preset.flatMap(OutputPreset.fileExtension) ?? "mp3"
    var jobs: [(key: String, value: ArgumentNode)] = []
    for (input, name) in zip(inputs, sources.names) {
      let path = FilePath(input)
      let file =
        isFolder
        ? FilePath(output.output).appending((path.stem ?? "output") + "." + ending).string
        : output.output
      jobs.append(
        (
          // Names are unique; those of files in different folders may not be.
          (inputs.count == 1 ? path.stem ?? input : input).replacing("${", with: "$${"),
          .map(
            [("clip", name), ("output", output.node(at: .text(file, place), places))],
            places.command)
        ))
    }
    try shot.run(sources.entry + [("jobs", .map(jobs, places.command))])
  }

  private var isExistingFolder: Bool {
    var status = stat()
    return stat(output.output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
