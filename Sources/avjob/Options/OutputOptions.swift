import ArgumentParser
import Diagnosis
import JobFile
import MediaComposition

/// The options that clip, concat and compress share: what is written, and as what.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: .value("file", "Write this file; its extension chooses the format."),
    completion: .file())
  var output: String

  @Option(
    help: .value("name", "Take the settings of a preset; options beside it win."),
    completion: .list(OutputPreset.all.map(\.name)))
  var preset: String?

  @Option(
    help: .value("mp3", "Encode MP3: V2, 'abr 96k', 'cbr 128k'; or 'copy' its frames."),
    completion: .mp3SettingsOrCopy)
  var mp3: String?

  @Option(
    help: .value("bits", "Encode AAC: a bit rate, as 128k, or 'fdk he 48k'; or 'copy' it."),
    completion: .bitRates(64, 96, 128, 192, 256))
  var aac: String?

  @Option(
    help: .value("bits", "Encode Opus at this bit rate, as 64k; or 'copy' its packets."),
    completion: .bitRates(24, 32, 48, 64, 96, 128))
  var opus: String?

  @Option(
    parsing: .unconditional,
    help: .value("quality", "Encode Vorbis: \(JobFile.texts(ofOutputKey: "vorbis"))."),
    completion: .list((-1...10).map { "q\($0)" }))
  var vorbis: String?

  @Option(help: .value("depth", "Encode FLAC: \(JobFile.texts(ofOutputKey: "flac"))."))
  var flac: String?

  @Option(help: .value("depth", "Encode ALAC: \(JobFile.texts(ofOutputKey: "alac"))."))
  var alac: String?

  @Option(help: .value("depth", "Write WAV: \(JobFile.texts(ofOutputKey: "wav"))."))
  var wav: String?

  @Option(help: .value("depth", "Write AIFF: \(JobFile.texts(ofOutputKey: "aiff"))."))
  var aiff: String?

  @Option(help: .value("depth", "Write CAF: \(JobFile.texts(ofOutputKey: "caf"))."))
  var caf: String?

  @Option(
    help: .value("bits", "Encode AMR at one of its bit rates, as 12.2k."),
    completion: .list(
      (Output.Kind.amr.bitRateModes ?? []).map { "\(Double($0) / 1000)k" }))
  var amr: String?

  @Option(
    help: .value("join", "Join copied MP3, AAC or Opus: \(Self.joins.listed("or"))."),
    completion: .list(Self.joins))
  var join: String?

  @Option(help: .value("rate", "Convert to this sample rate, such as 44.1kHz."))
  var sampleRate: String?

  @Option(
    help: .value("layout", "Mix to \(ChannelLayout.named.map(\.key).listed("or"))."),
    completion: .list(ChannelLayout.named.map(\.key)))
  var channels: String?

  @Option(
    parsing: .unconditional,
    help: .value("level", "Bring to a loudness: '-16 LUFS', apple-podcasts."),
    completion: .list(DeliverySpecification.all.map(\.name)))
  var loudness: String?

  @Option(help: .value("text", "Set the title."))
  var title: String?

  @Option(help: .value("text", "Set the artist."))
  var artist: String?

  @Option(
    name: .customLong("tag"),
    help: .value("name=text", "Set any tag, or 'cover=FILE'; no text removes it."),
    transform: Assignment.parse("--tag"))
  var tags: [Assignment] = []

  @Flag(help: "Refuse damaged and doubtful sources.")
  var strict = false

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

  private static let joins = Output.Copying.Join.allCases.map(\.rawValue)

  /// The format and its settings, as keys of an output.
  var settings: [(key: String, value: String?)] {
    [
      ("preset", preset), ("mp3", mp3), ("aac", aac), ("opus", opus), ("vorbis", vorbis),
      ("flac", flac), ("alac", alac), ("wav", wav), ("aiff", aiff), ("caf", caf),
      ("amr", amr),
      ("join", join), ("sample_rate", sampleRate), ("channels", channels), ("loudness", loudness),
      ("strict", strict ? "true" : nil),
    ]
  }

  /// Whether an option says which format is written.
  var namesFormat: Bool {
    settings.contains { key, value in
      value != nil && (key == "preset" || Output.Kind(rawValue: key) != nil)
    }
  }
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
      guard let equals = word.unicodeScalars.firstIndex(of: "="), equals != word.startIndex else {
        throw ValidationError("write \(option) NAME=VALUE")
      }
      return Assignment(
        text: "\(option) \(word)", name: String(word[..<equals]),
        value: String(word.unicodeScalars[equals...].dropFirst()))
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
