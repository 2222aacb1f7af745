extension JobFile {
  /// The keys of the language as a page of Markdown: `docs/reference.md`.
  package static let reference: String = {
    let intro = """
      # Reference: every key

      Each map of a job file, the keys that it may have, and how their values are written. This page is
      made from the tables that `avjob` reads job files by: `avjob schema all` prints it, and a test
      compares it. [job-language.md](job-language.md) explains the keys with examples,
      [glossary.md](glossary.md) the terms.


      """
    return intro + Language.maps.map(\.section).joined(separator: "\n")
  }()

  /// The part of the reference about one map.
  ///
  /// - Parameter name: `item`, `job`, `output` …; case does not count.
  /// - Returns: Markdown; nil where there is no such map.
  package static func reference(of name: String) -> String? {
    Language.maps.first { $0.name.lowercased() == name.lowercased() }?.section
  }

  /// The texts that a key of an output has as a value, as a shell takes them: `'16 bit', '24 bit' or copy`.
  ///
  /// - Parameter key: `caf`, `vorbis` …
  /// - Returns: The words; empty where there is no such key.
  package static func texts(ofOutputKey key: String) -> String {
    // Its own form has a map, too.
    let form = key == "wav" ? Values.wavePCM.form : Language.output[key]?.form
    return form?.example.replacing(/'(\S+)'/) { $0.output.1 } ?? ""
  }

  /// The names that `reference(of:)` takes.
  package static let referenceNames = Language.maps.map(\.name)
}

extension Schema {
  /// Its part of the reference page.
  fileprivate var section: String {
    var lines = ["## \(title)", ""]
    lines += ["| key | value | |", "| --- | --- | --- |"]
    for key in keys {
      lines.append("| `\(key.name)` | \(Self.code(key.form.example)) | \(Self.code(key.help)) |")
    }
    if isOpen { lines.append("| any other | a text, or a list of texts | a tag of that name |") }
    if !rules.isEmpty { lines += [""] + rules.map { "- \($0.kind.sentence)" } }
    return lines.joined(separator: "\n") + "\n"
  }

  private var title: String {
    let name = name
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Quoted words as code, without characters that end a table's cell.
  private static func code(_ text: String) -> String {
    var result = ""
    var isOpen = false
    var last: Character = " "
    for character in text {
      let isQuote =
        character == "'" && (isOpen ? last != " " : " ([,".contains(last))
      if isQuote {
        isOpen.toggle()
        result.append("`")
      } else {
        result += character == "|" ? "\\|" : String(character)
      }
      last = character
    }
    return result
  }
}
