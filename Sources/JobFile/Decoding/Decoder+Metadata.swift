import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition
import SystemPackage
import YAML

struct JobTags {
  var metadata = Metadata()
  var base: MetadataBase?
  /// How tags are read from the name of a file.
  var naming: NameTemplate?
  /// Where the cover is written.
  var coverOrigin = Origin.unknown
  /// The keys that tags are given under, by what is the same for keys of one tag.
  fileprivate var given: [String: (key: String, origin: Origin)] = [:]
}

extension Values {
  /// Tags: any key, by FFmpeg's generic names, with one value or a list of them.
  static let metadata: MapNotation<JobTags> = MapNotation(
    "metadata", JobTags(), example: "tags, as { title: Intro, artist: Deep Fields }",
    others: { entry, decoder, scope, tags in
      decoder.warnOfTag(entry)
      let identity = TagValueForm.identity(of: entry.key)
      if let other = tags.given[identity] { return decoder.refuse(entry, asTagOf: other) }
      tags.given[identity] = (entry.key, entry.keyOrigin)
      guard let values = decoder.values(of: entry, scope) else { return }
      decoder.requirePairs(values, of: entry)
      decoder.requireOne(values, of: entry)
      tags.metadata.set(values, of: TagValueForm.name(of: entry.key))
    },
    [
      Key("cover", as: cover, "a JPEG or PNG picture; \"\" for none") {
        entry, decoder, scope, tags in
        if entry.value.isEmptyText {
          tags.metadata.removesCover = true
        } else {
          tags.coverOrigin = entry.value.origin
          tags.metadata.cover = decoder.cover(entry.value, scope.inFiles).map { .picture($0) }
        }
      },
      Key(
        "from", as: media,
        "a source or a file whose tags and cover are taken, or the form of names that hold tags, as '${artist} - ${title}'; \"\" for none"
      ) { entry, decoder, scope, tags in
        if let naming = decoder.nameTemplate(entry.value, scope.inFiles) {
          tags.naming = naming
        } else {
          tags.base = entry.value.isEmptyText ? .nothing : decoder.base(entry.value, scope.inFiles)
        }
      },
    ])
}

extension Scope {
  /// The scope for names of files, which are the same for all parts.
  fileprivate var inFiles: Scope { with(part: part == .none ? .none : .elsewhere) }
}

extension Decoder {
  /// Tags, a cover, and `from`. An empty text stands for none.
  func metadata(_ node: YAMLNode, _ scope: Scope) -> JobTags {
    shared(node, in: scope) {
      if case .mapping(let entries) = node.kind, entries.count > Metadata.mostItems {
        sink.error(
          "\(entries.count) tags: at most \(Metadata.mostItems) are written", at: node.origin,
          help: "leave some of them out")
        return JobTags()
      }
      return Values.metadata.read(node, self, scope) ?? JobTags()
    }
  }

  /// One text, or several in a list; an empty list, as an empty text, takes the tag away.
  fileprivate func values(of entry: YAMLEntry, _ scope: Scope) -> [String]? {
    guard case .sequence(let nodes) = entry.value.kind else {
      return text(entry.value, scope).map { [tagValue($0, of: entry.key)] }
    }
    guard nodes.count <= Metadata.mostItems else {
      sink.error(
        "\(nodes.count) values of '\(entry.key)': at most \(Metadata.mostItems) are written",
        at: entry.value.origin, help: "leave some of them out")
      return nil
    }
    let values = nodes.compactMap { text($0, scope) }.filter { !$0.string.isEmpty }
    return values.isEmpty ? [""] : values.map { tagValue($0, of: entry.key) }
  }

  /// A value of a tag, with a warning where it does not have the tag's form: some formats would hold it as a
  /// tag that no player shows. Of a split job, a value with variables of the part is not known yet.
  private func tagValue(_ text: Text, of key: String) -> String {
    let value = text.string
    guard !value.isEmpty, !value.containsScalars("${"), let form = TagValueForm(of: key),
      !form.holds(value)
    else { return value }
    guard form != .frames else {
      refuse(value, of: key, form, at: text.origin)
      return value
    }
    sink.add(
      Diagnostic(
        .warning, "'\(key)' is \(form.description); '\(value)' is written as it is",
        at: text.origin,
        help: form.meant(by: value).map { "write '\($0)'" }
          ?? "players read no other form, and some formats have no place for it"))
    return value
  }

  /// Refuses a value that no output could have as its tag's number.
  func refuse(_ value: String, of key: String, _ form: TagValueForm, at origin: Origin) {
    sink.error(
      "'\(key)' is \(form.description), and not '\(value)'", at: origin,
      help: "write " + (form.meant(by: value).map { "'\($0)'" } ?? Job.timeReferenceHelp))
  }

  /// Refuses several values of a tag that is one number.
  fileprivate func requireOne(_ values: [String], of entry: YAMLEntry) {
    guard values.count > 1, TagValueForm(of: entry.key) == .frames else { return }
    sink.error(
      "'\(entry.key)' is one number, and not \(values.count)", at: entry.value.origin,
      help: "keep one of them")
  }

  /// Refuses another key of a tag.
  fileprivate func refuse(_ entry: YAMLEntry, asTagOf other: (key: String, origin: Origin)) {
    sink.error(
      "'\(entry.key)' and '\(other.key)' are one tag", at: entry.keyOrigin,
      help: "keep one of them", notes: [.init("the other one is here", at: other.origin)])
  }

  /// Refuses a list of functions and names in turns (ID3v2.4.0, 4.2.2, "TIPL") of which a name is
  /// missing.
  fileprivate func requirePairs(_ values: [String], of entry: YAMLEntry) {
    guard ["TIPL", "TMCL"].contains(entry.key.uppercased()), !values.count.isMultiple(of: 2),
      values != [""]
    else { return }
    sink.error(
      "'\(entry.key)' has functions and names in turns, and of \(values.count) the last one has no name",
      at: entry.value.origin, help: "write a list with a name behind each, as [producer, Max]")
  }

  /// Warns of a tag whose name resembles a standard one.
  func warnOfTag(_ entry: YAMLEntry) {
    // Looked for once, however many jobs share the key.
    let nearest = nearestTags[entry.key] ?? Self.knownTag(nearestTo: entry.key)
    nearestTags[entry.key] = .some(nearest)
    guard let nearest else { return }
    sink.add(
      Diagnostic(
        .warning, "'\(entry.key)' is not a known tag, and is written as it is",
        at: entry.keyOrigin, help: "did you mean '\(nearest)'?"))
  }

  /// The known tag that a key resembles; nil where it is one, or resembles none.
  private static func knownTag(nearestTo key: String) -> String? {
    let names = ID3Tag.tagNames + ["cover", "from"]
    // Numbers and dates are in no language: `track-no` is no Norwegian.
    let isInLanguage = ID3Tag.name(beforeLanguage: key).map { TagValueForm(of: $0) == nil } ?? false
    let isKnown = names.contains(key.lowercased()) || isInLanguage
    return isKnown ? nil : Spelling.nearest(to: key, among: names)
  }

  fileprivate func cover(_ node: YAMLNode, _ scope: Scope) -> MediaLocation? {
    guard let cover = location(node, scope) else { return nil }
    guard case .file(let path) = cover.value else { return cover.value }
    if path == self.path("none", in: node.folder ?? folder), kind(of: path) == nil {
      sink.error(
        "there is no file 'none'", at: cover.origin, help: "write \"\" for no cover")
      return nil
    }
    checkFile(path, at: cover.origin)
    return cover.value
  }

  /// The source, or the file, whose tags are used.
  fileprivate func base(_ node: YAMLNode, _ scope: Scope) -> MetadataBase? {
    medium(node, scope, whole: "tags are those of a whole file").map { .file($0) }
  }

  /// A whole medium, by its path or by a name of `sources`; `whole` refuses a range.
  func medium(_ node: YAMLNode, _ scope: Scope, whole: String) -> MediaReference? {
    guard let text = text(node, scope, as: .medium) else { return nil }
    if let source = sources[text.string] {
      guard case .clip(let reference)? = self.source(source, scope)?.content else { return nil }
      return reference
    }
    var suspicion: ClipText.MalformedRange?
    let hasRange = ClipText(text.string, suspicion: &suspicion).range != nil
    if hasRange, kind(of: path(text)) == nil {
      sink.error(
        "\(whole), not of a range", at: text.origin, help: "leave the range out")
      return nil
    }
    guard let location = location(node, scope) else { return nil }
    if let path = location.value.file {
      checkFile(path, at: location.origin, name: text.string, isMedium: true, isAlone: true)
    }
    return MediaReference(location.value, origin: location.origin)
  }
}

extension YAMLNode {
  /// Whether it is an empty text, which needs quotes.
  fileprivate var isEmptyText: Bool {
    if case .scalar(let scalar) = kind { scalar.text.isEmpty } else { false }
  }
}

// MARK: - Where chapters go

extension Decoder {
  /// The places in an output's `chapters`; the file itself without any.
  func chapterPlaces(
    _ entry: YAMLEntry?, of kind: Output.Kind?, _ scope: Scope
  ) -> ChapterPlaces {
    guard let entry else { return .standard }
    var places = ChapterPlaces(inFile: false)
    for word in placeWords(entry.value, scope) {
      if let sidecar = ChapterPlaces.Sidecar(rawValue: word.value) {
        places.sidecars.append(sidecar)
      } else if word.value == "file" {
        places.inFile = true
      } else if word.value == "id3" {
        places.inFile = true
        requireID3(kind, at: word.origin)
      } else {
        refusePlace(word, of: "chapters", among: Values.chapterPlaceNames)
      }
    }
    return places
  }

  private func requireID3(_ kind: Output.Kind?, at origin: Origin) {
    switch kind {
    case let kind? where kind.capabilities.hasID3: break
    case let kind?:
      sink.error(
        "\(kind.capabilities.name) has no ID3 tag", at: origin,
        help: "write 'file' for chapters inside the file, as \(kind.capabilities.name) has them")
    case nil:
      sink.error(
        "'id3' where the format is the clip's", at: origin,
        help: "write 'file' for chapters inside the file, as its format has them")
    }
  }
}
