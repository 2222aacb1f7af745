/// The tags of an MP4 or a QuickTime movie, each where its readers look for it: most in iTunes' item list;
/// where and with what something was recorded among QuickTime's texts (QuickTime File Format, "User data
/// text strings"), as cameras and phones write it; and tags by the names of Apple's and Android's phones
/// in QuickTime's list of keys ("Metadata"), which in MOV has those texts, too.
package struct MovieTags: Sendable, Hashable {
  /// Atoms of the item list.
  package let items: [UInt8]
  /// Atoms of the user data.
  private let texts: [UInt8]
  /// Names of the list of keys, each with its values.
  private let keys: [ItemList.Item]

  /// - Parameters:
  ///   - tags: No key twice.
  ///   - isQuickTime: Whether the movie is MOV.
  /// - Complexity: O(n)
  package init(_ tags: [ItemList.Item], isQuickTime: Bool) {
    var (items, keys) = ([ItemList.Item](), [ItemList.Item]())
    var texts: [UInt8] = []
    for tag in tags {
      let name = tag.key.lowercased()
      if let atom = UserData.encoded(tag) {
        texts += atom
      } else if TagNames.phones.contains(where: name.hasPrefix) {
        keys.append(tag)
        continue
      } else {
        items.append(tag)
        // A day alone is what other programs call a release.
        guard name == "date", tag.values.first?.contains("T") == true,
          tag.values.count == 1, HeaderDate(tag.values[0]) != nil
        else { continue }
      }
      if isQuickTime, let key = TagNames.quickTimeName(of: name) {
        keys.append(ItemList.Item(key, tag.values))
      }
    }
    self.items = ItemList.encoded(items)
    (self.texts, self.keys) = (texts, keys)
  }

  package var isEmpty: Bool { items.isEmpty && texts.isEmpty && keys.isEmpty }

  /// The atom `moov` with these tags, before those that it has.
  ///
  /// - Parameter movie: The whole atom, with its head. What it says of places in the file stays, so it
  ///   must lie behind them.
  /// - Returns: nil where `movie` is none. O(n)
  package func added(to movie: [UInt8]) -> [UInt8]? {
    guard let atom = Atom.all(in: movie[...]).first, atom.name == "moov",
      atom.whole.count == movie.count
    else { return nil }
    var parts = Array(atom.body)
    if !items.isEmpty || !texts.isEmpty {
      parts = Self.replaced("udta", in: parts[...]) { user in
        let user = texts + user
        guard !items.isEmpty else { return user }
        return Self.replaced("meta", in: user[...]) { meta in
          let parts = meta.count >= 4 ? meta.dropFirst(4) : meta
          let head = parts.isEmpty ? Self.handler("mdirappl") : []
          return [0, 0, 0, 0] + head + Self.replaced("ilst", in: parts) { items + $0 }
        }
      }
    }
    return AtomHead.encoded("moov", parts + list)
  }

  /// QuickTime's list of keys: an atom `meta` in QuickTime's form, without a version, also in MP4, since
  /// MediaInfo reads no other one at this place.
  private var list: [UInt8] {
    guard !keys.isEmpty else { return [] }
    let names = keys.map { AtomHead.encoded("mdta", Array($0.key.utf8)) }
    let values = keys.enumerated().map { index, item in
      var name = ""
      name.unicodeScalars.append(
        contentsOf: Self.bytes(index + 1).map { Unicode.Scalar($0) })
      return AtomHead.encoded(
        name, item.values.flatMap { ItemList.data(1, Array($0.utf8)) })
    }
    return AtomHead.encoded(
      "meta",
      Self.handler("mdta")
        + AtomHead.encoded("keys", [0, 0, 0, 0] + Self.bytes(keys.count) + names.joined())
        + AtomHead.encoded("ilst", Array(values.joined())))
  }

  /// The atom that says what a list is, by its kind and its maker (ISO 14496-12, 8.4.3).
  private static func handler(_ kind: String) -> [UInt8] {
    let rest = [UInt8](repeating: 0, count: 17 - kind.utf8.count)
    return AtomHead.encoded("hdlr", [UInt8](repeating: 0, count: 8) + Array(kind.utf8) + rest)
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// `atoms` with another content of the first one of a name, which is made if there is none.
  private static func replaced(
    _ name: String, in atoms: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> [UInt8]
  ) -> [UInt8] {
    guard let atom = Atom.all(in: atoms).first(where: { $0.name == name }) else {
      return Array(atoms) + AtomHead.encoded(name, body([]))
    }
    return atoms[..<atom.whole.lowerBound] + AtomHead.encoded(name, body(atom.body))
      + atoms[atom.whole.upperBound...]
  }
}
