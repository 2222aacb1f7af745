/// Writes the frames of a tag in one version of ID3. Sections are those of 2.4.0's native frames.
struct ID3Writer {
  let version: ID3Version

  /// The frames for tags, each key once, in the order of their first values.
  func texts(_ items: [ID3Tag.Item]) throws(ID3TagError) -> [UInt8] {
    let language = items.first { ID3Keys.frame(for: $0.key) == "TLAN" }?.value
    var slots: [(slot: ID3Slot, values: [String])] = []
    var indices: [ID3Slot: Int] = [:]
    for item in items where !item.value.isEmpty {
      guard let slot = ID3Slot(item, version: version) else { continue }
      let value = slot.normalized(item.value)
      if let index = indices[slot] {
        // Two names of one frame, with the same text; but one may do two things.
        if slot.holdsPeople || !slots[index].values.contains(value) {
          slots[index].values.append(value)
        }
      } else {
        indices[slot] = slots.count
        slots.append((slot, [value]))
      }
    }
    let code = language.flatMap(ID3Languages.code) ?? ID3Languages.unknown
    var frames: [UInt8] = []
    for (slot, values) in slots { frames += try frame(of: slot, values, language: code) }
    return frames
  }

  /// A JPEG or PNG image of type 3 (front cover) or 0 (other), which its first bytes tell apart
  /// (§4.14). It is not decoded.
  func picture(_ image: [UInt8], type: UInt8, name: String) throws(ID3TagError) -> [UInt8] {
    let mime: String
    if image.starts(with: [0xFF, 0xD8, 0xFF]) {
      mime = "image/jpeg"
    } else if image.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      mime = "image/png"
    } else {
      throw ID3TagError("\(name) is neither a JPEG nor a PNG image")
    }
    // Without a description the encoding does not matter; old readers support 0 best.
    return try frame("APIC", [0] + Array(mime.utf8) + [0, type, 0] + image)
  }

  func frame(_ identifier: String, _ body: [UInt8]) throws(ID3TagError) -> [UInt8] {
    Array(identifier.utf8) + (try version.frameSize(body.count)) + [0, 0] + body
  }

  /// A frame of one text.
  func textFrame(_ identifier: String, _ text: String) throws(ID3TagError) -> [UInt8] {
    let (encoding, bytes) = try version.text(text)
    return try frame(identifier, [encoding] + bytes)
  }

  /// A link with a description (§4.3.2); the link itself is ASCII.
  func linkFrame(_ description: String, _ url: String) throws(ID3TagError) -> [UInt8] {
    let (encoding, bytes) = try version.text(description)
    let head = [encoding] + bytes + ID3Version.terminator(encoding: encoding)
    return try frame("WXXX", head + Array(url.utf8))
  }
}

extension ID3Writer {
  private func frame(
    of slot: ID3Slot, _ values: [String], language: String
  ) throws(ID3TagError) -> [UInt8] {
    switch slot {
    case .text(let identifier) where slot.holdsPeople:
      let encoding = version.encoding(of: values)
      var texts: [[UInt8]] = []
      for value in values { texts.append(try version.bytes(of: value, encoding: encoding)) }
      let end = ID3Version.terminator(encoding: encoding)
      return try frame(identifier, [encoding] + Array(texts.joined(separator: end)))
    case .text(let identifier):
      let values = identifier == "TCON" ? values.map(genre) : values
      let encoding = version.encoding(of: values)
      return try frame(identifier, [encoding] + (try joined(values, encoding: encoding)))
    case .year: return try year(values[0])
    case .userText(let key):
      let encoding = version.encoding(of: [key] + values)
      let head = try described(key, [], encoding: encoding)
      return try frame("TXXX", head + (try joined(values, encoding: encoding)))
    case .comment(let description, let own):
      return try inLanguage("COMM", own ?? language, description, values)
    case .lyrics(let description, let own):
      return try inLanguage("USLT", own ?? language, description, values)
    case .link(let identifier):
      // A frame holds one link, and some may stand several times (§4.3.1).
      return try concatenated(values) { value throws(ID3TagError) in
        try frame(identifier, Array(value.utf8))
      }
    case .userLink(let description):
      return try concatenated(values) { value throws(ID3TagError) in
        try linkFrame(description, value)
      }
    case .podcast: return try frame("PCST", [0, 0, 0, 0])
    case .identifier(let owner):
      return try frame("UFID", Array(owner.utf8) + [0] + Array(values[0].utf8))
    }
  }

  private func concatenated(
    _ values: [String], _ frame: (String) throws(ID3TagError) -> [UInt8]
  ) throws(ID3TagError) -> [UInt8] {
    var frames: [UInt8] = []
    for value in values { frames += try frame(value) }
    return frames
  }

  /// Several values in one text.
  private func joined(_ values: [String], encoding: UInt8) throws(ID3TagError) -> [UInt8] {
    guard version == .v24 else {
      let text = values.joined(separator: version.valueSeparator)
      return try version.bytes(of: text, encoding: encoding)
    }
    var texts: [[UInt8]] = []
    for value in values { texts.append(try version.bytes(of: value, encoding: encoding)) }
    return Array(texts.joined(separator: Array(version.valueSeparator.utf8)))
  }

  /// Encoding, what stands before the description, and the description.
  private func described(
    _ description: String, _ before: [UInt8], encoding: UInt8
  ) throws(ID3TagError) -> [UInt8] {
    [encoding] + before + (try version.bytes(of: description, encoding: encoding))
      + ID3Version.terminator(encoding: encoding)
  }

  private func inLanguage(
    _ identifier: String, _ code: String, _ description: String, _ values: [String]
  ) throws(ID3TagError) -> [UInt8] {
    let encoding = version.encoding(of: [description] + values)
    let head = try described(description, Array(code.utf8), encoding: encoding)
    let text = try version.bytes(of: values.joined(separator: "\n"), encoding: encoding)
    return try frame(identifier, head + text)
  }

  /// In 2.3 a bracket begins the number of a genre, and two of them are one (2.3.0 §4.2.1, TCON).
  private func genre(_ name: String) -> String {
    version == .v23 && name.hasPrefix("(") ? "(" + name : name
  }

  /// A time stamp as 2.3 has it: year, day and month, hours and minutes (2.3.0 §4.2.1); seconds,
  /// and a month without a day, have no place there.
  private func year(_ stamp: String) throws(ID3TagError) -> [UInt8] {
    let digits = stamp.filter(\.isNumber)
    func part(_ from: Int, _ to: Int) -> String { String(digits.dropFirst(from).prefix(to - from)) }
    var frames = try textFrame("TYER", part(0, 4))
    if digits.count >= 8 { frames += try textFrame("TDAT", part(6, 8) + part(4, 6)) }
    if digits.count >= 12 { frames += try textFrame("TIME", part(8, 12)) }
    return frames
  }
}
