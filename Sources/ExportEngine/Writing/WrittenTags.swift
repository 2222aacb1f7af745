import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import Tagging

/// Tags of an output that libavformat cannot write: it has each name once, and some under others.
enum WrittenTags: Sendable, Hashable {
  /// libavformat writes all.
  case none
  /// In place of a field of libavformat's that is as long.
  case comments([VorbisComment.Field])
  /// Of an MP4 or MOV, behind whose sound its index lies.
  case movie(MovieTags)
}

extension Sink {
  /// Its tags as its format has them: a number with its total where one field holds both, and people
  /// with what they do.
  var fields: [Metadata.Item] {
    var tags = foldedTags.tags
    tags.cover = nil
    let form = capabilities.tagForm
    if form == .id3 { tags.foldPeople() } else { tags.expandPeople() }
    switch form {
    case .id3, .itemList, .riff: tags.joinTotals()
    case .caf, .vorbisComments, .matroska, .none: break
    }
    if form == .itemList { tags.splitMovement() }
    if form == .id3 { tags.joinMovement() }
    return tags.items + gainItems([:])
  }

  /// Its tags, each once, and what is left out for that.
  var foldedTags: FoldedTags { FoldedTags(metadata, own: output.metadata, in: capabilities) }

  /// The tags for libavformat, and those that are written later.
  var writtenTags: (metadata: [(key: String, value: String)], later: WrittenTags) {
    switch capabilities.tagForm {
    case .vorbisComments:
      let fields = comments(of: fields)
      guard let value = VorbisComment.placeholderValue(for: fields) else { return ([], .none) }
      return ([(VorbisComment.placeholder, value)], .comments(fields))
    case .itemList:
      var fields = fields
      let date = fields.removeHeaderDate()
      let tags = MovieTags(items(of: fields), isQuickTime: output.movie == .mov)
      return (date.map { [(HeaderDate.key, $0.text)] } ?? [], tags.isEmpty ? .none : .movie(tags))
    case .matroska:
      var fields = fields
      let date = fields.removeHeaderDate()
      // Another one libavformat would leave out, or take for the machine's own time.
      fields.removeAll { $0.key.lowercased() == HeaderDate.key }
      if let date { fields.append(Metadata.Item(key: HeaderDate.key, value: date.text)) }
      return (fields.map { (capabilities.tagName(of: $0.key), $0.value) }, .none)
    case .none: return ([], .none)
    case .id3, .riff, .caf:
      return (fields.map { (capabilities.tagName(of: $0.key), $0.value) }, .none)
    }
  }

  /// The date in the header of its file; nil where it has none.
  var headerDate: HeaderDate? {
    var fields = fields
    return capabilities.holdsHeaderDate ? fields.removeHeaderDate() : nil
  }

  /// Tags as Vorbis comments.
  func comments(of fields: [Metadata.Item]) -> [VorbisComment.Field] {
    fields.flatMap { item in
      item.values.map { VorbisComment.Field(capabilities.fieldName(of: item.key), $0) }
    }.filter { !$0.value.isEmpty }
  }

  /// Tags as atoms of an item list.
  func atoms(of fields: [Metadata.Item]) -> [UInt8] { ItemList.encoded(items(of: fields)) }

  private func items(of fields: [Metadata.Item]) -> [ItemList.Item] {
    fields.map { item in
      let name = capabilities.tagName(of: item.key)
      return ItemList.Item(
        TagNames.row(of: name) == nil ? ID3Tag.description(ofKey: name) ?? name : name,
        item.values)
    }
  }
}

extension [Metadata.Item] {
  /// Takes out a date that the header of a movie holds; nil where there is none.
  fileprivate mutating func removeHeaderDate() -> HeaderDate? {
    guard let index = firstIndex(where: { $0.key.lowercased() == HeaderDate.key }),
      let date = HeaderDate(self[index].value)
    else { return nil }
    remove(at: index)
    return date
  }
}

extension OutputCapabilities {
  /// A field of Vorbis comments: ASCII without `=` and `~`.
  fileprivate func fieldName(of key: String) -> String {
    var name = TagNames.field(of: tagName(of: key))
    if ID3Tag.description(ofKey: name) != nil { name = name.uppercased() }
    guard name.utf8.contains(where: { !(0x20...0x7D ~= $0) || $0 == 0x3D }) else { return name }
    let plain = String(name.unicodeScalars.filter { $0 != "©" })
    return String(plain.map { $0.isASCII && $0 >= " " && $0 <= "}" && $0 != "=" ? $0 : "_" })
  }
}

extension Metadata {
  /// `3` and a total of 12 as `3/12`.
  fileprivate mutating func joinTotals() {
    for (number, totals) in TagNames.totals {
      let found = totals.compactMap { self[$0] }
      guard let total = found.first, Int(total) != nil else { continue }
      let own = self[number] ?? "0"
      guard !own.contains("/"), Int(own) != nil, found.allSatisfy({ $0 == total }) else {
        if own.hasSuffix("/" + total) { for name in totals { self[name] = nil } }
        continue
      }
      self[number] = own + "/" + total
      for name in totals { self[name] = nil }
    }
  }

  /// `2/3` as the number of a movement and how many there are.
  fileprivate mutating func splitMovement() {
    let parts = (self["movement_number"] ?? "").split(separator: "/")
    guard parts.count == 2, self["movement_count"] == nil else { return }
    self["movement_number"] = String(parts[0])
    self["movement_count"] = String(parts[1])
  }

  fileprivate mutating func joinMovement() {
    guard let count = self["movement_count"], let number = self["movement_number"],
      !number.contains("/")
    else { return }
    self["movement_number"] = number + "/" + count
    self["movement_count"] = nil
  }

  /// What functions of ID3's list are called elsewhere (Picard's "Tag Mapping").
  private static let functions = [
    ("producer", "PRODUCER"), ("engineer", "ENGINEER"), ("arranger", "ARRANGER"),
    ("mix", "MIXER"), ("DJ-mix", "DJMIXER"),
  ]

  /// ID3's lists of people as fields of their own. A person whose function has no field is a
  /// performer, as in Picard: 2.3 has musicians in the same list.
  fileprivate mutating func expandPeople() {
    let (involved, musicians) = (values(of: "TIPL").pairs, values(of: "TMCL").pairs)
    self["TIPL"] = nil
    self["TMCL"] = nil
    var performers = musicians
    for (function, name) in involved {
      let known = Self.functions.first { $0.0.lowercased() == function.lowercased() }
      if let known { add(name, to: known.1) } else { performers.append((function, name)) }
    }
    for (function, name) in performers {
      add(function.isEmpty ? name : "\(name) (\(function))", to: "performer")
    }
  }

  /// Fields of people as ID3's lists: performers with an instrument are musicians.
  fileprivate mutating func foldPeople() {
    var involved: [(String, String)] = []
    for (function, field) in Self.functions {
      involved += values(of: field).map { (function, $0) }
      self[field] = nil
    }
    append(involved, to: "TIPL")
    let performers = values(of: "performer")
    append(performers.compactMap(\.musician), to: "TMCL")
    set(performers.filter { $0.musician == nil }, of: "performer")
  }

  /// Puts functions and names behind those of a list that has not the same. O(n)
  private mutating func append(_ people: [(String, String)], to list: String) {
    guard !people.isEmpty else { return }
    var values = values(of: list)
    var known = Set(values.pairs.map { [$0.0, $0.1] })
    for (function, name) in people where known.insert([function, name]).inserted {
      values += [function, name]
    }
    set(values, of: list)
  }
}

extension String {
  /// An instrument and who plays it, as of `Ann (guitar)`; nil of another text. Instruments begin in small
  /// letters, as MusicBrainz has them: `Prince (The Artist)` is a name. O(length)
  fileprivate var musician: (String, String)? {
    let text = unicodeScalars
    guard text.last == ")" else { return nil }
    var depth = 0
    // An instrument may have brackets of its own.
    let start = text.indices.reversed().first { index in
      if text[index] == ")" { depth += 1 }
      if text[index] == "(" { depth -= 1 }
      return depth == 0
    }
    guard let start, start > text.startIndex else { return nil }
    let blank = text.index(before: start)
    let instrument = text[text.index(after: start)...].dropLast()
    guard text[blank] == " ", blank > text.startIndex,
      instrument.first?.properties.isLowercase == true
    else { return nil }
    return (String(instrument), String(text[..<blank]))
  }
}

extension [String] {
  /// Functions and names that take turns.
  fileprivate var pairs: [(String, String)] {
    stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) }
  }
}

// MARK: - Into the file

extension OutputFile {
  /// Puts tags into a file that is complete but for them.
  ///
  /// - Throws: `reportBug` where the file does not have their place.
  func put(_ tags: WrittenTags) throws(Failure) {
    switch tags {
    case .none: return
    case .comments(let fields):
      let isPut = try changeComments { bytes in
        VorbisComment.replacingPlaceholder(in: bytes, with: fields)
      }
      guard isPut else { throw noPlace }
    case .movie(let tags): try putIntoMP4(tags)
    }
  }

  /// Changes the comments of a file of FLAC or Ogg.
  ///
  /// - Parameter change: Gets the comments from the vendor's length on, and gives as many bytes, or nil.
  /// - Returns: Whether they are changed: not where `change` gives nothing, or there are none.
  /// - Throws: The system's error.
  func changeComments(_ change: ([UInt8]) -> [UInt8]?) throws(Failure) -> Bool {
    let isFLAC = try bytes(at: 0, count: 4) == Array("fLaC".utf8)
    return try isFLAC ? changeInFLAC(change) : changeInOgg(change)
  }

  var noPlace: Failure {
    Failure(.reportBug, "the file has no place for its tags", path: path)
  }

  private func changeInFLAC(_ change: ([UInt8]) -> [UInt8]?) throws(Failure) -> Bool {
    let blocks = try FLACBlock.all(from: 4, reading: bytes(at:count:))
    guard let body = blocks.first(where: { $0.kind == 4 })?.body,
      let new = change(try bytes(at: body.lowerBound, count: body.count)), new.count == body.count
    else { return false }
    try put(new, at: body.lowerBound)
    return true
  }

  /// The comments are the second packet, on pages of their own or with what follows.
  private func changeInOgg(_ change: ([UInt8]) -> [UInt8]?) throws(Failure) -> Bool {
    var finder: OggCommentFinder?
    var pages: [(offset: Int64, page: OggPage)] = []
    var offset: Int64 = 0
    while let page = OggPage(try bytes(at: offset, count: OggPage.longestHead)) {
      if finder == nil { finder = OggCommentFinder(serial: page.serial) }
      finder?.add(page, at: offset)
      pages.append((offset, page))
      if finder?.isComplete == true { break }
      offset += Int64(page.size)
    }
    guard let finder, finder.isComplete else { return false }
    var packet: [UInt8] = []
    for range in finder.ranges { packet += try bytes(at: range.lowerBound, count: range.count) }
    // `OpusTags`, or a number and `vorbis`.
    let head = packet.starts(with: "OpusTags".utf8) ? 8 : 7
    guard let new = change(Array(packet.dropFirst(head))), new.count == packet.count - head
    else { return false }
    var rest = (packet.prefix(head) + new)[...]
    for range in finder.ranges {
      guard let place = pages.last(where: { $0.offset < range.lowerBound }) else { return false }
      var page = try bytes(at: place.offset, count: place.page.size)
      let start = Int(range.lowerBound - place.offset)
      page.replaceSubrange(start..<start + range.count, with: rest.prefix(range.count))
      rest = rest.dropFirst(range.count)
      try put(OggPage.checked(page), at: place.offset)
    }
    return true
  }

  /// The index lies behind the sound, so that nothing in it moves.
  private func putIntoMP4(_ tags: MovieTags) throws(Failure) {
    let index = try movieIndex().index
    let old = try bytes(at: index.lowerBound, count: index.count)
    guard let new = tags.added(to: old) else { throw noPlace }
    try put(new, at: index.lowerBound)
  }
}
