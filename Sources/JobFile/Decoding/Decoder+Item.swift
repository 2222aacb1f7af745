import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import YAML

/// Where an item stands, which decides what a bare text is.
enum ItemContext {
  /// Wildcards stand for several items; a bare time is silence.
  case list
  /// As in a list, and `at` may count from the end of what the item is put into.
  case insertion
  case track
  case job

  var isList: Bool { self == .list || self == .insertion }
}

extension Decoder {
  /// The items that `node` stands for: one, or what a wildcard in a list found.
  func items(_ node: YAMLNode, _ scope: Scope, in context: ItemContext) -> [Item] {
    shared(node) {
      switch node.kind {
      case .missing: return []
      case .sequence:
        sink.error(
          "a list in a list", at: node.origin,
          help: "write { concat: [...] } for a sequence in a sequence")
        return []
      case .scalar:
        guard let text = text(node, scope) else { return [] }
        if context.isList, let silence = silence(text) { return [silence] }
        return clips(text, nil, scope, in: context)
      case .mapping:
        guard let fields = fields(of: node, as: .item) else { return [] }
        guard let each = fields["each"] else { return items(fields, scope, in: context) }
        return rows(each, scope).flatMap { items(fields, $0, in: context) }
      }
    }
  }

  /// What an item is repeated for: one scope a row of the job.
  private func rows(_ each: YAMLEntry, _ scope: Scope) -> [Scope] {
    guard let word = text(each.value, scope) else { return [] }
    guard word.string == "row" else {
      sink.error(
        "'\(word.string)' is nothing that an item is repeated for", at: word.origin,
        help: "write 'each: row'")
      return []
    }
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

  /// The items that a map's fields describe. In a job of a `for_each`, the clip is its input where
  /// none is named.
  func items(_ fields: Fields, _ scope: Scope, in context: ItemContext) -> [Item] {
    let contents = fields.present("clip", "concat", "tracks", "silence")
    if let first = contents.first, let second = contents.dropFirst().first {
      sink.error(
        "'\(second.key)' beside '\(first.key)'", at: second.keyOrigin,
        help: "an item is one of 'clip', 'concat', 'tracks', 'silence'; put both into a list",
        notes: [.init("the other one is here", at: first.keyOrigin)])
    }
    var items: [Item]
    if let content = contents.first {
      items = self.content(content, fields, scope, in: context)
    } else if context == .job, let input = scope.input?.file {
      let stream = self.stream(fields, scope)
      items = [Item.clip(input.path, stream: stream, origin: fields.origin)]
    } else {
      if !fields.isIncomplete {
        sink.error(
          "nothing sounds here", at: fields.origin,
          help: context == .job && scope.input != nil
            ? "'for_each' has values here, which are no files: add 'clip: ${input}.wav'"
            : "give one of 'clip', 'concat', 'tracks', 'silence'")
      }
      return []
    }
    if context != .job, let at = fields["at"], let crossfade = fields["crossfade"],
      fields["concat"] == nil
    {
      sink.error(
        "'crossfade' beside 'at'", at: crossfade.keyOrigin,
        help: "an item with 'at' starts there; a cross-fade would start it elsewhere",
        notes: [.init("the time is given here", at: at.keyOrigin)])
    }
    // Decoded even where there is no item to put them on: everything is told in one pass.
    var modified = items.isEmpty ? [Item(.concat(ItemSequence([])))] : items
    for index in modified.indices {
      if context != .job { modified[index].origin = fields.origin }
      modify(&modified[index], by: fields, scope, in: context)
    }
    return items.isEmpty ? [] : modified
  }

  private func content(
    _ entry: YAMLEntry, _ fields: Fields, _ scope: Scope, in context: ItemContext
  ) -> [Item] {
    if entry.key != "clip", let stream = fields["stream"] {
      sink.error(
        "'stream' belongs to a clip", at: stream.keyOrigin, help: "write it beside the 'clip'")
    }
    switch entry.key {
    case "clip":
      guard let text = text(entry.value, scope) else { return [] }
      return clips(text, fields, scope, in: context)
    case "silence":
      guard let duration = time(entry.value, scope) else { return [] }
      return [Item(.silence(duration), origin: fields.origin)]
    case "concat":
      // What all jobs of a loop have in common is there once.
      let items = shared(entry.value) { list(entry.value, scope) }
      return items.isEmpty ? [] : [Item(.concat(ItemSequence(items)), origin: fields.origin)]
    default:
      let tracks = shared(entry.value) { self.tracks(entry.value, scope) }
      return tracks.isEmpty ? [] : [Item(.tracks(tracks), origin: fields.origin)]
    }
  }

  func stream(_ fields: Fields, _ scope: Scope) -> Int? {
    value(fields["stream"]?.value, scope) { text throws(QuantityError) in
      guard let index = Quantity.count(text) else {
        throw QuantityError(
          "'\(text)' is no stream", help: "streams count from 0, as ffprobe prints them")
      }
      return index
    }?.value
  }

  /// The items of a list.
  private func list(_ node: YAMLNode, _ scope: Scope) -> [Item] {
    guard case .sequence(let nodes) = node.kind else { return [] }
    if nodes.isEmpty { refuseEmpty(node, .items) }
    var items: [Item] = []
    items.reserveCapacity(nodes.count)
    for node in nodes { items += self.items(node, scope, in: .list) }
    return items
  }

  private func tracks(_ node: YAMLNode, _ scope: Scope) -> [ItemTrack] {
    guard case .mapping(let entries) = node.kind else { return [] }
    if entries.isEmpty { refuseEmpty(node, .tracks) }
    return entries.compactMap { entry in
      let items: [Item] =
        if case .sequence = entry.value.kind {
          list(entry.value, scope)
        } else {
          self.items(entry.value, scope, in: .track)
        }
      guard !items.isEmpty else { return nil }
      return ItemTrack(name: entry.key, ItemSequence(items), origin: entry.keyOrigin)
    }
  }

  /// A bare time in a list.
  private func silence(_ text: Text) -> Item? {
    // Most items are clips, and to say why a path is no time takes longer than to read one.
    guard let first = text.string.unicodeScalars.first, first.isASCIIDigit,
      let time = try? TimeText(parsing: text.string)
    else { return nil }
    return Item(.silence(Located(time, at: text.origin)), origin: text.origin)
  }
}

// MARK: - Modifiers

extension Decoder {
  func modify(
    _ item: inout Item, by fields: Fields, _ scope: Scope, in context: ItemContext
  ) {
    item.range = range(fields, scope) ?? item.range
    edits(&item, fields, scope)
    level(&item, fields, scope, in: context)
    if let name = fields["name"], let text = text(name.value, scope) {
      item.name = Located(text.string, at: name.value.origin)
    }
    chapters(&item, fields, scope)
    place(&item, fields, scope, in: context)
  }

  private func place(
    _ item: inout Item, _ fields: Fields, _ scope: Scope, in context: ItemContext
  ) {
    if let at = moment(fields["at"]?.value, scope) {
      if at.value.anchor == .end, context != .insertion {
        sink.error(
          "'\(at.value)' is no time of its own", at: at.origin,
          help: "write a time, as '1:30', or that of another item, as 'talk.end'")
      }
      item.at = at
    }
    guard let entry = fields["crossfade"], let crossfade = fade(entry.value, scope) else { return }
    if case .concat(var sequence) = item.content {
      sequence.crossfade = crossfade
      item.content = .concat(sequence)
      return
    }
    item.crossfade = crossfade
  }

  func range(_ fields: Fields, _ scope: Scope) -> ItemRange? {
    let from = moment(fields["from"]?.value, scope)
    let to = moment(fields["to"]?.value, scope)
    let duration = time(fields["duration"]?.value, scope)
    if let a = fields["to"], let b = fields["duration"] {
      sink.error(
        "'duration' beside 'to'", at: b.keyOrigin, help: "keep one of them",
        notes: [.init("the end is given here", at: a.keyOrigin)])
    }
    guard from != nil || to != nil || duration != nil else { return nil }
    return ItemRange(
      from: from, end: to.map(ItemRange.End.moment) ?? duration.map(ItemRange.End.duration))
  }

  private func chapters(_ item: inout Item, _ fields: Fields, _ scope: Scope) {
    let entries = fields.present("chapter", "chapters")
    guard !entries.isEmpty else { return }
    item.chapter = nil
    item.keepsChapters = false
    item.chapters = entries.flatMap { entry -> [ItemChapter] in
      if entry.key == "chapter" {
        item.chapter = chapter(entry.value, at: Located(.start, at: entry.value.origin), scope)
        return []
      }
      guard case .mapping(let points) = entry.value.kind else {
        guard text(entry.value, scope)?.string == "keep" else {
          return listedChapters(entry.value, scope)
        }
        item.keepsChapters = true
        if case .silence = item.content {
          sink.error(
            "a silence has no chapters to keep", at: entry.value.origin, help: "leave it out")
        }
        return []
      }
      return points.compactMap { point in
        guard let start = keyMoment(point) else { return nil }
        return chapter(point.value, at: start, scope)
      }
    }
  }

  private func chapter(
    _ node: YAMLNode, at start: Located<Moment>, _ scope: Scope
  ) -> ItemChapter? {
    guard case .mapping = node.kind else {
      return chapterTitle(node, scope).map { ItemChapter($0, at: start) }
    }
    guard let fields = fields(of: node, as: .chapter) else { return nil }
    let image = picture(fields["image"]?.value, scope)
    let url = value(fields["url"]?.value, scope, Quantity.link)
    guard let titleNode = fields["title"]?.value else {
      if !fields.isIncomplete {
        sink.error(
          "a chapter needs a 'title'", at: node.origin,
          help: "write \(Schema.Value.chapter.example)")
      }
      return nil
    }
    return chapterTitle(titleNode, scope).map {
      ItemChapter($0, at: start, url: url?.value, image: image?.value)
    }
  }

  private func chapterTitle(_ node: YAMLNode, _ scope: Scope) -> String? {
    value(node, scope) { text throws(QuantityError) in
      guard !text.isEmpty else {
        throw QuantityError(
          "a chapter without a title", help: "write one, or leave the chapter out")
      }
      return text
    }?.value
  }

  /// A path of an image that must be there.
  func picture(_ node: YAMLNode?, _ scope: Scope) -> Located<FilePath>? {
    guard let picture = path(node, scope) else { return nil }
    checkFile(picture.value, at: picture.origin)
    return picture
  }
}

extension Quantity {
  /// A link, which is plain ASCII (RFC 3986 §2) wherever chapters are written.
  fileprivate static func link(_ text: String) throws(QuantityError) -> String {
    guard !text.isEmpty else {
      throw QuantityError("an empty text is no link", help: "leave it out")
    }
    let bytes = text.utf8.map { byte -> String in
      if 0x21...0x7E ~= byte { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return (digits.count == 1 ? "%0" : "%") + digits
    }
    let link = bytes.joined()
    guard link == text else {
      throw QuantityError("'\(text)' is no link: links are plain ASCII", help: "write '\(link)'")
    }
    return link
  }
}
