/// The job language as data: which keys a map may have, what their values are, and which of them
/// are built.
///
/// Decoding, "did you mean", refusal by name and the JSON Schema are all derived from it.
struct Schema: Sendable {
  /// What a map with these keys is, with its article: `an item`.
  var subject: String
  /// In the order in which documentation lists them.
  var keys: [Key]
  /// Whether keys of the user's own choosing are allowed beside them.
  var isOpen = false

  /// A key of a map.
  struct Key: Sendable {
    var name: String
    var value: Value
    /// One line.
    var help: String
    /// nil where the key works; else what to do until it does.
    var instead: String?

    /// A key that works.
    init(_ name: String, _ value: Value, _ help: String) {
      self.name = name
      self.value = value
      self.help = help
    }

    /// A key that the language has and that is not built yet.
    init(_ name: String, notBuilt help: String, instead: String) {
      self.name = name
      value = .any
      self.help = help
      self.instead = instead
    }
  }

  /// What may stand behind a key.
  enum Value: Sendable, Hashable {
    case text, number, path, clip, time, moment, gain, sampleRate, channels
    case fade, volume, chapter, chapters
    case items, tracks, jobs
    case metadata, outputs, pattern, variables, sources
    case mp3, pcm, bitDepth, bitRate, vorbis, codec
    /// Of a key that is not built.
    case any

    enum Shape: String, Sendable { case text = "a text", list = "a list", map = "a map" }

    /// The shapes that it takes.
    var shapes: [Shape] {
      switch self {
      case .text, .number, .path, .clip, .time, .moment, .gain, .sampleRate, .channels, .pcm,
        .bitDepth, .bitRate, .vorbis, .codec:
        [.text]
      case .fade, .chapter, .mp3: [.text, .map]
      case .volume, .tracks, .jobs, .metadata, .variables, .sources: [.map]
      case .items: [.list]
      // A map and a text are told from what is not built where they are decoded.
      case .chapters, .pattern, .outputs, .any: [.text, .list, .map]
      }
    }

    /// How it is written, for "write …".
    var example: String {
      switch self {
      case .text: "a text"
      case .number: "a whole number"
      case .path: "a path, as 'media/theme.ogg'"
      case .clip: "a file and a range, as 'host.wav 1:00..2:30'"
      case .time: "a time, as '1:30' or '250ms'"
      case .moment: "a time, as '1:30', 'start' or 'end-10s'"
      case .gain: "a gain, as '-18 dB'"
      case .sampleRate: "a sample rate, as '44.1 kHz'"
      case .channels: "a layout, as 'mono', 'stereo' or '5.1'"
      case .fade: "a time, as '2s', or { duration: 2s, curve: equal_power }"
      case .volume: "points, as { 0s: 0 dB, 30s: -6 dB }"
      case .chapter: "a title, or { title: Intro, url: https://example.org }"
      case .chapters: "times and titles, as { 0s: Intro, 5:00: News }"
      case .items: "a list, as [intro.mp3, episode.flac]"
      case .tracks: "named tracks, as { voice: host.wav, music: theme.ogg }"
      case .jobs: "named jobs, each with its 'output'"
      case .metadata: "tags, as { title: Intro, artist: Deep Fields }"
      case .outputs: "a path, as 'out/episode.mp3', a map or a list of them"
      case .pattern: "a pattern, as 'raw/**/*.wav', or a list of them"
      case .variables: "names and texts, as { episode: 42 }"
      case .sources: "names and files, as { theme: media/theme.ogg }"
      case .mp3: "'V2', 'abr 96k' or 'cbr 128k'"
      case .pcm: "'16 bit', '24 bit' or '32 bit float'"
      case .bitDepth: "'16 bit' or '24 bit'"
      case .bitRate: "a bit rate, as '128k'"
      case .vorbis: "a quality, as 'q5', or a bit rate, as '160k'"
      case .codec: "'same'"
      case .any: "a value"
      }
    }
  }

  subscript(name: String) -> Key? { keys.first { $0.name == name } }
}

extension Schema {
  /// Every map of the language that has keys of its own.
  static let all: [Schema] = [
    .file, .item, .job, .source, .output, .mp3, .fade, .chapter, .metadata,
  ]

  /// The whole file. Where it is one job, the job's keys stand beside these.
  static let file = Schema(
    subject: "a job file",
    keys: [
      Key("version", .text, "the version of the job language: 1"),
      Key("vars", .variables, "texts that '${name}' stands for; --set replaces them"),
      Key("sources", .sources, "names for files, with any key of a clip as default"),
      Key("jobs", .jobs, "several jobs, each under its name"),
      Key("defaults", notBuilt: "keys for every job", instead: "write the keys in each job"),
      Key("include", notBuilt: "another file's content", instead: "copy what is needed from it"),
    ])

  /// A job: an item with outputs.
  static let job = Schema(
    subject: "a job",
    keys: [
      Key("output", .outputs, "the file or files to write"),
      Key("for_each", .pattern, "one job for each file; binds 'input', 'n' and 'count'"),
      Key("metadata", .metadata, "tags of the outputs, over those of a job's only clip"),
      Key("sample_rate", .sampleRate, "of the mix; else the highest among the sources"),
      Key("channels", .channels, "of the mix; else mono where all sources are mono"),
      Key(
        "loudness", notBuilt: "a target loudness",
        instead: "measure the result and correct it with 'gain'"),
      Key("conform", notBuilt: "sources made alike", instead: "convert the sources before"),
      Key(
        "needs", notBuilt: "jobs that come before", instead: "put them in a file that is run before"
      ),
      Key("retries", notBuilt: "further attempts", instead: "run the file again"),
      Key("timeout", notBuilt: "a limit of time", instead: "run avjob under 'timeout'"),
      Key(
        "rows", notBuilt: "one job for each row of a table",
        instead: "use 'for_each', or write the jobs under 'jobs'"),
      Key(
        "group_by", notBuilt: "one job for each group of rows",
        instead: "write the jobs under 'jobs'"),
      Key(
        "split", notBuilt: "one output for each part",
        instead: "write a job for each part, with 'from' and 'to'"),
    ] + item.keys.filter { $0.name != "channels" && $0.name != "loudness" })

  /// An item: what sounds, and its modifiers in the order in which they are applied.
  static let item = Schema(
    subject: "an item",
    keys: [
      Key("clip", .clip, "a media file, or a name from 'sources', and a range of it"),
      Key("concat", .items, "items that follow one another"),
      Key("tracks", .tracks, "sequences that sound together, each under its name"),
      Key("silence", .time, "nothing, for a while"),
      Key("stream", .number, "which of the file's streams, as ffprobe counts them"),
      Key("from", .moment, "where the item starts, in its own time"),
      Key("to", .moment, "where the item ends, in its own time"),
      Key("duration", .time, "how long the item is"),
      Key(
        "cut", notBuilt: "ranges removed", instead: "put the ranges that stay into a 'concat'"),
      Key(
        "insert", notBuilt: "items put in at times",
        instead: "put the parts and the items between them into a 'concat'"),
      Key(
        "trim", notBuilt: "silence removed at the ends",
        instead: "name the range with 'from' and 'to'"),
      Key("reverse", notBuilt: "played backwards", instead: "reverse the file before"),
      Key("speed", notBuilt: "faster or slower", instead: "change the file's speed before"),
      Key("loop", notBuilt: "repeated", instead: "write the item several times in a 'concat'"),
      Key("effects", notBuilt: "filters", instead: "filter the file before"),
      Key("loudness", notBuilt: "a target loudness", instead: "correct the item with 'gain'"),
      Key("gain", .gain, "a constant gain"),
      Key("volume", .volume, "ramps between points, in the item's own time"),
      Key("pan", notBuilt: "left and right", instead: "prepare the file before"),
      Key("fade_in", .fade, "a rise from silence at the start"),
      Key("fade_out", .fade, "a fall to silence at the end"),
      Key("at", .time, "where the item starts, in the time of the sequence that holds it"),
      Key("crossfade", .fade, "how long the item before sounds on; on a list, at every join"),
      Key(
        "duck", notBuilt: "quieter under another track",
        instead: "write the 'volume' points by hand"),
      Key(
        "channels", notBuilt: "channels of an item",
        instead: "give the job or the output 'channels'"),
      Key("polarity", notBuilt: "turned upside down", instead: "prepare the file before"),
      Key("mute", notBuilt: "left out", instead: "comment the item out"),
      Key("chapter", .chapter, "a chapter that begins with the item"),
      Key("chapters", .chapters, "chapters in the item's own time"),
      Key("name", .text, "what messages call the item"),
      Key("each", notBuilt: "an item for each row", instead: "write the items out"),
    ])

  /// An entry of `sources`: a file, and defaults for the clips that name it.
  static let source = Schema(
    subject: "a source",
    keys: [
      Key("file", .path, "the file's path, taken literally"),
      Key(
        "sha256", notBuilt: "a checksum to hold the file to",
        instead: "run 'sha256sum --check' before"),
    ] + item.keys.filter { !["concat", "tracks", "silence", "name", "each"].contains($0.name) })

  /// A file to be written.
  static let output = Schema(
    subject: "an output",
    keys: [
      Key("file", .path, "the path to write to"),
      Key("folder", .path, "the folder to write to, under the input's name"),
      Key("mp3", .mp3, "MP3 by LAME"),
      Key("wav", .pcm, "PCM"),
      Key("aiff", .pcm, "PCM, big-endian"),
      Key("caf", .pcm, "PCM in Apple's Core Audio Format"),
      Key("flac", .bitDepth, "FLAC"),
      Key("alac", .bitDepth, "Apple Lossless in MP4"),
      Key("aac", .bitRate, "AAC in MP4"),
      Key("vorbis", .vorbis, "Vorbis in Ogg"),
      Key("opus", .bitRate, "Opus in Ogg"),
      Key("codec", .codec, "'same': that of the job's only clip"),
      Key("sample_rate", .sampleRate, "of this output; else as the mix"),
      Key("channels", .channels, "of this output; else as the mix"),
      Key("metadata", .metadata, "tags of this output, over the job's"),
      Key("json", notBuilt: "a file of facts", instead: "leave it out"),
      Key("preset", notBuilt: "a delivery specification", instead: "write its settings out"),
      Key(
        "chapters", notBuilt: "where chapters go",
        instead: "leave it out: chapters go into the tags"),
    ])

  /// The long form of MP3 settings.
  static let mp3 = Schema(
    subject: "an MP3 setting",
    keys: [
      Key("vbr", .text, "LAME's quality, 0 (best) to 9.999"),
      Key("abr", .text, "a mean bit rate"),
      Key("cbr", .text, "a constant bit rate"),
      Key("quality", .number, "LAME's -q, 0 (slowest) to 9"),
      Key("mode", notBuilt: "how channels are coded", instead: "leave it out: LAME chooses"),
      Key("lowpass", notBuilt: "LAME's filter", instead: "leave it out: LAME chooses"),
      Key("highpass", notBuilt: "LAME's filter", instead: "leave it out: LAME chooses"),
      Key("min", notBuilt: "the lowest bit rate", instead: "leave it out: LAME chooses"),
      Key("max", notBuilt: "the highest bit rate", instead: "write 'abr' or 'cbr'"),
    ])

  /// The long form of a fade.
  static let fade = Schema(
    subject: "a fade",
    keys: [
      Key("duration", .time, "how long it takes"),
      Key("curve", .text, "'linear' or 'equal_power'"),
    ])

  /// The long form of a chapter.
  static let chapter = Schema(
    subject: "a chapter",
    keys: [
      Key("title", .text, "what players show"),
      Key("url", .text, "a page about it"),
      Key("image", .path, "a JPEG or PNG file"),
    ])

  /// Tags: any key, by FFmpeg's generic names.
  static let metadata = Schema(
    subject: "metadata",
    keys: [
      Key("cover", .path, "a JPEG or PNG file"),
      Key("from", notBuilt: "the tags of a source", instead: "write the tags out"),
    ], isOpen: true)
}
