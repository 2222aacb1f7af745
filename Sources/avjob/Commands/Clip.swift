import ArgumentParser
import JobFile

/// `avjob clip`
struct Clip: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "clip", abstract: "Cut a range out of a media file.",
    discussion: """
      Times are 90s, 1.5s, 250ms, 1:02, 1:02:03.25, '44100 samples', or 'end-10s' from the end; \
      of a video also 'frame 100' and 00:00:04:00. The clip is exact to the sample.

      avjob clip interview.wav --from 1:00 --to 2:30.5 -o teaser.mp3
      """)

  @Argument(help: "Read this media file.", completion: .file())
  var input: String

  @Option(help: .value("time", "Start here, and not at the file's start."))
  var from: String?

  @Option(help: .value("time", "End here, and not at the file's end."))
  var to: String?

  @Option(help: .value("time", "Last this long; excludes --to."))
  var duration: String?

  @Option(help: .value("time", "Rise from silence at the start."))
  var fadeIn: String?

  @Option(help: .value("time", "Fall to silence at the end."))
  var fadeOut: String?

  @Option(
    parsing: .unconditional,
    help: .value("gain", "Change the level, such as '-6 dB' or '50 %'."))
  var gain: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var reporting: ReportingOptions
  @OptionGroup var network: NetworkOptions

  func run() throws {
    let shot = OneShot(output, reporting)
    let sources = try shot.sources([input])
    let modifiers = shot.places.entries([
      ("from", from), ("to", to), ("duration", duration), ("fade_in", fadeIn),
      ("fade_out", fadeOut), ("gain", gain),
    ])
    try shot.run(
      sources.entry + [("clip", sources.names[0])] + modifiers + shot.metadata()
        + [("output", shot.outputNode())],
      // Whoever names settings means these.
      suggestingCopy: output.mp3 == nil && output.preset == nil && output.loudness == nil)
  }
}
