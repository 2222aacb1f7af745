import ArgumentParser
import JobFile

/// `avjob concat`
struct Concat: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join media files, one after the other, without a sample between them.",
    discussion: """
      The files may differ in format, rate and channels.

      avjob concat intro.mp3 episode.flac outro.ogg -o full.mp3 --mp3 V2
      """)

  @Argument(help: ArgumentHelp("The media files, in order.", valueName: "input"))
  var inputs: [String]

  @Option(
    help: ArgumentHelp("Let each file start so long before the one before ends.", valueName: "time")
  )
  var crossfade: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard inputs.count > 1 else {
      throw ValidationError("concat joins two files or more; 'avjob compress' takes one")
    }
  }

  func run() throws {
    let shot = OneShot(output)
    let places = shot.places
    let sources = shot.sources(inputs)
    var entries = sources.entry + [("concat", .list(sources.names, places.command))]
    if let crossfade { entries.append(("crossfade", places.node(crossfade, of: "--crossfade"))) }
    entries.append(("output", output.node(at: output.path(places), places)))
    try shot.run(entries)
  }
}
