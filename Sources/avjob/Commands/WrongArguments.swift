import ArgumentParser
import Diagnosis
import Glibc
import JobFile
import MediaComposition
import SystemPackage

/// What is wrong with the words behind `avjob`, and what to type instead.
struct WrongArguments {
  /// The words, without `avjob`.
  let words: [String]

  private static let commands = AVJob.configuration.subcommands

  private static func command(_ name: String) -> (any ParsableCommand.Type)? {
    commands.first { $0._commandName == name }
  }

  /// The command that the first words name, as `cache list`, and these words; nil where they name none.
  var call: (command: any ParsableCommand.Type, names: [String])? {
    guard let first = words.first, let command = Self.command(first) else { return nil }
    let part = words.dropFirst().first.flatMap { name in
      command.configuration.subcommands.first { $0._commandName == name }
    }
    return part.map { ($0, [first, $0._commandName]) } ?? (command, [first])
  }

  // MARK: Commands

  /// Why the first word, or the one behind `help`, is no command; nil where it is one.
  var unknownCommand: (message: String, help: String)? {
    let called = words.first == "help" ? words.dropFirst() : words[...]
    guard let name = called.first, !name.hasPrefix("-"), name != "help" else { return nil }
    if let command = Self.command(name) {
      return Self.unknownPart(called.dropFirst().first, of: command)
    }
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      return (
        "'\(name)' is a job file, not a command", "write 'avjob run \(shellQuoted(name))'"
      )
    }
    if let habit = Self.commandHabits.first(where: { $0.names.contains(name) }) {
      return ("there is no command '\(name)'", "did you mean '\(habit.meant)'?")
    }
    let names = Self.commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    return (
      "there is no command '\(name)'",
      Spelling.help(for: name, among: names)
        ?? "'avjob help' lists the commands"
    )
  }

  /// Why a word is none of a command's own commands; nil where it is one, or there are none.
  private static func unknownPart(
    _ name: String?, of command: any ParsableCommand.Type
  ) -> (message: String, help: String)? {
    let parts = command.configuration.subcommands.map { $0._commandName }
    guard let name, !parts.isEmpty, !name.hasPrefix("-"), name != "help", !parts.contains(name)
    else { return nil }
    let group = command._commandName
    return (
      "there is no command '\(group) \(name)'",
      Spelling.nearest(to: name, among: parts).map { "did you mean '\(group) \($0)'?" }
        ?? "'avjob help \(group)' lists the commands"
    )
  }

  /// What commands are called elsewhere.
  private static let commandHabits: [(names: Set<String>, meant: String)] = [
    (["play", "listen"], "preview"),
    (["convert", "encode", "export", "transcode"], "compress"),
    (["cut", "trim"], "clip"),
    (["cat", "join", "merge"], "concat"),
    (["ffprobe", "identify", "info"], "probe"),
    (["lint", "validate"], "check"),
    (["fixity", "audit", "checksum"], "verify"),
    (["dry-run", "explain"], "plan"),
    (["agents", "agent"], "help agents"),
    (["rec", "capture"], "record"),
  ]

  // MARK: Options

  /// The first word that looks like an option and is none of the command's; nil where there is none.
  /// One that has a value makes other mistakes of it: the value is taken for an argument.
  var unknownOption: (message: String, help: String)? {
    guard let (command, names) = call else { return nil }
    let name = names.joined(separator: " ")
    let options = Self.options(of: command)
    var skipsValue = false
    for word in words.dropFirst(names.count) {
      if word == "--" { return nil }
      if skipsValue || !word.hasPrefix("-") || word == "-" {
        skipsValue = false
        continue
      }
      let spelling = String(word.prefix { $0 != "=" })
      if let takesValue = options[spelling] {
        skipsValue = takesValue && spelling == word
        continue
      }
      let letters = word.hasPrefix("--") ? "?" : word.dropFirst()
      if letters.allSatisfy({ options["-\($0)"] == false }) { continue }
      if let path = Self.path(meantBy: word) {
        return ("'\(word)' is taken for an option: it begins with '-'", "write '\(path)'")
      }
      return (
        "'avjob \(name)' has no option '\(spelling)'", Self.help(for: spelling, of: name, options)
      )
    }
    return nil
  }

  /// The first option whose value would be a path that begins with `-`, and is taken for an option.
  private var pathForOption: (message: String, help: String)? {
    guard let (command, names) = call else { return nil }
    let options = Self.options(of: command)
    let rest = words.dropFirst(names.count).prefix { $0 != "--" }
    for (option, value) in zip(rest, rest.dropFirst()) where options[option] == true {
      guard let path = Self.path(meantBy: value) else { continue }
      return (
        "the value of '\(option)' is missing: '\(value)' is taken for an option",
        "write '\(option) \(path)'"
      )
    }
    return nil
  }

  /// The same path in words that are no option, for a word that begins with `-` and is a file, or has
  /// the name of one.
  private static func path(meantBy word: String) -> String? {
    guard word.hasPrefix("-"), word != "-", word != "--" else { return nil }
    let suffix = word.contains("=") ? nil : FilePath(word).extension?.lowercased()
    guard suffix.map(fileExtensions.contains) == true || access(word, F_OK) == 0 else { return nil }
    return shellQuoted("./" + word)
  }

  private static let fileExtensions = Set(Output.Kind.allCases.flatMap(\.capabilities.extensions))
    .union([
      "yaml", "yml", "w64", "rf64", "mp4", "mka", "mkv", "webm", "mov", "wma", "wv", "ape",
      "ac3", "eac3", "dts", "ts", "avi", "jpg", "jpeg", "png", "csv", "tsv", "txt", "cue",
    ])

  /// The options of a command as its help lists them, and whether each takes a value.
  static func options(of command: any ParsableCommand.Type) -> [String: Bool] {
    var found: [String: Bool] = [:]
    let text = AVJob.helpMessage(for: command, includeHidden: true)
    for line in text.split(separator: "\n") where line.hasPrefix("  -") {
      let words = line.split(separator: " ").map { $0.drop { $0 == "," } }
      let names = words.prefix { $0.hasPrefix("-") }
        .map { String($0.hasSuffix(",") ? $0.dropLast() : $0) }
      let takesValue = words.dropFirst(names.count).first?.hasPrefix("<") == true
      for name in names { found[name] = takesValue }
    }
    return found
  }

  private static func help(
    for spelling: String, of command: String, _ options: [String: Bool]
  ) -> String {
    let habit = habits.first { $0.spellings.contains(spelling) }?.meant ?? []
    if let meant = habit.first(where: { options[$0] != nil }) { return "did you mean '\(meant)'?" }
    let makesJob = options["--print-job"] != nil
    // Options have dashes, and keys have underscores.
    let dashed = spelling.replacing("_", with: "-")
    let key = String(spelling.dropFirst(2)).replacingScalars("-", with: "_")
    switch spelling {
    case "--dry-run", "-n":
      return makesJob
        ? "--print-job prints the job file, and 'avjob plan' its outputs"
        : "'avjob plan' prints what a run does, and writes nothing"
    case _ where makesJob && ["-b", "--bitrate", "--bit-rate", "--quality"].contains(spelling):
      return "the format's option has it: --mp3 'cbr 128k', --aac 128k, --opus 64k, --vorbis q5"
    case _ where options[dashed] != nil:
      return "did you mean '\(dashed)'?"
    case _ where makesJob && spelling.hasPrefix("--") && jobKeys.contains(key):
      return "a job file has '\(key)': --print-job prints one to add it to"
    default:
      // Of single letters, all are near.
      let help =
        spelling.hasPrefix("--")
        ? Spelling.help(for: spelling, among: options.keys.sorted()) : nil
      return help ?? "'avjob help \(command)' lists the options"
    }
  }

  /// What options are called elsewhere.
  private static let habits: [(spellings: Set<String>, meant: [String])] = [
    (["-j", "--jobs", "--threads", "--parallel"], ["--workers"]),
    (["-y", "-f", "--overwrite"], ["--force"]),
    (["-n", "--no-clobber"], ["--skip-existing"]),
    (["-ss", "--start", "--begin"], ["--from"]),
    (["-to", "--end"], ["--to"]),
    (["-t", "--length"], ["--duration"]),
    (["-r", "-ar", "--rate", "--samplerate"], ["--sample-rate"]),
    (["-c", "-ac"], ["--channels"]),
    (["--metadata"], ["--tag"]),
    (["--normalize", "--normalise", "--lufs", "--norm", "--loudnorm"], ["--loudness"]),
    (["--silent", "--no-progress"], ["--quiet"]),
  ]

  /// Keys of clips and items that people look for on the command line.
  private static let jobKeys: Set<String> = [
    "stream", "speed", "volume", "gain", "pan", "loop", "effects", "cut", "split", "fade_in",
    "fade_out", "crossfade", "cover", "chapter", "chapters", "reverse", "conform", "trim", "mute",
    "pauses", "duck", "insert", "loudness", "polarity", "sample_rate", "channels", "metadata",
    "for_each", "rows", "group_by", "needs", "retries", "timeout",
  ]

  // MARK: The rest

  /// What is wrong, and what to type instead, by an error that ArgumentParser threw.
  func message(for error: any Error) -> (message: String, help: String) {
    if let unknownOption { return unknownOption }
    let text = AVJob.message(for: error)
    if text.hasPrefix("Missing value"), let pathForOption { return pathForOption }
    let help = (["avjob help"] + (call?.names ?? [])).joined(separator: " ")
    // A name in capitals stays.
    let isSentence = text.dropFirst().first?.isUppercase != true
    let message = isSentence ? text.prefix(1).lowercased() + text.dropFirst() : text
    return (message, "'\(help)' lists the options")
  }
}
