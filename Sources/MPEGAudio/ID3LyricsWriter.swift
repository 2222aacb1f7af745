import MediaTime

/// Lyrics; sections are those of 2.4.0's native frames.
extension ID3Writer {
  /// Lyrics without times (`USLT`, §4.8) and with them (`SYLT`, §4.9).
  ///
  /// - Parameters:
  ///   - lyrics: In order of time.
  ///   - items: The tag's: those without times have a description that none of these has.
  /// - Returns: Two frames.
  /// - Throws: As `ID3Tag.encoded`.
  func lyrics(
    _ lyrics: ID3Tag.Lyrics, beside items: [ID3Tag.Item]
  ) throws(ID3TagError) -> [UInt8] {
    let language = Array((lyrics.language.flatMap(ID3Languages.code) ?? ID3Languages.unknown).utf8)
    let encoding = version.encoding(of: lyrics.lines.map(\.text))
    let end = ID3Version.terminator(encoding: encoding)
    let taken = Set(
      items.compactMap { item -> String? in
        guard !item.value.isEmpty, case .lyrics(let name, _)? = ID3Slot(item, version: version)
        else { return nil }
        return name
      })
    let names = ["", "Transcript"] + (2...taken.count + 2).map { "Transcript \($0)" }
    let description = names.first { !taken.contains($0) } ?? ""
    func head(_ between: [UInt8], _ description: String) throws(ID3TagError) -> [UInt8] {
      [encoding] + language + between
        + (try version.bytes(of: description, encoding: encoding)) + end
    }
    let text = lyrics.lines.map(\.text).joined(separator: "\n")
    var plain = try head([], description)
    plain += try version.bytes(of: text, encoding: encoding)
    // Times are milliseconds, and what stands at them is what is said.
    var timed = try head([2, 2], "")
    for (index, line) in lyrics.lines.enumerated() {
      // A new line begins with its line feed (§4.9).
      let text = (index == 0 ? "" : "\n") + line.text
      timed += try version.bytes(of: text, encoding: encoding)
      timed += end
      timed += try Self.milliseconds(line.start, of: "line \(index + 1) of the lyrics")
    }
    return try frame("USLT", plain) + frame("SYLT", timed)
  }
}
