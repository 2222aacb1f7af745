extension Language {
  /// The keys of a file beside those of its only job, or beside 'jobs'.
  static let fileKeys: [Schema.Key] = [
    .init("version", Values.version, "the version of the job language: 1"),
    .init("vars", Values.variables, "texts that '${name}' stands for; --set replaces them"),
    .init("sources", Values.sources, "names for files, with any key of a clip as default"),
    .init("presets", Values.presets, "names for settings of outputs, as 'preset' takes them"),
    .init("jobs", Values.jobs, "several jobs, each under its name"),
    .init("defaults", Values.defaults, "keys for every job that has none of its own"),
    .init("include", Values.includes, "files that are read before this one"),
    .init(bagKey, Values.bag.form, "a BagIt bag of all outputs, made when all jobs are done"),
  ]

  /// A bag is of a whole run, so no file that is included has one.
  private static let bagKey = "bag"

  /// The whole file: one job, or a map of them.
  static let file: Schema = Schema("a job file", keys: fileKeys + job.keys)

  /// An included file: all but a job's own keys.
  static let included: Schema = Schema(
    "a file that is included", keys: fileKeys.filter { $0.name != bagKey })

  /// The values of jobs without their own.
  static let defaults: Schema = Schema(
    "the defaults", keys: job.keys, conditions: { [rangeCondition, silenceCondition] })

  /// Parts without a list. Times and titles have a map of their own.
  static let split: Schema = Schema(
    "a split",
    keys: [.init("every", Values.length.form, "parts of this length")] + silenceKeys + [
      .init("cues", Values.cueParts.form, "parts that are cues of the transcript, if long enough")
    ],
    rules: [
      .one(
        of: ["every", "silence", "cues"], missing: "a split needs 'every', 'silence' or 'cues'",
        help: "write { every: 10m } or { silence: 2s, below: -50 dB }")
    ] + silenceRules)

  /// Parts between silences.
  private static let silenceKeys: [Schema.Key] = [
    .init("silence", Values.silence.form, "parts that silences of at least this length divide"),
    .init("below", Values.silenceLevel.form, "the level under which sound is silence"),
    .init("shortest", Values.partLength.form, "how long a part between silences lasts at least"),
    .init(
      "longest", Values.partLength.form, "how long it lasts at most, where a silence allows it"),
  ]

  private static let silenceRules: [Schema.Rule] =
    [
      .key(
        "silence", needs: ["below"], "'silence' needs a level",
        help: "write { silence: 2s, below: -50 dB }"),
      .key(
        "below", needs: ["silence"], "'below' belongs to 'silence'",
        help: "write { silence: 2s, below: -50 dB }"),
    ]
    + ["shortest", "longest"].map {
      .key(
        $0, needs: ["silence"], "'\($0)' belongs to 'silence'",
        help: "write { silence: 300ms, below: -50 dB, \($0): 5s }")
    }

  /// Chapters without a list: one for each part between silences.
  static let chapterSearch: Schema = Schema(
    "the chapters at silences",
    keys: silenceKeys + [
      .init(
        "title", Values.chapterTitle.form,
        "the title of each, with '${part.n}' and '${part.count}'; else 'Chapter ${part.n}'")
    ],
    rules: [
      .some(
        of: ["silence"], missing: "chapters without times need 'silence'",
        help: "write { silence: 2s, below: -50 dB }")
    ] + silenceRules)

  /// Every map with keys of its own, the outermost first.
  static let maps: [Schema] = {
    var found: [Schema] = []
    var waiting = [file]
    while !waiting.isEmpty {
      let map = waiting.removeFirst()
      guard !found.contains(where: { $0.subject == map.subject }) else { continue }
      found.append(map)
      waiting += map.keys.flatMap { $0.form.maps() }
    }
    return found
  }()
}
