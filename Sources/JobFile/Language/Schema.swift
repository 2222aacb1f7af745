/// The job language as data: which keys a map may have, what their values are, and which of them
/// are built.
///
/// Decoding, "did you mean" and refusal by name are derived from it.
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
    case boolean, speed, loop, pan, polarity, channelPick, frequency, reduction, curve
    case fade, volume, ranges, effects, insertions, chapter, chapters
    case items, tracks, jobs
    case media, cover, chapterPlaces, names
    case presets, preset, version, link, pitch, algorithm
    case metadata, outputs, pattern, table, column, row, variables, sources, split
    case includes, defaults
    case mp3, stereoMode, lowpass, id3, pcm, bitDepth, bitRate, vorbis, codec, sidecar
    case vbr, wholeBitRate, quality, lamePreset, factor, retries, timeout, length
    /// Of a key that is not built.
    case any

    enum Shape: String, Sendable { case text = "a text", list = "a list", map = "a map" }

    /// The shapes that it takes.
    var shapes: [Shape] {
      switch self {
      case .text, .number, .path, .clip, .time, .moment, .gain, .sampleRate, .channels, .pcm,
        .bitDepth, .bitRate, .vorbis, .codec, .boolean, .loop, .polarity, .channelPick, .frequency,
        .reduction, .curve, .media, .cover, .id3, .stereoMode, .lowpass, .sidecar,
        .preset, .version, .link, .pitch, .algorithm, .table, .column, .row, .vbr, .wholeBitRate,
        .quality, .lamePreset, .factor, .retries, .timeout, .length:
        [.text]
      case .fade, .chapter, .chapters, .split, .mp3, .speed, .pan: [.text, .map]
      case .volume, .tracks, .jobs, .metadata, .variables, .sources, .presets, .defaults:
        [.map]
      case .items, .effects, .insertions: [.list]
      case .ranges, .chapterPlaces, .names, .includes: [.text, .list]
      case .pattern, .outputs, .any: [.text, .list, .map]
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
      case .moment: "a time, as '1:30', 'end-10s' or 'talk.end'"
      case .gain: "a gain, as '-18 dB'"
      case .sampleRate: "a sample rate, as '44.1 kHz'"
      case .channels: "a layout, as 'mono', 'stereo' or '5.1'"
      case .boolean: "'true' or 'false'"
      case .speed: "a factor, as '1.05', or { rate: 1.05, pitch: follow }"
      case .loop: "a number of rounds, as '4', or 'end'"
      case .pan: "a place, as '-20 %' or 'left', or points, as { 0s: -100 %, 4s: 100 % }"
      case .polarity: "'inverted' or 'normal'"
      case .channelPick: "'mono', 'stereo', 'left', 'right' or 'channel 1'"
      case .frequency: "a frequency, as '80 Hz'"
      case .reduction: "decibels, as '12 dB'"
      case .curve: "'linear', 'equal_power' or 'exponential'"
      case .ranges: "ranges, as [12:00..13:30, end-10s..], or a file that lists them"
      case .effects: "a list, as [denoise, highpass: 80 Hz]"
      case .insertions: "items and where they go, as [{ clip: ad.mp3, at: 1:30 }]"
      case .fade: "a time, as '2s', or { duration: 2s, curve: equal_power }"
      case .volume: "points, as { 0s: 0 dB, 30s: -6 dB }; one level for all of it is a 'gain'"
      case .chapter: "a title, or { title: Intro, url: https://example.org }"
      case .chapters: "times and titles, as { 0s: Intro, 5:00: News }, or a file that lists them"
      case .chapterPlaces: "places, as [file, podlove, podcasting2], or [] for none"
      case .cover: "a picture's path, as 'media/cover.jpg'"
      case .media: "the name of a source, or a file"
      case .split:
        "a file that lists times, as 'album.cue', or { 0:00: One, 4:10: Two }, { every: 10m } or "
          + "'chapters'"
      case .items: "a list, as [intro.mp3, episode.flac]"
      case .tracks: "named tracks, as { voice: host.wav, music: theme.ogg }"
      case .jobs: "named jobs, as { teaser: { clip: interview.wav, output: teaser.mp3 } }"
      case .metadata: "tags, as { title: Intro, artist: Deep Fields }"
      case .outputs: "a path, as 'out/episode.mp3', a map or a list of them"
      case .pattern:
        "a pattern of files, as 'raw/**/*.wav', or lists of values, as { lang: [en, de] }"
      case .table: "a table, as 'words.csv'"
      case .column: "the name of a column"
      case .row: "'row'"
      case .includes: "a file, as 'shows.yaml', or a list of them"
      case .defaults: "keys of jobs, as { sample_rate: 48 kHz, metadata: { artist: Deep Fields } }"
      case .variables: "names and texts, as { episode: 42 }"
      case .sources: "names and files, as { theme: media/theme.ogg }"
      case .mp3: "'V2', 'abr 96k' or 'cbr 128k'"
      case .id3: "'2.4' or '2.3'"
      case .stereoMode: "'joint', 'forced', 'simple' or 'mono'"
      case .lowpass: "a frequency, as '16 kHz', or 'off'"
      case .pcm: "'16 bit', '24 bit' or '32 bit float'"
      case .bitDepth: "'16 bit' or '24 bit'"
      case .bitRate: "a bit rate, as '128k'"
      case .vorbis: "a quality, as 'q5', or a bit rate, as '160k'"
      case .codec: "'same'"
      case .sidecar: "'sidecar'"
      case .version: "'1'"
      case .link: "a link, as 'https://example.org'"
      case .pitch: "'keep' or 'follow'"
      case .algorithm: "'spectral', 'time_domain' or 'varispeed'"
      case .preset: "a preset's name, as 'podcast'"
      case .presets: "names and settings, as { small: { mp3: abr 48k, channels: mono } }"
      case .names: "a job's name, or a list, as [intro, 'episode-42']"
      case .vbr: "'0' (best) to '9.999'"
      case .wholeBitRate: "a bit rate, as '128k'"
      case .quality: "'0' (slowest) to '9'"
      case .lamePreset: "a name of LAME's, as 'voice'"
      case .factor: "a factor, as '1.05'"
      case .retries: "a whole number, as '3'"
      case .timeout, .length: "a time, as '10m'"
      case .any: "a value"
      }
    }
  }

  subscript(name: String) -> Key? { keys.first { $0.name == name } }

  /// How such a map is written, for "write …"; nil where nobody writes anything else.
  var example: String? {
    switch subject {
    case Self.job.subject: "{ clip: interview.wav, output: teaser.mp3 }"
    case Self.preset.subject: "{ mp3: V2, channels: mono }"
    default: nil
    }
  }

  /// What other programs call keys of the language.
  static let synonyms = [
    "repeat": "loop", "repeats": "loop", "times": "loop", "tempo": "speed", "stretch": "speed",
    "atempo": "speed", "backwards": "reverse", "areverse": "reverse", "balance": "pan",
    "phase": "polarity", "invert": "polarity", "remove": "cut", "delete": "cut",
    "filters": "effects", "amplify": "gain", "level": "gain", "start": "from", "begin": "from",
    "end": "to", "length": "duration", "offset": "at", "delay": "at", "markers": "chapters",
    "tags": "metadata", "matrix": "for_each", "foreach": "for_each", "table": "rows",
    "csv": "rows", "imports": "include", "default": "defaults", "input": "clip", "source": "clip",
    "in": "clip", "audio": "clip", "media": "clip", "files": "concat", "join": "concat",
    "out": "output", "outfile": "output", "destination": "output", "dest": "output",
    "normalize": "loudness", "normalise": "loudness", "lufs": "loudness", "ducking": "duck",
  ]

  /// What to say of words that belong elsewhere, or to nothing here.
  static let elsewhere: [String: String] = {
    let rate = "a bit rate stands behind the format of an output, as { file: x.mp3, mp3: cbr 128k }"
    let format =
      "an output's extension says its format, or a key, as { file: x.mp3, mp3: V2 }"
    let tag = "tags stand under 'metadata', as { title: Intro, artist: Deep Fields }"
    var hints = ["bitrate": rate, "bit_rate": rate, "kbps": rate, "format": format, "type": format]
    for key in ["title", "artist", "album", "year", "date", "genre", "comment", "cover"] {
      hints[key] = tag
    }
    return hints
  }()
}

extension Schema {
  /// Every map of the language that has keys of its own.
  static let all: [Schema] = [
    .file, .item, .job, .source, .output, .mp3, .fade, .chapter, .metadata, .split, .speed,
    .volume, .range, .effect, .preset, .defaults, .included,
  ]

  /// The whole file. Where it is one job, the job's keys stand beside these.
  static let file = Schema(
    subject: "a job file",
    keys: [
      Key("version", .version, "the version of the job language: 1"),
      Key("vars", .variables, "texts that '${name}' stands for; --set replaces them"),
      Key("sources", .sources, "names for files, with any key of a clip as default"),
      Key("presets", .presets, "names for settings of outputs, as 'preset' takes them"),
      Key("jobs", .jobs, "several jobs, each under its name"),
      Key("defaults", .defaults, "keys for every job that has none of its own"),
      Key("include", .includes, "files whose content is as if it stood before this one's"),
    ])

  /// A file that another one includes: all but a job's own keys.
  static let included = Schema(subject: "a file that is included", keys: file.keys)

  /// What every job gets that has none of its own.
  static let defaults = Schema(subject: "the defaults", keys: job.keys)

  /// A job: an item with outputs.
  static let job = Schema(
    subject: "a job",
    keys: [
      Key("output", .outputs, "the file or files to write"),
      Key("for_each", .pattern, "one job for each file or value; binds 'input', 'n', 'count'"),
      Key("rows", .table, "one job for each row of a table; binds its columns, 'n' and 'count'"),
      Key("group_by", .column, "one job for all 'rows' that agree in this column"),
      Key("metadata", .metadata, "tags of the outputs, over those of a job's only clip"),
      Key("sample_rate", .sampleRate, "of the mix; else the highest among the sources"),
      Key("channels", .channelPick, "of the mix; else mono where all sources are mono"),
      Key(
        "loudness", notBuilt: "a target loudness",
        instead: "measure the result and correct it with 'gain'"),
      Key("conform", notBuilt: "sources made alike", instead: "convert the sources before"),
      Key("needs", .names, "jobs of this file that must be done before this one"),
      Key("retries", .retries, "how often a temporary failure is tried again"),
      Key("timeout", .timeout, "how long an attempt may take"),
      Key("split", .split, "where parts begin; one set of outputs a part, and binds 'part'"),
    ] + item.keys.filter { !["channels", "loudness", "each"].contains($0.name) })

  /// A file to be written.
  static let output = Schema(
    subject: "an output",
    keys: [
      Key("file", .path, "the path to write to"),
      Key("folder", .path, "the folder to write to, under the input's name"),
      Key("mp3", .mp3, "MP3 by LAME"),
      Key("id3", .id3, "the tag's version in MP3 and AIFF; else 2.4, where chapters allow it"),
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
      Key("json", .sidecar, "'sidecar': no sound, but facts of the job as JSON"),
      Key("preset", .preset, "a named set of settings; keys beside it win"),
      Key("chapters", .chapterPlaces, "where they go: into the file, or beside it"),
    ])

  /// An entry of `presets`: settings of an output.
  static let preset = Schema(
    subject: "a preset",
    keys: output.keys.filter {
      !["file", "folder", "metadata", "json", "preset"].contains($0.name)
    })

  /// The long form of MP3 settings.
  static let mp3 = Schema(
    subject: "an MP3 setting",
    keys: [
      Key("vbr", .vbr, "LAME's -V, 0 (best) to 9.999"),
      Key("abr", .wholeBitRate, "a mean bit rate"),
      Key("cbr", .wholeBitRate, "a constant bit rate"),
      Key("preset", .lamePreset, "a name of LAME's, as 'voice'"),
      Key("quality", .quality, "LAME's -q, 0 (slowest) to 9"),
      Key("mode", .stereoMode, "how channels are coded; else joint stereo"),
      Key("lowpass", .lowpass, "up to where sound is kept; else LAME chooses"),
      Key("highpass", .frequency, "from where on sound is kept"),
      Key("min", .bitRate, "the least bit rate that a frame has, in silence, too"),
      Key("max", .bitRate, "the highest bit rate that a frame has"),
    ])

  /// Parts that no list names. Times and titles stand in a map of their own.
  static let split = Schema(
    subject: "a split",
    keys: [
      Key("every", .length, "parts of this length"),
      Key(
        "silence", notBuilt: "parts between silences",
        instead: "list the times in a file, as lines of '14:05 School'"),
    ])

  /// Tags: any key, by FFmpeg's generic names.
  static let metadata = Schema(
    subject: "metadata",
    keys: [
      Key("cover", .cover, "a JPEG or PNG file; \"\" for none"),
      Key("from", .media, "a source or a file whose tags and cover are taken; \"\" for none"),
    ], isOpen: true)
}
