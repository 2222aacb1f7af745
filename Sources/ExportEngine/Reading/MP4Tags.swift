import Diagnosis
import MPEGAudio
import Tagging

extension ContainerFacts {
  /// The tags of an MP4 or a QuickTime film: of its item lists, then of its user data; nil where it has
  /// none. Of covers their places are read.
  static func movieTags(in medium: MediumBytes) throws(Failure) -> SourceTags? {
    var reader = AtomReader(medium: medium, limit: 30_000)
    let (lists, texts) = try reader.tags()
    var tags: SourceTags?
    for list in lists {
      var covers = PictureList()
      var found = SourceTags(try itemList(list, &reader, &covers))
      found.take(covers)
      if tags == nil { tags = found } else { tags?.complete(with: found, of: "another list") }
    }
    var data = UserData()
    for atom in texts {
      guard atom.body.count <= 1 << 20 else {
        data.leaveOut(atom.name)
        continue
      }
      data.add(atom.name, try reader.bytes(of: atom.body, count: 1 << 20)[...])
    }
    if !texts.isEmpty {
      let found = SourceTags(data)
      if tags == nil { tags = found } else { tags?.complete(with: found, of: "user data") }
    }
    if reader.rest == 0, tags?.unread.contains(ItemList.excess) != true {
      tags?.unread.append(ItemList.excess)
    }
    return tags
  }

  private static func itemList(
    _ list: AtomReader.TagList, _ reader: inout AtomReader, _ covers: inout PictureList
  ) throws(Failure) -> ItemList {
    let names =
      try list.names.map { range throws(Failure) in
        ItemList.names(parsing: try reader.bytes(of: range, count: 1 << 20)[...])
      } ?? []
    var bytes: [UInt8] = []
    var unread: [String] = []
    var start = list.items.lowerBound
    for atom in try reader.atoms(in: list.items) {
      let size = Int(clamping: atom.body.upperBound - start)
      if atom.name == "covr" {
        // One for each value, behind eight bytes of type and language.
        for value in try reader.atoms(in: atom.body)
        where value.name == "data" && value.body.count > 8 {
          covers.add(cover: value.body.lowerBound + 8..<value.body.upperBound)
        }
      } else {
        // Longer ones are no texts; together they are as long as all tags that are read.
        if size <= 1 << 22, bytes.count + size <= 1 << 24 {
          bytes += try reader.medium.bytes(at: start, count: size)
        } else {
          unread.append(atom.name)
        }
      }
      start = atom.body.upperBound
    }
    return ItemList(parsing: bytes[...], unread: unread, names: names)
  }
}

extension AtomReader {
  /// A list of tags.
  struct TagList {
    var items: Range<Int64>
    /// The content of `keys`, where the list's atoms are numbers of names.
    var names: Range<Int64>?
  }

  /// The lists of tags of a film, those that iTunes writes (`moov.udta.meta`) before QuickTime's own
  /// (`moov.meta`), and the tags in its user data itself.
  mutating func tags() throws(Failure) -> (lists: [TagList], texts: [Atom]) {
    let file = 0..<(try medium.size())
    guard let movie = try atom("moov", in: file) else { return ([], []) }
    let parts = try atoms(in: movie)
    var lists: [TagList] = []
    var texts: [Atom] = []
    for user in parts where user.name == "udta" {
      for atom in try atoms(in: user.body) {
        if atom.name == "meta" {
          if let list = try tagList(in: atom.body) { lists.append(list) }
        } else if UserData.isTag(atom.name) {
          texts.append(atom)
        }
      }
    }
    for atom in parts where atom.name == "meta" {
      if let list = try tagList(in: atom.body) { lists.append(list) }
    }
    return (lists, texts)
  }

  /// The list of an atom `meta`, which begins with a version of four bytes in MP4 (ISO 14496-12,
  /// 8.11.1), and in QuickTime with its first atom.
  private mutating func tagList(in meta: Range<Int64>) throws(Failure) -> TagList? {
    let head = try bytes(of: meta, count: 8)
    guard head.count == 8 else { return nil }
    let isQuickTime = head[4...].elementsEqual("hdlr".utf8)
    let parts = try atoms(in: meta.lowerBound + (isQuickTime ? 0 : 4)..<meta.upperBound)
    guard let items = parts.first(where: { $0.name == "ilst" })?.body else { return nil }
    return TagList(items: items, names: parts.first { $0.name == "keys" }?.body)
  }
}

extension SourceTags {
  init(_ data: UserData) {
    for item in data.items {
      for value in item.values { add(value, to: item.key) }
    }
    guessed = data.guessed
    unread = data.unread
  }

  /// Adds what is not here, and names what is there otherwise as not read.
  mutating func complete(with others: SourceTags, of place: String) {
    for item in others.metadata.items {
      let known = metadata.values(of: item.key)
      if !known.isEmpty, !Self.isSaid(item, by: known) {
        unread.append("\(item.key) of \(place)")
      }
    }
    complete(with: others)
  }

  /// Adds what libavformat has of an MP4 and is not here, whatever its key: names of atoms here and
  /// there differ.
  mutating func complete(withDemuxedMovie others: SourceTags) {
    let values = Set(metadata.items.flatMap(\.values))
    let unread = Set(unread.map(Self.demuxedKey))
    let known = unread.union(metadata.items.map { Self.demuxedKey(of: $0.key) })
    var others = others
    for item in others.metadata.items
    where values.contains(item.value) || unread.contains(item.key.lowercased())
      || Self.movieKeys.contains(item.key)
    {
      others.metadata[item.key] = nil
    }
    others.guessed.removeAll { known.contains($0.lowercased()) }
    complete(with: others)
  }

  /// The key, in small letters, that libavformat's tag of an atom gets: of a free-form one it drops whose
  /// name it is (`com.example:mood`).
  private static func demuxedKey(of key: String) -> String {
    guard let colon = key.unicodeScalars.firstIndex(of: ":"),
      key.unicodeScalars[..<colon].contains(".")
    else {
      return key.lowercased()
    }
    return TagNames.key(ofField: String(key.unicodeScalars[colon...].dropFirst())).lowercased()
  }

  /// FFmpeg's keys of atoms that are read here by others: `rtng`, `akID`, `tmpo`.
  private static let movieKeys: Set = ["rating", "account_type", "tmpo"]
}
