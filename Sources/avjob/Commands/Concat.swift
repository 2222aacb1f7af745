import ArgumentParser
import JobFile

/// `avjob concat`
struct Concat: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "concat",
    abstract: "Join media files, one after the other, without a sample between them.",
    discussion: """
      The files may differ in format, rate and channels. The output keeps the chapters of all of \
      them, and the tags and the cover of the first.

      avjob concat intro.mp3 episode.flac outro.ogg -o full.mp3 --mp3 V2
      """)

  @Argument(
    help: .value("input", "Read these media files, in order."),
    completion: .file())
  var inputs: [String]

  @Option(help: .value("time", "Overlap consecutive files by this much."))
  var crossfade: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var reporting: ReportingOptions
  @OptionGroup var network: NetworkOptions

  func validate() throws {
    guard inputs.count > 1 else {
      throw ValidationError("concat joins two files or more; 'avjob compress' takes one")
    }
  }

  func run() throws {
    let shot = OneShot(output, reporting)
    let places = shot.places
    let sources = try shot.sources(inputs)
    try shot.run(
      sources.entry
        + [("concat", .list(sources.names, places.command))]
        + places.entries([("crossfade", crossfade)])
        + [("chapters", .text("keep", places.command))]
        + shot.metadata([("from", sources.names[0])])
        + [("output", shot.outputNode())])
  }
}
