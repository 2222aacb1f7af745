import Diagnosis
import JSON
import SystemPackage
import Transcripts

/// A list of the sound files of a data set, with what is said in each: one line a file.
package struct DataSetManifest: Sendable, Hashable, Codable {
  /// What reads it, which decides its fields.
  package enum Form: String, Sendable, Hashable, CaseIterable, Codable {
    /// NVIDIA NeMo: an object of JSON a line.
    case nemo
    /// Hugging Face's `audiofolder`: an object of JSON a line, or CSV.
    case audiofolder
    /// LJ Speech: a name and twice its text, with `|` between.
    case ljspeech
    /// Mozilla Common Voice: a table with tabs.
    case commonvoice

    /// The extensions of its files, the usual one first.
    package var extensions: [String] {
      switch self {
      case .nemo: ["jsonl", "json"]
      case .audiofolder: ["jsonl", "csv"]
      case .ljspeech: ["csv", "txt"]
      case .commonvoice: ["tsv"]
      }
    }

    /// The only stem that readers take; nil: any.
    package var stem: String? { self == .audiofolder ? "metadata" : nil }
  }

  /// Where the file will be.
  @CodedPath package var path: FilePath
  /// What reads it.
  package var form: Form
  /// Where it was written.
  package var origin: Origin

  /// A manifest at `path`.
  package init(path: FilePath, form: Form, origin: Origin = .unknown) {
    self.path = path
    self.form = form
    self.origin = origin
  }

  /// A sound file of a data set.
  package struct Line: Sendable, Hashable {
    /// Where the file is.
    package var path: FilePath
    /// Its frames.
    package var frameCount: Int64
    /// Frames a second.
    package var sampleRate: Int
    /// What is said in it.
    package var utterance: Utterance

    /// A file at `path` of so many frames.
    package init(path: FilePath, frameCount: Int64, sampleRate: Int, utterance: Utterance) {
      self.path = path
      self.frameCount = frameCount
      self.sampleRate = sampleRate
      self.utterance = utterance
    }
  }
}

/// What is said in a sound file.
package struct Utterance: Sendable, Hashable, Codable {
  /// The words, on one line.
  package var text: String
  /// Who says them; nil: not known.
  package var speaker: String?
  /// As BCP 47 has it, for example `en-GB`; nil: not known.
  package var language: String?

  /// What `speaker` says.
  package init(_ text: String, speaker: String? = nil, language: String? = nil) {
    self.text = text.onOneLine
    self.speaker = speaker.map(\.onOneLine)
    self.language = language.map(\.onOneLine)
  }
}

extension String {
  /// The text with one space for each run of blanks, tabs and line ends, and none at its ends; none for
  /// a line end between two letters of a script without spaces. O(n)
  package var onOneLine: String { SpokenText.onOneLine(self) }
}

// MARK: - Its bytes

extension DataSetManifest {
  /// The whole file, with a line for each of `lines`, in their order. O(n)
  ///
  /// - Parameters:
  ///   - lines: The files, each with the path by which a process opens it.
  ///   - currentDirectory: Absolute; relative paths count from it.
  /// - Returns: UTF-8 with line feeds. Paths count from the manifest's folder; a length is that of the
  ///   file.
  /// - Throws: A `Failure` (`mendJob`), where a file has a name that the form cannot hold.
  package func bytes(of lines: [Line], in currentDirectory: FilePath) throws(Failure) -> [UInt8] {
    var text = header.map { $0 + "\n" } ?? ""
    var names: Set<String> = []
    // Readers take the columns of the first line for those of all.
    let known = (
      speakers: lines.contains { $0.utterance.speaker != nil },
      languages: lines.contains { $0.utterance.language != nil }
    )
    for line in lines {
      let relative = line.path.relative(to: path.removingLastComponent(), in: currentDirectory)
      let name = form == .ljspeech ? relative.nameWithoutExtension : relative
      guard let name = String(validating: name), holds(name) else {
        throw Failure(
          .mendJob, "has a name that a manifest of the form '\(form.rawValue)' cannot hold",
          path: line.path, origin: origin)
      }
      if form == .ljspeech, !names.insert(name).inserted {
        throw Failure(
          .mendJob,
          "is the second file of the name '\(name)', and the form 'ljspeech' has names without folders",
          path: line.path, origin: origin)
      }
      text += fields(of: line, named: name, known) + "\n"
    }
    return Array(text.utf8)
  }

  private var isCSV: Bool { form == .audiofolder && path.extension?.lowercased() == "csv" }

  /// The columns of a table that names them.
  private var header: String? {
    switch form {
    case .audiofolder where isCSV: "file_name,text,speaker,language"
    // The columns of a release that readers look for; without what nobody has said.
    case .commonvoice:
      "client_id\tpath\tsentence\tup_votes\tdown_votes\tage\tgender\taccents\tlocale\tsegment"
    case .nemo, .audiofolder, .ljspeech: nil
    }
  }

  /// Whether a file's name can stand in a line. Tables without quotes hold no separator.
  private func holds(_ name: String) -> Bool {
    switch form {
    case .ljspeech: !name.containsScalars("|") && !name.contains(where: \.isNewline)
    case .commonvoice: !name.contains("\t") && !name.contains(where: \.isNewline)
    case .nemo, .audiofolder: true
    }
  }

  /// The fields of a line; `known` says whether any line has a speaker, and a language.
  private func fields(
    of line: Line, named name: String, _ known: (speakers: Bool, languages: Bool)
  ) -> String {
    let said = line.utterance
    func optional(_ text: String?) -> JSONValue? { text.map { .text($0) } }
    switch form {
    case .nemo:
      let seconds = Double(line.frameCount) / Double(max(1, line.sampleRate))
      return JSONValue.members([
        "audio_filepath": .text(name), "duration": .number(seconds, decimals: 6),
        "text": .text(said.text), "lang": optional(said.language),
        "speaker": optional(said.speaker),
      ]).line
    case .audiofolder where isCSV:
      return [name, said.text, said.speaker ?? "", said.language ?? ""].map(Self.quoted)
        .joined(separator: ",")
    case .audiofolder:
      return JSONValue.members([
        "file_name": .text(name), "text": .text(said.text),
        "speaker": known.speakers ? optional(said.speaker) ?? .null : nil,
        "language": known.languages ? optional(said.language) ?? .null : nil,
      ]).line
    case .ljspeech:
      let text = said.text.replacingScalars("|", with: " ").onOneLine
      return [name, text, text].joined(separator: "|")
    case .commonvoice:
      return [
        said.speaker ?? "", name, said.text, "0", "0", "", "", "", said.language ?? "", "",
      ].joined(separator: "\t")
    }
  }

  /// A field of CSV (RFC 4180 §2).
  private static func quoted(_ text: String) -> String {
    let isPlain = !text.containsScalars("\"") && !text.containsScalars(",")
    guard !isPlain || text.contains(where: \.isNewline) else { return text }
    return "\"" + text.replacingScalars("\"", with: "\"\"") + "\""
  }
}

extension FilePath {
  /// The last name without its extension.
  fileprivate var nameWithoutExtension: FilePath {
    stem.map { FilePath($0) } ?? self
  }
}
