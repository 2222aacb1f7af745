import Diagnosis
import JSON
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import YAML

/// The place of an item, which decides the meaning of a bare text.
enum ItemContext {
  /// Wildcards stand for several items; a bare time is silence.
  case list
  /// A member of a list of insertions: wildcards and bare times mean what they do in `list`, and
  /// `at` may count from the end of the item around it.
  case insertion
  case track
  case job

  var isList: Bool { self == .list || self == .insertion }
}

struct ItemContents {
  let fields: Fields
  let context: ItemContext
  /// Several if a pattern found several files.
  var clips: [FoundClip] = []

  fileprivate mutating func hold(_ content: Item.Content) {
    clips = [FoundClip(item: Item(content, origin: fields.origin))]
  }
}

/// The job language as tables of keys, each beside its value in Swift.
enum Language {
  /// Keys of which an item has exactly one.
  static let contentNames = contents.facts.map(\.name)
  static let contentHelp = "give one of " + contentList
  private static let contentList = contentNames.quoted

  static let contents: Keys<ItemContents> = Keys([
    Key("clip", as: Values.clip, "a media file, or a name from 'sources', and a range of it") {
      entry, decoder, scope, contents in
      guard let text = decoder.text(entry.value, scope, as: .medium) else { return }
      contents.clips = decoder.clips(text, contents.fields, scope, in: contents.context)
    },
    Key("concat", Values.items, "items that follow one another") {
      if !$1.isEmpty { $0.hold(.concat(ItemSequence($1))) }
    },
    Key("tracks", Values.tracks, "sequences that sound together, each under its name") {
      if !$1.isEmpty { $0.hold(.tracks($1)) }
    },
    Key("silence", Values.time, "silence of this length") { $0.hold(.silence($1)) },
  ])

  /// The rules of every item.
  static let itemRules: [Schema.Rule] = [
    .atMostOne(of: ["to", "duration"], note: "the end is given here"),
    .atMostOne(of: ["cut", "keep"], note: "the other one is here"),
  ]

  static let wordlessSilence = Schema.Rule.atMostOne(
    of: ["silence", "transcript"], beside: "a silence has no words: leave 'transcript' out",
    note: "the silence is here")

  static let oneContentHelp = "an item is one of \(contentList); put both into a list"

  /// An item: its content, and its modifiers in the order in which they are applied.
  static let item: Schema = Schema(
    "an item", keys: contents.facts + modifiers.facts,
    rules: itemRules + [
      wordlessSilence,
      .one(
        of: contentNames, missing: "nothing sounds here",
        help: contentHelp, beside: oneContentHelp),
      .key(
        "stream", needs: ["clip"], "'stream' belongs to a clip", help: "write it beside the 'clip'"),
      .key("snap", needs: ["clip"], "'snap' belongs to a clip", help: "write it beside the 'clip'"),
      .key(
        "of", needs: ["each"], "'of' belongs to 'each: cue'",
        help: "write { each: cue, of: reader, clip: \"${cue.clip}\" }"),
      .key(
        "crossfade", apartFrom: "at", unless: "concat",
        help: "an item with 'at' starts there; a cross-fade would start it elsewhere",
        note: "the time is given here"),
    ], conditions: { [rangeCondition, silenceCondition] })

  /// A range is in the clip's text or in keys.
  static let rangeCondition: JSONValue = [
    "if": Schema.Rule.Kind.someOf(["from", "to", "duration"]).tree,
    "then": [
      "properties": [
        "clip": ["not": ["type": "string", "pattern": .text(Pattern.clipWithRange)]]
      ]
    ],
  ]

  /// A silence has no chapters to keep.
  static let silenceCondition: JSONValue = [
    "if": ["required": ["silence"]],
    "then": ["properties": ["chapters": ["not": ["const": "keep"]]]],
  ]
}

extension Decoder {
  /// The items of `node`: one, or those of a pattern in a list.
  func items(_ node: YAMLNode, _ scope: Scope, in context: ItemContext) -> [Item] {
    counted(node, in: scope) {
      switch node.kind {
      case .missing: return []
      case .sequence:
        sink.error(
          "a list in a list", at: node.origin,
          help: "write { concat: [...] } for a sequence in a sequence")
        return []
      case .scalar:
        guard let text = text(node, scope, as: .medium) else { return [] }
        if context.isList, let silence = silence(text) { return [silence].compactMap(counted) }
        return clips(text, nil, scope, in: context).compactMap { counted($0.item) }
      case .mapping:
        guard let fields = fields(of: node, as: Language.item) else { return [] }
        return scopes(fields, scope).flatMap { scope -> [Item] in
          guard !isLeftOut(fields, scope) else {
            if let name = fields["name"].flatMap({ text($0.value, scope)?.string }) {
              leftOutItems[name] = fields["when"]?.value.origin
            }
            return []
          }
          return items(fields, scope, in: context)
        }
      }
    }
  }

  private func scopes(_ fields: Fields, _ scope: Scope) -> [Scope] {
    guard let each = fields["each"] else { return [scope] }
    switch Values.each.read(each.value, self, scope)?.value {
    case nil: return []
    case .row:
      if let of = fields["of"] {
        sink.error(
          "'of' belongs to 'each: cue'", at: of.keyOrigin, help: "leave it out: a job has one table"
        )
      }
      return rows(each, scope)
    case .cue: return cues(of: fields, each, scope)
    }
  }

  /// Whether `when` leaves an item or a job out.
  func isLeftOut(_ fields: Fields, _ scope: Scope) -> Bool {
    guard let entry = fields["when"], let text = text(entry.value, scope) else { return false }
    return ["", "false", "no", "0"].contains(trimmed(text.string[...]).lowercased())
  }

  /// Whether `when` leaves out all that an element of a list, or a track, stands for.
  private func isLeftOut(_ node: YAMLNode, _ scope: Scope) -> Bool {
    guard case .mapping = node.kind, node.hasKey({ $0 == "when" }),
      let fields = fields(of: node, as: Language.item)
    else { return false }
    return scopes(fields, scope).allSatisfy { isLeftOut(fields, $0) }
  }

  private func refuseNothingLeft(at origin: Origin) {
    sink.error(
      "'when' leaves nothing over here", at: origin,
      help: "let something sound in any case, or give the whole a 'when'")
  }

  /// The scopes in which an item repeats: one for each row of the job.
  private func rows(_ each: YAMLEntry, _ scope: Scope) -> [Scope] {
    guard let rows = scope.loop?.rows else {
      if !scope.bindsUnknownNames {
        sink.error(
          "'each: row' belongs to 'rows', which this job has not", at: each.keyOrigin,
          help: "name a table, as 'rows: words.csv'")
      }
      return [scope]
    }
    guard rows.current == nil else {
      sink.error("'each: row' within another one", at: each.keyOrigin, help: "leave it out")
      return [scope]
    }
    return rows.rows.indices.map { index in
      var scope = scope
      scope.loop?.rows?.current = index
      return scope
    }
  }

  /// The items of a map's fields. In a job with a `for_each`, the default clip is its input.
  func items(_ fields: Fields, _ scope: Scope, in context: ItemContext) -> [Item] {
    guard !isExhausted else { return [] }
    var scope = scope
    scope.removal = scope.removal ?? CueBinding.Removal(of: fields.entries)
    var contents = ItemContents(fields: fields, context: context)
    Language.contents.read(fields, self, scope, into: &contents)
    if context == .job, fields.present(Language.contentNames).isEmpty {
      contents.clips = input(fields, scope)
    }
    // Read even without an item, so that all errors are reported in one pass.
    let isMissing = contents.clips.isEmpty
    if isMissing { contents.clips = [FoundClip(item: Item(.concat(ItemSequence([]))))] }
    let items = contents.clips.compactMap { clip -> Item? in
      var item = clip.item
      if context != .job { item.origin = fields.origin }
      var scope = scope
      if let file = clip.file { scope.found = binding(of: file) }
      modify(&item, by: fields, scope, in: context)
      return context == .job || isMissing ? item : counted(item)
    }
    return isMissing ? [] : items
  }

  /// The clip of a job without one: the file of its `for_each`.
  private func input(_ fields: Fields, _ scope: Scope) -> [FoundClip] {
    if let input = scope.input?.kind.medium {
      return [FoundClip(item: .clip(input.location, origin: origin(ofInput: fields)))]
    }
    // A job without a `for_each` breaks a rule, which was reported.
    if !fields.isIncomplete, fields["for_each"] != nil {
      sink.error(
        "nothing sounds here", at: fields.origin,
        help: scope.input != nil
          ? "'for_each' has values here, which are no files: add 'clip: ${input}.wav'"
          : Language.contentHelp)
    }
    return []
  }

  /// Where the files of a loop are written: its pattern or its list.
  private func origin(ofInput fields: Fields) -> Origin {
    guard let loop = fields["for_each"]?.value else { return fields.origin }
    return loop.entries.first { $0.key == "input" }?.value.origin ?? loop.origin
  }

  private func binding(of file: FilePattern.Match) -> InputBinding {
    InputBinding(
      kind: .file(file.path, below: file.folder), home: folder,
      currentDirectory: files.currentDirectory)
  }

  func list(_ node: YAMLNode, _ scope: Scope) -> [Item] {
    guard case .sequence(let nodes) = node.kind else { return [] }
    if nodes.isEmpty { refuseEmpty(node, Values.items.form) }
    let (elements, exclusions) = self.exclusions(among: nodes, scope)
    var items: [Item] = []
    items.reserveCapacity(elements.count)
    for element in elements { items += self.items(element, scope, in: .list) }
    if items.isEmpty, !elements.isEmpty, elements.allSatisfy({ isLeftOut($0, scope) }) {
      refuseNothingLeft(at: node.origin)
    }
    guard elements.count < nodes.count else { return items }
    return items.filter { item in
      if case .clip(let reference) = item.content {
        reference.location.file.map { !exclusions.cover($0) } ?? true
      } else {
        true
      }
    }
  }

  func tracks(_ node: YAMLNode, _ scope: Scope) -> [ItemTrack] {
    guard case .mapping(let entries) = node.kind else { return [] }
    if entries.isEmpty { refuseEmpty(node, Values.tracks.form) }
    let tracks: [ItemTrack] = entries.compactMap { entry in
      guard !isMisplaced(entry) else {
        sink.error(
          "'\(entry.key)' is a key of the job, and would be a track here", at: entry.keyOrigin,
          help: "indent it as 'tracks' itself: it stands beside 'tracks', not below")
        return nil
      }
      let items: [Item] =
        if case .sequence = entry.value.kind {
          list(entry.value, scope)
        } else {
          self.items(entry.value, scope, in: .track)
        }
      guard !items.isEmpty else { return nil }
      return ItemTrack(name: entry.key, ItemSequence(items), origin: entry.keyOrigin)
    }
    if !isExhausted { checkDucks(of: tracks, among: entries) }
    let leftOut = Set(entries.filter { isLeftOut($0.value, scope) }.map(\.key))
    for entry in entries where leftOut.contains(entry.key) {
      leftOutItems[entry.key] = entry.value.origin
    }
    if !leftOut.isEmpty, leftOut.count == entries.count { refuseNothingLeft(at: node.origin) }
    return leftOut.isEmpty ? tracks : tracks.map { $0.withoutDucks(under: leftOut) }
  }

  /// Whether `entry`, below `tracks`, has a key of a job and is no track.
  private func isMisplaced(_ entry: YAMLEntry) -> Bool {
    guard Language.job[entry.key] != nil, Language.item[entry.key] == nil else { return false }
    func isItem(_ node: YAMLNode) -> Bool {
      switch node.kind {
      case .scalar(let scalar):
        scalar.template != nil || sources[scalar.text] != nil
          || kind(of: path(scalar.text, in: node.folder ?? folder)) != nil
      case .sequence(let nodes): nodes.contains(where: isItem)
      case .mapping: node.hasKey(Language.contentNames.contains)
      case .missing: true
      }
    }
    return !isItem(entry.value)
  }

  /// A bare time in a list.
  private func silence(_ text: Text) -> Item? {
    // Most items are clips, and explaining why a path is no time is slower than reading one.
    guard let first = text.string.unicodeScalars.first, first.isASCIIDigit,
      let time = try? TimeText(parsing: text.string)
    else { return nil }
    return Item(.silence(Located(time, at: text.origin)), origin: text.origin)
  }
}
