import ArgumentParser
import Diagnosis
import JobFile
import MediaComposition

/// The options that clip, concat and compress share: what is written, and as what.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write this file; its extension chooses the format.", valueName: "file"),
    completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp("Take the settings of a preset; options beside it win.", valueName: "name"),
    completion: .list(OutputPreset.all.map(\.name)))
  var preset: String?

  @Option(
    help: ArgumentHelp("Encode MP3: V0 … V9, 'abr 96k', 'cbr 128k', standard.", valueName: "mp3"))
  var mp3: String?

  @Option(help: ArgumentHelp("Encode AAC at this bit rate, such as 128k.", valueName: "bits"))
  var aac: String?

  @Option(help: ArgumentHelp("Encode Opus at this bit rate, such as 64k.", valueName: "bits"))
  var opus: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Encode Vorbis: q-1 … q10, or a bit rate.", valueName: "quality"))
  var vorbis: String?

  @Option(help: ArgumentHelp("Encode FLAC: '16 bit' or '24 bit'.", valueName: "depth"))
  var flac: String?

  @Option(help: ArgumentHelp("Encode ALAC: '16 bit' or '24 bit'.", valueName: "depth"))
  var alac: String?

  @Option(
    help: ArgumentHelp("Write WAV: '16 bit', '24 bit' or '32 bit float'.", valueName: "depth"))
  var wav: String?

  @Option(help: ArgumentHelp("Write AIFF with the depths of --wav.", valueName: "depth"))
  var aiff: String?

  @Option(help: ArgumentHelp("Write CAF with the depths of --wav.", valueName: "depth"))
  var caf: String?

  @Option(help: ArgumentHelp("Convert to this sample rate, such as 44.1kHz.", valueName: "rate"))
  var sampleRate: String?

  @Option(
    help: ArgumentHelp("Mix to mono, stereo, quad, 5.0, 5.1 or 7.1.", valueName: "layout"),
    completion: .list(["mono", "stereo", "quad", "5.0", "5.1", "7.1"]))
  var channels: String?

  @Option(help: ArgumentHelp("Set the title.", valueName: "text"))
  var title: String?

  @Option(help: ArgumentHelp("Set the artist.", valueName: "text"))
  var artist: String?

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp(
      "Set any tag, or 'cover=FILE'; no text removes it.",
      valueName: "name=text"), transform: Assignment.parse("--tag"))
  var tags: [Assignment] = []

  @Flag(help: "Replace files that exist.")
  var force = false

  @Flag(help: "Skip outputs that exist.")
  var skipExisting = false

  @Flag(help: "Print the job file that does the same, and end.")
  var printJob = false

  func validate() throws {
    if force, printJob {
      throw ValidationError(
        "--print-job writes no sound, and 'avjob run' replaces what its jobs make anew; leave out "
          + "--force")
    }
    if skipExisting, force || printJob {
      throw ValidationError(
        "--skip-existing and --\(force ? "force" : "print-job") exclude each other; give one of "
          + "them")
    }
    try Assignment.refuseRepeated(
      [("title", title), ("artist", artist)].compactMap { name, value in
        value.map { Assignment(text: "--\(name) \($0)", name: name, value: $0) }
      } + tags)
  }

  /// The format and its settings, as keys of an output.
  var settings: [(key: String, value: String?)] {
    [
      ("preset", preset), ("mp3", mp3), ("aac", aac), ("opus", opus), ("vorbis", vorbis),
      ("flac", flac), ("alac", alac), ("wav", wav), ("aiff", aiff), ("caf", caf),
      ("sample_rate", sampleRate), ("channels", channels),
    ]
  }

  /// Whether an option says which format is written.
  var namesFormat: Bool { settings.dropLast(2).contains { $0.value != nil } }
}

/// `NAME=VALUE` behind an option, or the value of an option for one name.
struct Assignment {
  /// As it was written, with its option.
  let text: String
  let name: String
  let value: String

  /// What `--set` and `--tag` take.
  static func parse(_ option: String) -> @Sendable (String) throws -> Assignment {
    { word in
      guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
        throw ValidationError("write \(option) NAME=VALUE")
      }
      return Assignment(
        text: "\(option) \(word)", name: String(word[..<equals]),
        value: String(word[word.index(after: equals)...]))
    }
  }

  /// - Throws: A `ValidationError` where a name has two values.
  static func refuseRepeated(_ assignments: [Assignment]) throws {
    var seen: [String: Assignment] = [:]
    for assignment in assignments {
      guard let other = seen.updateValue(assignment, forKey: assignment.name) else { continue }
      throw ValidationError(
        "'\(assignment.name.printable)' is set twice, by '\(other.text.printable)' and "
          + "'\(assignment.text.printable)'; give it once")
    }
  }
}
