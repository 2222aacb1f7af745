import ArgumentParser
import JobFile

/// `avjob clip`
struct Clip: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Cut a range out of a media file.",
    discussion: """
      Times are 90s, 1.5s, 250ms, 1:02, 1:02:03.25, '44100 samples', or 'end-10s' from the end. \
      The clip is exact to the sample.

      avjob clip interview.wav --from 1:00 --to 2:30.5 -o teaser.mp3
      """)

  @Argument(help: "The media file.")
  var input: String

  @Option(
    help: ArgumentHelp(
      "Where the clip starts; at the file's start unless given.", valueName: "time"))
  var from: String?

  @Option(
    help: ArgumentHelp("Where the clip ends; at the file's end unless given.", valueName: "time"))
  var to: String?

  @Option(help: ArgumentHelp("How long the clip is, instead of --to.", valueName: "time"))
  var duration: String?

  @Option(help: ArgumentHelp("A rise from silence at the start.", valueName: "time"))
  var fadeIn: String?

  @Option(help: ArgumentHelp("A fall to silence at the end.", valueName: "time"))
  var fadeOut: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Such as '-6 dB' or '50 %'.", valueName: "gain"))
  var gain: String?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let shot = OneShot(output)
    let places = shot.places
    let sources = shot.sources([input])
    var entries = sources.entry + [("clip", sources.names[0])]
    let modifiers = [
      ("from", from, "--from"), ("to", to, "--to"), ("duration", duration, "--duration"),
      ("fade_in", fadeIn, "--fade-in"), ("fade_out", fadeOut, "--fade-out"),
      ("gain", gain, "--gain"),
    ]
    for (key, value, option) in modifiers {
      if let value { entries.append((key, places.node(value, of: option))) }
    }
    entries.append(("output", output.node(at: output.path(places), places)))
    try shot.run(entries)
  }
}
