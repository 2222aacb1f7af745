import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import TimeLists
import YAML

// MARK: - Lists of times

extension Decoder {
  /// The list in the file of `node`; nil, after a report, if there is none.
  func timeList(_ node: YAMLNode, _ scope: Scope) -> TimeList? {
    placedTimeList(node, scope)?.list
  }

  /// The list in the file of `node`, and where the file is.
  private func placedTimeList(
    _ node: YAMLNode, _ scope: Scope
  ) -> (place: MediaLocation, list: TimeList)? {
    guard let place = location(node, scope) else { return nil }
    if let path = place.value.file, InputBinding.isUnknown(path) { return nil }
    return timeList(at: place).map { (place.value, $0) }
  }

  private func timeList(at place: Located<MediaLocation>) -> TimeList? {
    if let path = place.value.file { texts.insert(path) }
    if let known = lists[place.value] { return known }
    let list = read(place)
    lists[place.value] = .some(list)
    return list
  }

  /// The ranges in a file, for keys that need ranges: each line has a start and an end.
  func listedRanges(_ node: YAMLNode, _ scope: Scope) -> [Located<ItemRange>] {
    guard let text = text(node, scope) else { return [] }
    guard !ClipText.isRange(text.string) else {
      sink.error(
        "'\(text.string)' is a range, and a list of them is meant", at: node.origin,
        help: "write [\(text.string)]")
      return []
    }
    if let range = Self.range(meantBy: text.string),
      kind(of: path(text)) == nil
    {
      sink.error(
        "'\(text.string)' is no range, and no list of them", at: node.origin,
        help: "write [\(range)]")
      return []
    }
    guard let (place, list) = placedTimeList(node, scope) else { return [] }
    if let known = listedRanges[place] { return known }
    let ranges = list.entries.compactMap { entry in
      if entry.range == nil {
        sink.error(
          "a moment, where a range is meant", at: entry.start.origin,
          help: "give it an end: a label over a range, or a line as '12:00..13:30'")
      }
      return entry.range.map { Located($0, at: entry.start.origin) }
    }
    listedRanges[place] = ranges
    return ranges
  }

  /// The chapters in a file.
  func listedChapters(_ node: YAMLNode, _ scope: Scope) -> [ItemChapter] {
    guard let (place, list) = placedTimeList(node, scope) else { return [] }
    if let known = listedChapters[place] { return known }
    let chapters = list.entries.compactMap { entry -> ItemChapter? in
      guard let title = entry.title else {
        sink.error(
          "a chapter without a title", at: entry.start.origin,
          help: "write the title behind the time, as '14:05 School'")
        return nil
      }
      return ItemChapter(title, at: entry.start)
    }
    listedChapters[place] = chapters
    return chapters
  }

  /// What is in a list or a table of a job; nil, after a report, if it cannot be read.
  func contents(
    of path: Located<FilePath>, limit: Int, as text: MediaInstead.Text
  ) -> FileContents? {
    guard kind(of: path.value) == .file else {
      checkFile(path.value, at: path.origin)
      return nil
    }
    return contents(of: Located(.file(path.value), at: path.origin), named: path.value, as: text) {
      try files.contents(of: path.value, limit: limit)
    }
  }

  /// What `read` gives of a text, whose file is called `name`; nil, after a report, if it cannot be
  /// read.
  private func contents(
    of place: Located<MediaLocation>, named name: FilePath, as text: MediaInstead.Text,
    _ read: () throws -> FileContents
  ) -> FileContents? {
    func isMedia(_ bytes: [UInt8]?) -> Bool {
      let found = MediaInstead.diagnostic(insteadOf: text, of: name, bytes, at: place.origin)
      if let found { sink.add(found) }
      return found != nil
    }
    do {
      let contents = try read()
      if let path = place.value.file { textIdentities[path] = contents.identity }
      return isMedia(contents.bytes) ? nil : contents
    } catch let error as FileTooLarge {
      guard place.value.url != nil || !isMedia(nil) else { return nil }
      sink.error(
        "'\(place.value)' has more than \(error.limit >> 20) MiB: that is no \(text.noun)",
        at: place.origin, help: "split it, if it is one")
    } catch let failure as Failure {
      sink.add(Diagnostic(failure, at: place.origin))
    } catch {
      let (reason, help) = JobFile.reason(error)
      sink.error("'\(place.value)' \(reason)", at: place.origin, help: help)
    }
    return nil
  }

  /// What is in a text of a file or a server, its name in messages, and whether they may quote it;
  /// nil, after a report, if it cannot be read.
  func bytes(
    of place: Located<MediaLocation>, limit: Int, as text: MediaInstead.Text
  ) -> (bytes: [UInt8], name: FilePath, isQuoted: Bool)? {
    switch place.value {
    case .file(let path):
      return contents(of: Located(path, at: place.origin), limit: limit, as: text).map {
        ($0.bytes, path, isQuoted($0))
      }
    case .remote(let url):
      let last = FilePath(url.lastComponent)
      let contents = contents(of: place, named: last, as: text) {
        FileContents(try files.contents(of: url, limit: limit), at: last)
      }
      // What a server sent is not printed: it may be anybody's.
      return contents.map { ($0.bytes, FilePath(url.authority + url.path), false) }
    case .source(let source):
      // No text of a job names one.
      sink.error("'\(source.name)' is no file", at: place.origin)
      return nil
    }
  }

  private func read(_ place: Located<MediaLocation>) -> TimeList? {
    guard let text = bytes(of: place, limit: TimeList.sizeLimit, as: .list) else { return nil }
    let result = TimeList.read(
      text.bytes, path: text.name, named: place.origin, isQuoted: text.isQuoted, in: map)
    sink.add(result.sink)
    return result.sink.diagnostics.errors.isEmpty ? result.list : nil
  }

  /// Times and titles of a map.
  private func timeList(_ entries: [YAMLEntry], _ scope: Scope) -> TimeList {
    TimeList(
      entries.compactMap { entry in
        let title = text(entry.value, scope)?.string
        guard let start = keyMoment(entry) else { return nil }
        if case .item = start.value.anchor {
          sink.error(
            "'\(entry.key)' is a time of another item", at: start.origin,
            help: "parts begin at times of the whole, as 14:05")
          return nil
        }
        return TimeList.Entry(title.flatMap { $0.isEmpty ? nil : $0 }, from: start)
      })
  }
}

// MARK: - Split

extension Decoder {
  /// The split of a job; nil if it was refused.
  func split(_ node: YAMLNode, _ scope: Scope) -> Split? {
    shared(node, in: scope) {
      points(node, scope).map { Split($0, origin: node.origin) }
    }
  }

  private func points(_ node: YAMLNode, _ scope: Scope) -> Split.Points? {
    let schema = Language.split
    guard case .mapping(let entries) = node.kind else {
      guard let text = text(node, scope) else { return nil }
      if text.string == "chapters" { return .chapters }
      if text.string == "cues" { return .cues(CueParts()) }
      if let key = schema[text.string], kind(of: path(text)) == nil {
        sink.error(
          "'\(key.name)' needs a value", at: node.origin,
          help: key.name == "every"
            ? "write { every: 10m }" : "write { silence: 2s, below: -50 dB }")
        return nil
      }
      if (try? TimeText(parsing: text.string)) != nil,
        kind(of: path(text)) == nil
      {
        sink.error(
          "'\(text.string)' is a length, not a list", at: node.origin,
          help: "write { every: \(text.string) } for parts of that length")
        return nil
      }
      guard !refusesMisspelt(text, of: ["chapters", "cues"]) else { return nil }
      return timeList(node, scope).map(Split.Points.list)
    }
    guard node.hasKey(of: schema) else {
      if entries.isEmpty { refuseEmpty(node, Values.split) }
      // `{ evry: 10m }`
      for entry in entries {
        guard let help = Spelling.help(for: entry.key, among: schema.names) else { continue }
        sink.error("unknown key '\(entry.key)'", at: entry.keyOrigin, help: help)
        return nil
      }
      let list = timeList(entries, scope)
      return list.entries.isEmpty ? nil : .list(list)
    }
    guard let fields = fields(of: node, as: schema) else { return nil }
    if let every = fields["every"] {
      return Values.length.read(every.value, self, scope).map(Split.Points.every)
    }
    if let cues = fields["cues"] {
      return Values.cueParts.read(cues.value, self, scope).map(Split.Points.cues)
    }
    return silencePoints(fields, scope)
  }

  /// Refuses a text that is no file, and nearly one of the words that stand in place of a file.
  ///
  /// - Returns: Whether it did.
  func refusesMisspelt(_ text: Text, of words: [String]) -> Bool {
    guard MediaURL.scheme(of: text.string) == nil, kind(of: path(text)) == nil,
      files.nearestEntry(to: path(text), of: [.file]) == nil,
      let help = Spelling.help(for: text.string, among: words)
    else { return false }
    sink.error("there is no file '\(text.string)'", at: text.origin, help: help)
    return true
  }

  /// Parts between silences; nil if they were refused.
  private func silencePoints(_ fields: Fields, _ scope: Scope) -> Split.Points? {
    let least = fields["silence"].flatMap { Values.silence.read($0.value, self, scope) }
    let level = fields["below"].flatMap { Values.silenceLevel.read($0.value, self, scope) }
    let lengths = Split.PartLengths(
      shortest: fields["shortest"].flatMap { Values.partLength.read($0.value, self, scope) },
      longest: fields["longest"].flatMap { Values.partLength.read($0.value, self, scope) })
    guard let least, let level else { return nil }
    return .silence(least, below: level.value, lasting: lengths)
  }

  /// Chapters at silences; nil if they were refused.
  func chapterSearch(_ node: YAMLNode, _ scope: Scope) -> ChapterSearch? {
    guard let fields = fields(of: node, as: Language.chapterSearch),
      let points = silencePoints(fields, scope)
    else { return nil }
    var search = ChapterSearch(Split(points, origin: node.origin))
    if let title = fields["title"] {
      guard let text = Values.chapterTitle.read(title.value, self, scope.with(part: .bound)) else {
        return nil
      }
      search.title = text.value
    }
    return search
  }

  /// Refuses outputs of a split job with one path for all parts.
  func refuseShared(_ files: WrittenFiles) {
    let paths =
      files.outputs.map { ($0.path, $0.origin) } + files.records.map { ($0.path, $0.origin) }
    for (path, origin) in paths where !PartTemplate.isTemplate(path) {
      sink.error(
        "every part would be written to '\(path)'", at: origin,
        help: "put the part into the path, as with '${part.n:02}'")
    }
  }

  /// A text that keeps the part's variables, for each part to fill in.
  func partText(
    _ template: Template, value: (Template.Reference) throws(VariableError) -> String
  ) throws(VariableError) -> String {
    var result = ""
    var plain = ""
    func close() {
      result += Template.literal(plain)
      plain = ""
    }
    for piece in template.pieces {
      switch piece {
      case .literal(let text, _): plain += text
      case .variable(let reference):
        guard reference.name.hasPrefix("part.") else {
          plain += try value(reference)
          continue
        }
        try checkPart(reference)
        guard !plain.endsWithScalars("$") else {
          throw VariableError(
            reference: reference, message: "'$' before a variable of the part reads as '$${'",
            help: "put something between them")
        }
        close()
        result += reference.text
      }
    }
    close()
    return result
  }

  private func checkPart(_ reference: Template.Reference) throws(VariableError) {
    guard Part.names.contains(reference.name) else {
      let nearest = Spelling.nearest(to: reference.name, among: Part.names)
      throw VariableError(
        reference: reference, message: "unknown variable '\(reference.name)'",
        help: nearest.map { "did you mean '${\($0)}'?" } ?? "a part has \(Part.names.quoted)")
    }
    guard reference.width == nil || Part.numbers.contains(reference.name) else {
      throw VariableError(
        reference: reference, message: "'\(reference.name)' is no whole number",
        help: "only whole numbers take leading zeros")
    }
  }
}

// MARK: - Ranges

extension Decoder {
  /// A text in a list of ranges.
  func range(_ node: YAMLNode, _ scope: Scope) -> Located<ItemRange>? {
    guard let text = text(node, scope) else { return nil }
    do throws(ClipText.MalformedRange) {
      guard let range = try ClipText.range(text.string[...], isAlone: true) else {
        let meant = Self.range(meantBy: text.string) ?? "12:00..13:30"
        sink.error(
          "'\(text.string)' is no range", at: text.origin, help: "write '\(meant)'")
        return nil
      }
      return Located(located(range, in: text), at: text.origin)
    } catch {
      refuse(error, in: text)
      return nil
    }
  }
}
