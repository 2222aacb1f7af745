import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc
import JobFile
import MPEGAudio
import Playback
import SystemPackage

extension CompletionKind {
  /// Job files, and folders.
  static var jobFiles: CompletionKind { .file(extensions: JobFile.extensions) }

  /// The names of the jobs in the job files on the command line, and in its folders.
  static var jobNames: CompletionKind {
    .custom { words, current, _ in
      let files = LocalFileSystem()
      // Before them stand 'avjob' and the command; the word that is typed is no file.
      let others = words.enumerated().filter { $0.offset > 1 && $0.offset != current }
      let paths = others.map { FilePath(CommandWord($0.element).text) }.filter { !$0.isEmpty }
      let jobFiles = paths.flatMap { path in
        JobFile.isNamed(path) ? [path] : (try? JobFile.paths(in: path, files: files)) ?? []
      }
      let names = jobFiles.flatMap { path in
        let file = try? JobFile.loadAllowingMistakes(
          path, options: JobFile.Options(), into: SourceMap(), files: files)
        return file?.jobs.map(\.name) ?? []
      }
      return CommandWord.candidates(names)
    }
  }

  /// The sound devices of this machine.
  static func devices(_ direction: SoundDevice.Direction) -> CompletionKind {
    .custom { _, _, _ in
      CommandWord.candidates(((try? DeviceList.devices(direction)) ?? []).map(\.name))
    }
  }

  /// The settings of MP3 that are one word, LAME's presets included.
  static var mp3Settings: CompletionKind { .list(mp3Words) }

  /// The settings of MP3 that are one word, and `copy`.
  static var mp3SettingsOrCopy: CompletionKind { .list(mp3Words + ["copy"]) }

  private static var mp3Words: [String] {
    (0...9).map { "V\($0)" } + MP3Preset.allCases.map(\.rawValue)
  }

  /// Usual bit rates for a codec, in kilobits per second, and `copy`.
  static func bitRates(_ rates: Int...) -> CompletionKind {
    .list(rates.map { "\($0)k" } + ["copy"])
  }
}

/// A word of a command line, as the shells' completion scripts give and take it.
struct CommandWord {
  /// The word without quotes and backslashes; a `~` at its start is the user's home.
  let text: String

  /// Reads a word as bash, zsh and fish 4 give it. Older fish has removed the quotes.
  init(_ word: String, shell: CompletionShell? = .requesting) {
    let version = CompletionShell.requestingVersion.flatMap { Int($0.prefix { $0 != "." }) } ?? 0
    let isVerbatim = shell != .fish || version > 3
    let text = isVerbatim ? Self.unquoted(word) : word
    guard word.startsWithScalars("~/"), let home = getenv("HOME") else {
      self.text = text
      return
    }
    self.text = String(cString: home) + text.dropFirst()
  }

  /// Quotes as bash reads them (bash(1), QUOTING); one that is still open ends with the word.
  private static func unquoted(_ word: String) -> String {
    var text = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    var isEscaped = false
    for character in word.unicodeScalars {
      if isEscaped {
        // Within double quotes a backslash stands for itself before most characters.
        if quote == "\"", !"\"\\$`".unicodeScalars.contains(character) { text.append("\\") }
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return String(text)
  }

  /// Names for the script of a shell. ArgumentParser's scripts give the candidates of bash to
  /// `compgen -W`, which expands them: unquoted, `$(…)` in the name of a job would be run. In zsh, a
  /// colon would begin a description. Each name is given once; those of several lines are left out.
  static func candidates(
    _ names: [String], for shell: CompletionShell? = .requesting
  ) -> [String] {
    var seen: Set<String> = []
    let distinct = names.filter { name in
      !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        && seen.insert(name).inserted
    }
    switch shell {
    case .bash: return distinct.map(shellQuoted)
    case .zsh:
      return distinct.map {
        $0.replacingScalars("\\", with: "\\\\").replacingScalars(":", with: "\\:")
      }
    default: return distinct
    }
  }
}

extension ArgumentHelp {
  /// The help of an option or an argument whose value has a name.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: name)
  }
}
