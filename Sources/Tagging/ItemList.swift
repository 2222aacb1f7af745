/// The tags of an MP4: iTunes' item list (`moov.udta.meta.ilst`), as QuickTime's "Metadata" describes
/// its values, and `mutagen.mp4` its names.
package struct ItemList: Sendable, Hashable {
  /// One tag with its values.
  package struct Item: Sendable, Hashable {
    /// A key of `TagNames`, or the name of an atom or of a free-form one; `gnre` has the number of a
    /// genre of ID3v1, counted from 1.
    package var key: String
    package var values: [String]

    package init(_ key: String, _ values: [String]) { (self.key, self.values) = (key, values) }
  }

  package private(set) var items: [Item] = []
  /// Names of atoms that are no texts and no numbers, and of those that are too long.
  package private(set) var binary: [String] = []
  /// Keys whose texts are not UTF-8, and are taken for Windows-1252.
  package private(set) var guessed: [String] = []

  private let names: [String]
  private static let (itemLimit, valueLimit) = (10_000, 1 << 20)
  /// Stands for tags behind the most that are read.
  package static let excess = "tags beyond the first 10000"
  private static let apple = "com.apple.iTunes"

  /// - Parameters:
  ///   - bytes: What stands in the atom `ilst`, with its covers or without.
  ///   - unread: Names of its atoms that `bytes` lack.
  ///   - names: Of a list whose atoms are numbers, what these stand for (`names(parsing:)`).
  /// - Complexity: O(n)
  package init(
    parsing bytes: ArraySlice<UInt8>, unread: [String] = [], names: [String] = []
  ) {
    self.names = names
    binary = unread.map { name(of: $0) ?? TagNames.row(ofAtom: $0)?.key ?? $0 }
    let atoms = Atom.all(in: bytes)
    for atom in atoms.prefix(Self.itemLimit) where atom.name != "covr" { add(atom) }
    if atoms.count > Self.itemLimit { binary.append(Self.excess) }
  }

  /// The names of an atom `keys`, whose numbers, from 1 on, are those of a list's atoms (QuickTime File
  /// Format, "Metadata item keys atom"). O(n)
  package static func names(parsing bytes: ArraySlice<UInt8>) -> [String] {
    // A version and the count come first; each name is the body of an atom named for its kind.
    Atom.all(in: bytes.dropFirst(8)).prefix(itemLimit).map {
      String(decoding: $0.body, as: UTF8.self)
    }
  }

  /// What an atom stands for whose name is a number.
  private func name(of atom: String) -> String? {
    guard !names.isEmpty else { return nil }
    let number = atom.unicodeScalars.reduce(0) { $0 << 8 | Int($1.value) }
    guard 1...names.count ~= number else { return nil }
    return TagNames.key(ofQuickTime: names[number - 1])
  }

  private mutating func add(_ atom: Atom) {
    let parts = Atom.all(in: atom.body)
    let data = parts.filter { $0.name == "data" && $0.body.count >= 8 }
    var key = atom.name
    var row = TagNames.row(ofAtom: key)
    if let name = name(of: key) {
      (key, row) = (name, nil)
    } else if key == "----" {
      func text(_ name: String) -> String {
        parts.first { $0.name == name }
          .map { String(decoding: $0.body.dropFirst(4), as: UTF8.self) } ?? ""
      }
      let (mean, name) = (text("mean"), text("name"))
      guard !name.isEmpty else { return }
      // `com.apple.iTunes` is what every program writes; another one is part of the name.
      key = mean == Self.apple || mean.isEmpty ? TagNames.key(ofField: name) : mean + ":" + name
      row = nil
    } else if let row {
      key = row.key
    }
    var values: [String] = []
    if data.contains(where: { $0.body.count > Self.valueLimit }) { binary.append(key) }
    for part in data where part.body.count <= Self.valueLimit {
      let type = part.body.dropFirst().prefix(3).reduce(0) { $0 << 8 | Int($1) }
      if let value = value(part.body.dropFirst(8), type, row?.atom?.kind, of: key) {
        values.append(value)
      }
    }
    values.removeAll(where: \.isEmpty)
    guard !values.isEmpty else {
      if data.contains(where: { 9...Self.valueLimit ~= $0.body.count }) { binary.append(key) }
      return
    }
    items.append(Item(key, values))
  }

  private mutating func value(
    _ bytes: ArraySlice<UInt8>, _ type: Int, _ kind: TagNames.Atom.Kind?, of key: String
  ) -> String? {
    func number() -> Int? {
      guard 1...8 ~= bytes.count, let first = bytes.first else { return nil }
      let sign = type == 22 || first < 0x80 ? 0 : -1
      return bytes.reduce(sign) { $0 << 8 | Int($1) }
    }
    switch kind {
    case .pair?:
      guard bytes.count >= 6 else { return nil }
      let numbers = [2, 4].map { offset in
        bytes.dropFirst(offset).prefix(2).reduce(0) { $0 << 8 | Int($1) }
      }
      if numbers == [0, 0] { return nil }
      return numbers[1] == 0 ? "\(numbers[0])" : "\(numbers[0])/\(numbers[1])"
    case .number?, .boolean?: return number().map { "\($0)" }
    case .text?, nil: break
    }
    switch type {
    case _ where type == 1 || type == 0 && kind == .text:
      let (text, isGuessed) = EightBitText.decoded(bytes)
      if isGuessed { guessed.append(key) }
      return text.contains("\0") ? nil : text
    case 2:
      let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      let text = String(decoding: units, as: UTF16.self)
      return text.contains("\0") ? nil : text
    case 21, 22: return number().map { "\($0)" }
    case 23 where bytes.count == 4:
      return "\(Float(bitPattern: UInt32(AtomHead.number(bytes))))"
    case 0 where key == "gnre" || Self.numbers[key] != nil: return number().map { "\($0)" }
    default: return nil
    }
  }
}

// MARK: - Writing

extension ItemList {
  /// Atoms of numbers that have no other name, and how many bytes they have; and those of texts.
  private static let numbers = [
    "sfID": 4, "cnID": 4, "atID": 4, "geID": 4, "cmID": 4, "plID": 8, "akID": 1,
  ]
  private static let texts: Set = ["ownr", "xid ", "rate"]

  /// The atoms of tags, each with all of its values. What has no atom, or not the form of its atom,
  /// becomes a free-form one.
  package static func encoded(_ items: [Item]) -> [UInt8] {
    sorted(items).flatMap { item -> [UInt8] in
      let row = TagNames.row(of: item.key)
      if let atom = row?.atom, let atoms = encoded(item.values, as: atom) { return atoms }
      if row == nil, let size = numbers[item.key],
        let atoms = encoded(
          item.values, as: TagNames.Atom(name: item.key, kind: .number(bytes: size)))
      {
        return atoms
      }
      let isText =
        texts.contains(item.key)
        || item.key.hasPrefix("©") && item.key.unicodeScalars.count == 4
      if row == nil, isText, item.key.unicodeScalars.allSatisfy({ $0.value < 0x100 }) {
        return AtomHead.encoded(item.key, item.values.flatMap { data(1, Array($0.utf8)) })
      }
      return freeForm(item, name: row?.field ?? item.key)
    }
  }

  /// In the order of libavformat (`mov_write_ilst_tag`), which other programs know; then as they are.
  private static func sorted(_ items: [Item]) -> [Item] {
    func place(_ item: Item) -> Int {
      TagNames.row(of: item.key).flatMap { order.firstIndex(of: $0.key) } ?? order.count
    }
    return items.enumerated().map { (place($0.element), $0.offset, $0.element) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
  }

  private static let order = [
    "title", "artist", "album_artist", "composer", "album", "date", "encoder", "comment", "genre",
    "copyright", "grouping", "lyrics", "description", "synopsis", "show", "episode_id", "network",
    "keywords", "episode_sort", "season_number", "media_type", "hd_video", "gapless_playback",
    "compilation", "track", "disc", "bpm",
  ]

  private static func freeForm(_ item: Item, name: String) -> [UInt8] {
    var (mean, name) = (apple, name)
    if let colon = name.unicodeScalars.firstIndex(of: ":"),
      name.unicodeScalars[..<colon].contains(".")
    {
      (mean, name) = (
        String(name[..<colon]), String(name.unicodeScalars[colon...].dropFirst())
      )
    }
    func text(_ kind: String, _ text: String) -> [UInt8] {
      AtomHead.encoded(kind, [0, 0, 0, 0] + Array(text.utf8))
    }
    return AtomHead.encoded(
      "----",
      text("mean", mean) + text("name", name) + item.values.flatMap { data(1, Array($0.utf8)) })
  }

  /// nil for what does not have the form of the atom.
  private static func encoded(_ values: [String], as atom: TagNames.Atom) -> [UInt8]? {
    var body: [UInt8] = []
    for value in values {
      switch atom.kind {
      case .text: body += data(1, Array(value.utf8))
      case .pair:
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.map { UInt16($0.isEmpty ? "0" : $0) }
        guard 1...2 ~= parts.count, let first = numbers[0], let last = numbers.last,
          let total = parts.count == 2 ? last : 0
        else { return nil }
        // Of a disc there are six bytes, of a track eight.
        body += data(
          0,
          [0, 0] + bytes(Int(first), 2) + bytes(Int(total), 2)
            + (atom.name == "trkn" ? [0, 0] : []))
      case .number(let count):
        guard let number = Int(value), number >= 0, number < 1 << (8 * min(count, 7) - 1) else {
          return nil
        }
        body += data(21, bytes(number, count))
      case .boolean:
        switch value.lowercased() {
        case "1", "true", "yes": body += data(21, [1])
        case "0", "false", "no": body += data(21, [0])
        default: return nil
        }
      }
    }
    return AtomHead.encoded(atom.name, body)
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { $0 < 8 ? UInt8(number >> (8 * $0) & 0xFF) : 0 }
  }

  static func data(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    AtomHead.encoded("data", [0, 0, 0, type, 0, 0, 0, 0] + bytes)
  }
}
