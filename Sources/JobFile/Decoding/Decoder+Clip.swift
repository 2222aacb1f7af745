import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import YAML

struct FoundClip {
  var item: Item
  var file: FilePattern.Match?
}

extension Decoder {
  /// The items of a clip text: one, or in a list one for each file of its pattern. `fields` are
  /// those of the map around the text.
  func clips(
    _ text: Text, _ fields: Fields?, _ scope: Scope, in context: ItemContext
  ) -> [FoundClip] {
    var suspicion: ClipText.MalformedRange?
    let clip = ClipText(text.string, suspicion: &suspicion)
    guard clip.range != nil || !ClipText.isRange(text.string) else {
      sink.error("a range without a file", at: text.origin, help: "write 'host.wav \(text.string)'")
      return []
    }
    var range = clip.range.map { located($0, in: text) }
    range?.isCue = scope.cue?.clip == text.string
    if let range { refuseSecondRange(fields, beside: range, in: text) }
    if let source = sources[clip.path] {
      guard var item = self.source(source, scope) else { return [] }
      item.range = range ?? item.range
      item.origin = text.origin
      return [FoundClip(item: item)]
    }
    let origin = clip.range == nil ? text.origin : text.origin(of: clip.pathRange, in: map)
    func item(_ location: MediaLocation) -> Item {
      var item = Item(.clip(MediaReference(location, origin: origin)), origin: text.origin)
      item.range = range
      return item
    }
    if MediaURL.scheme(of: clip.path) != nil {
      let isElement = context.isList && fields == nil
      return address(clip.path, of: text, at: origin, suspicion, isElement: isElement).map {
        [FoundClip(item: item(.remote($0)))]
      } ?? []
    }
    let pattern = text.pattern(clip.pathRange)
    if context.isList, FilePattern.isPattern(pattern),
      isPattern(text.path(clip.path), in: text.folder)
    {
      return matches(pattern, at: origin, in: text.folder).map {
        FoundClip(item: item(.file($0.path)), file: $0)
      }
    }
    return path(clip, of: text, at: origin, suspicion, in: context).map {
      [FoundClip(item: item(.file($0)))]
    } ?? []
  }

  /// Whether a path has wildcards, and is no file itself.
  private func isPattern(_ path: String, in folder: FilePath) -> Bool {
    (try? Self.checkPath(path)) != nil && kind(of: self.path(path, in: folder)) == nil
  }

  /// The file in a clip text.
  private func path(
    _ clip: ClipText, of text: Text, at origin: Origin, _ suspicion: ClipText.MalformedRange?,
    in context: ItemContext
  ) -> FilePath? {
    let name = text.path(clip.path)
    if let lastFile, lastFile.name == name, lastFile.folder == text.folder {
      return lastFile.path
    }
    let path: FilePath
    do throws(QuantityError) {
      try Self.checkPath(name)
      path = self.path(name, in: text.folder)
      try checkEnd(of: name, path, .input)
    } catch {
      let isLeftOut = name.isEmpty && !text.isPlain && context != .job
      sink.error(
        error.message, at: origin,
        help: isLeftOut ? "name a file, or leave the item out by 'when: \"${…}\"'" : error.help)
      return nil
    }
    guard kind(of: path) != .file else {
      lastFile = (name, text.folder, path)
      return path
    }
    if kind(of: path) == nil {
      if FilePattern.isPattern(text.pattern(clip.pathRange)) {
        sink.error(
          "a wildcard stands for several files", at: origin,
          help: "put it into a list: [\"\(clip.path)\"]")
        return nil
      }
      if let suspicion {
        refuse(suspicion, in: text)
        return nil
      }
      if context.isList, let error = timeError(clip.path) {
        sink.error(error, at: origin, help: "a file of that name is './\(clip.path)'")
        return nil
      }
    }
    checkFile(path, at: origin, name: name, in: text.folder, isMedium: true)
    return path
  }

  /// Reads the address `written` in `text`.
  ///
  /// - Parameters:
  ///   - written: The whole text, or what stands before its range.
  ///   - text: The text.
  ///   - origin: Where `written` stands.
  ///   - suspicion: Why the last word is no range, if it looks like one: no address has a blank.
  ///   - isElement: Whether the text is an element of a list.
  /// - Returns: nil, after a report, if it is none.
  func address(
    _ written: String, of text: Text, at origin: Origin,
    _ suspicion: ClipText.MalformedRange? = nil, isElement: Bool
  ) -> MediaURL? {
    if let suspicion {
      refuse(suspicion, in: text)
      return nil
    }
    let url = checked(at: origin) { () throws(QuantityError) in try Self.address(written) }
    guard let url, isElement, text.isPlain, isCutByComma(origin) else { return url }
    sink.error(
      "'\(url)' ends at a comma", at: origin,
      help: "inside [] a comma ends a text; quote the address, or write a space behind the comma")
    return nil
  }

  /// Reports a word of `text` that looks like a range, and is none.
  func refuse(_ malformed: ClipText.MalformedRange, in text: Text) {
    sink.error(
      malformed.error.message, at: text.origin(of: malformed.range, in: map),
      help: malformed.error.help)
  }

  /// `[https://x?a,b]`: the second half of an address became an item.
  private func isCutByComma(_ origin: Origin) -> Bool {
    guard let place = map.place(of: origin) else { return false }
    let rest = map.line(at: place).unicodeScalars.dropFirst(place.column - 1 + place.length)
    guard rest.first == ",", let next = rest.dropFirst().first else { return false }
    return MediaURL.scheme(of: String(rest.dropFirst())) == nil
      && !" \t\"'[]{}#".unicodeScalars.contains(next)
  }

  /// The error of a word in a list that looks like a time and is none.
  private func timeError(_ word: String) -> String? {
    guard let first = word.utf8.first, (0x30...0x39).contains(first) else { return nil }
    let looksLikeTime = word.contains(":") || !word.contains(".") || word.count < 8
    let isWord = word.unicodeScalars.allSatisfy {
      $0.isASCIIDigit || $0 == ":" || $0 == "." || $0 == " " || $0.properties.isAlphabetic
    }
    guard looksLikeTime, isWord, !hasFileExtension(word) else { return nil }
    do throws(TimeTextError) {
      _ = try TimeText(parsing: word)
      return nil
    } catch {
      return error.message
    }
  }

  private func hasFileExtension(_ word: String) -> Bool {
    guard let suffix = FilePath(word).extension?.unicodeScalars.first else { return false }
    return suffix.properties.isAlphabetic
  }

  /// Refuses `path` if it is no file. A missing medium is recorded, and not reported yet: another
  /// job may write it, and other jobs may run without it.
  ///
  /// - Parameters:
  ///   - path: The path to open.
  ///   - origin: Where it is named.
  ///   - name: Its spelling there.
  ///   - folder: The base of that spelling; nil: the job file's.
  ///   - isMedium: Whether another job may write it.
  ///   - isAlone: Whether its key takes one medium, and no list of them.
  ///   - mayBeMissing: Whether jobs that do without it may run: not without a job file.
  func checkFile(
    _ path: FilePath, at origin: Origin, name: String? = nil, in folder: FilePath? = nil,
    isMedium: Bool = false, isAlone: Bool = false, mayBeMissing: Bool = true
  ) {
    let kind = kind(of: path)
    guard kind != .file, !InputBinding.isUnknown(path) else { return }
    guard notedMissing.insert(Located(path, at: origin)).inserted else { return }
    let isNamed = missing.media.count < DiagnosticSink.suggestionLimit
    var help = isNamed && kind == nil ? help(for: name, in: folder ?? self.folder) : nil
    if kind == .folder, isAlone { help = "name a file in it" }
    let file = MissingFile(
      path: path, origin: origin, isThere: kind, isNamed: map.showsWords(at: origin), name: name,
      help: help,
      isMedium: isMedium, files: files)
    guard !isMedium else {
      missing.media.append(file)
      return
    }
    guard !sink.drops(at: origin) else { return }
    let report = file.diagnostic(suggesting: sink.isSuggesting)
    if kind == nil, mayBeMissing {
      missing.files.append(file)
      missing.reports.insert(report)
    }
    sink.add(report)
  }

  /// Names in `sources` that messages may show.
  var shownSources: [String] {
    sources.values.filter { map.showsWords(at: $0.keyOrigin) }.map(\.key).sorted()
  }

  /// A correction for a clip's text that names no file.
  private func help(for name: String?, in folder: FilePath) -> String? {
    guard let name else { return nil }
    if let first = name.first, "“”„‘’«»".contains(first) {
      return "'\(first)' is a letter of the name here: write plain quotes, or none"
    }
    if let help = dashHelp(for: name, in: folder) { return help }
    if let source = Spelling.nearest(to: name, among: shownSources) {
      return "did you mean the source '\(source)'?"
    }
    guard let file = name.split(separator: " ").first.map(String.init), file != name,
      sources[file] != nil || kind(of: path(file, in: folder)) == .file
    else { return nil }
    let range = Self.range(meantBy: String(name.dropFirst(file.count)))
    return range.map { "write '\(file) \($0)'" }
      ?? "a range is one word behind the file, as '\(file) 1:00..2:30'"
  }

  /// Help with a list in which a dash has no space behind it: YAML reads its items as one text.
  private func dashHelp(for name: String, in folder: FilePath) -> String? {
    let parts = (" " + name).split(separator: " -", omittingEmptySubsequences: false).map(trimmed)
    guard parts.count > 1, let item = parts.dropFirst().first(where: { !$0.isEmpty }) else {
      return nil
    }
    let isList = name.hasPrefix("-") || kind(of: path(parts[0], in: folder)) == .file
    return isList ? "a space stands after the '-' of a list: '- \(item)'" : nil
  }

  // MARK: Ranges

  /// A correction of `1:00-2:30` or `from 1:00 to 2:30` to a range; nil unless it has two times.
  static func range(meantBy text: String) -> String? {
    let words = text.split { " -–—,".contains($0) }.map(String.init)
    let times = words.filter { (try? TimeText(parsing: $0)) != nil }
    let others = Set(words).subtracting(times)
    guard times.count == 2, others.isSubset(of: ["from", "to", "until", "till"]) else { return nil }
    return "\(times[0])..\(times[1])"
  }

  func located(_ range: ClipText.ParsedRange, in text: Text) -> ItemRange {
    let end: ItemRange.End? = range.end.map { end in
      switch end {
      case .moment(let moment, let place):
        .moment(Located(moment, at: text.origin(of: place, in: map)))
      case .duration(let duration, let place):
        .duration(Located(duration, at: text.origin(of: place, in: map)))
      }
    }
    return ItemRange(
      from: range.from.map { Located($0.moment, at: text.origin(of: $0.range, in: map)) }, end: end)
  }

  private func refuseSecondRange(_ fields: Fields?, beside range: ItemRange, in text: Text) {
    for key in ["from", "to", "duration"] {
      guard let entry = fields?[key] else { continue }
      sink.error(
        "'\(key)' beside a range", at: entry.keyOrigin, help: "keep one of them",
        notes: [.init("the range is here", at: range.origin ?? text.origin)])
    }
  }

  // MARK: Sources

  /// The item of a name in `sources`: a clip with defaults.
  func source(_ entry: YAMLEntry, _ scope: Scope) -> Item? {
    shared(entry.value, in: scope) { () -> Item? in
      // Names in a source are paths, also in its insertions.
      let names = sources
      sources = [:]
      defer { sources = names }
      guard case .mapping = entry.value.kind else {
        return text(entry.value, scope, as: .medium).flatMap { text -> Item? in
          clips(text, nil, scope, in: .track).first?.item
        }
      }
      guard let fields = fields(of: entry.value, as: Language.source) else { return nil }
      var contents = SourceContents(fields: fields)
      Language.sourceContents.read(fields, self, scope, into: &contents)
      guard var item = contents.item else { return nil }
      if case .clip(var reference) = item.content {
        reference.sha256 = contents.sha256
        item.content = .clip(reference)
      }
      modify(&item, by: fields, scope, in: .track)
      return item
    }
  }
}

/// A source, while its keys are read.
struct SourceContents {
  let fields: Fields
  var item: Item?
  var sha256: Located<String>?
}

extension Language {
  static let sourceContents: Keys<SourceContents> = Keys([
    Key("file", as: Values.location, "the file's path or its address, taken literally") {
      entry, decoder, scope, source in
      source.item = decoder.location(entry.value, scope).map { location in
        if let path = location.value.file {
          decoder.checkFile(path, at: location.origin, isMedium: true, isAlone: true)
        }
        return Item.clip(location.value, origin: location.origin)
      }
    },
    Key("sha256", Values.sha256, "the file's SHA-256: any other content is refused") {
      source, digest in
      source.sha256 = digest
    },
    Key("clip", as: Values.clip, "a media file, and a range of it") {
      entry, decoder, scope, source in
      source.item = decoder.text(entry.value, scope, as: .medium).flatMap { text -> Item? in
        decoder.clips(text, source.fields, scope, in: .track).first?.item
      }
    },
  ])

  /// An entry of `sources`: a file, and defaults for its clips.
  static let source: Schema = Schema(
    "a source",
    keys: sourceContents.facts + modifiers.without(["duck", "name", "each", "of", "when"]).facts,
    rules: itemRules + [
      .one(
        of: ["file", "clip"], missing: "a source needs a 'file' or a 'clip'",
        help: "write { file: media/host.wav }", note: "the file is named here")
    ], conditions: { [["properties": ["at": Values.placeInList]], rangeCondition] })
}
