/// The chunk `bext` of a Broadcast Wave (EBU Tech 3285, versions 0 to 2, 2.3): who made the sound, when
/// it begins, how loud it is and what was done to it.
package struct BroadcastExtension: Sendable, Hashable, Codable {
  /// Measurements in hundredths of LUFS, LU or dBTP (version 2); nil where one was not made.
  package struct Loudness: Sendable, Hashable, Codable {
    /// −99.99 to 99.99 LUFS.
    package var integrated: Int16?
    /// 0 to 99.99 LU.
    package var range: Int16?
    /// −99.99 to 99.99 dBTP.
    package var truePeak: Int16?
    /// The highest in 400 ms, in LUFS.
    package var momentary: Int16?
    /// The highest in 3 s, in LUFS.
    package var shortTerm: Int16?

    package init(
      integrated: Int16? = nil, range: Int16? = nil, truePeak: Int16? = nil,
      momentary: Int16? = nil, shortTerm: Int16? = nil
    ) {
      (self.integrated, self.range, self.truePeak) = (integrated, range, truePeak)
      (self.momentary, self.shortTerm) = (momentary, shortTerm)
    }

    fileprivate var values: [Int16?] { [integrated, range, truePeak, momentary, shortTerm] }

    /// What stands for a value that was not measured.
    fileprivate static let none: Int16 = 0x7FFF
    fileprivate static let names = [
      "loudness", "loudness range", "true peak", "momentary loudness", "short-term loudness",
    ]

    /// Values beyond the standard's ranges say nothing.
    fileprivate static func isValid(_ value: Int16, at index: Int) -> Bool {
      (index == 1 ? 0...9999 : -9999...9999) ~= value
    }
  }

  package var description = ""
  package var originator = ""
  package var originatorReference = ""
  /// `2026-11-29`; the separators differ.
  package var originationDate = ""
  /// `07:30:00`
  package var originationTime = ""
  /// Frames from midnight to the first one of the sound: a count, which may pass a day.
  package var timeReference: UInt64 = 0
  /// 0 to 2: later fields are read and written from version 1 (UMID) and 2 (loudness) on.
  package var version = 2
  /// 64 bytes, or the first 32 of a basic one (SMPTE ST 330); empty without any.
  package var umid: [UInt8] = []
  package var loudness: Loudness?
  /// Rows that end in CR LF (EBU R 98), see `CodingHistory`.
  package var codingHistory = ""
  /// The texts that the file has in other bytes than UTF-8.
  private var stored = StoredTexts()

  package init() {}

  /// Bytes before the coding history.
  package static let fixedSize = 602
  private static let chunk = "bext"
  private static let umidSize = 64
  private static let history = "coding history"
  private static let texts = [
    ("description", 256), ("originator", 32), ("originator reference", 32),
    ("origination date", 10), ("origination time", 8),
  ]

  /// Reads the chunk's content; nil where it has not even a description. What a short one lacks is
  /// empty. Fields that came after its version are not read: older writers left rubbish there. O(n)
  package init?(
    _ bytes: [UInt8], isBigEndian: Bool = false, defects: inout [ChunkDefect]
  ) {
    guard bytes.count >= Self.texts[0].1 else {
      defects.note(Self.chunk, .unreadable(has: bytes.count, needs: Self.fixedSize))
      return nil
    }
    if bytes.count < Self.fixedSize {
      defects.note(Self.chunk, .short(has: bytes.count, needs: Self.fixedSize))
    }
    var reader = ChunkReader(Self.chunk, bytes, isBigEndian: isBigEndian)
    var values: [String] = []
    for (name, size) in Self.texts { values.append(reader.text(size, name, &defects)) }
    (description, originator, originatorReference) = (values[0], values[1], values[2])
    (originationDate, originationTime) = (values[3], values[4])
    let low = reader.number(UInt32.self)
    timeReference = UInt64(reader.number(UInt32.self)) << 32 | UInt64(low)
    let announced = reader.number(UInt16.self)
    if announced > 2 { defects.note(Self.chunk, .version(Int(announced))) }
    version = Int(min(announced, 2))
    if version >= 1 { umid = Self.umid(reader.bytes(Self.umidSize)) }
    if version >= 2, reader.rest >= 10 { loudness = Self.loudness(&reader, &defects) }
    stored = reader.stored
    reader = ChunkReader(
      Self.chunk, bytes.dropFirst(Self.fixedSize), isBigEndian: isBigEndian)
    codingHistory = reader.text(Self.history, &defects)
    stored.add(reader.stored)
  }

  /// Zeros are none, and so is half of one.
  private static func umid(_ field: ArraySlice<UInt8>) -> [UInt8] {
    guard field.count == umidSize, field.contains(where: { $0 != 0 }) else { return [] }
    return Array(field.dropFirst(32).contains { $0 != 0 } ? field : field.prefix(32))
  }

  private static func loudness(
    _ reader: inout ChunkReader, _ defects: inout [ChunkDefect]
  ) -> Loudness? {
    let numbers = (0..<5).map { _ in reader.number(Int16.self) }
    // Writers that do not measure leave zeros; no sound has them all.
    guard numbers.contains(where: { $0 != 0 }) else { return nil }
    let values: [Int16?] = numbers.enumerated().map { index, value in
      guard value != Loudness.none else { return nil }
      guard Loudness.isValid(value, at: index) else {
        defects.note(chunk, .badValue(field: Loudness.names[index]))
        return nil
      }
      return value
    }
    guard values.contains(where: { $0 != nil }) else { return nil }
    return Loudness(
      integrated: values[0], range: values[1], truePeak: values[2], momentary: values[3],
      shortTerm: values[4])
  }

  private var textFields: [(text: String, name: String, size: Int)] {
    zip(
      [description, originator, originatorReference, originationDate, originationTime], Self.texts
    )
    .map { ($0, $1.0, $1.1) }
  }

  /// What `bytes` cannot hold: texts that are cut, and those beyond ASCII, which the standard asks for.
  package var losses: [ChunkDefect] {
    var found: [ChunkDefect] = []
    for field in textFields where stored.bytes(of: field.name, field.text) == nil {
      field.text.noteLosses(Self.chunk, field.name, limit: field.size, isASCII: true, &found)
    }
    if stored.bytes(ofExtended: Self.history, codingHistory) == nil {
      codingHistory.noteLosses(Self.chunk, Self.history, limit: .max, isASCII: true, &found)
    }
    return found
  }

  /// The chunk's content, 602 bytes and the coding history. Texts that are still those of the chunk
  /// that was read have its bytes, whatever their encoding; others are UTF-8 (see `losses`). O(n)
  package func bytes(isBigEndian: Bool = false) -> [UInt8] {
    var writer = ChunkWriter(isBigEndian: isBigEndian)
    for field in textFields {
      writer.append(
        field.text, filling: field.size, as: stored.bytes(of: field.name, field.text))
    }
    writer.append(UInt32(truncatingIfNeeded: timeReference))
    writer.append(UInt32(truncatingIfNeeded: timeReference >> 32))
    let version = min(max(0, version), 2)
    writer.append(UInt16(version))
    writer.append(version >= 1 ? umid : [], filling: Self.umidSize)
    if version >= 2 {
      for (index, value) in (loudness ?? Loudness()).values.enumerated() {
        let valid = value.flatMap { Loudness.isValid($0, at: index) ? $0 : nil }
        writer.append(valid ?? Loudness.none)
      }
    }
    writer.append(zeros: Self.fixedSize - writer.bytes.count)
    writer.append(
      stored.bytes(ofExtended: Self.history, codingHistory) ?? codingHistory.bytes(atMost: .max))
    return writer.bytes
  }
}

extension BroadcastExtension {
  /// A time reference by its digits; nil for anything else, as a sign, a time, or more than 64 bits.
  package static func timeReference(_ text: String) -> UInt64? {
    text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? UInt64(text) : nil
  }
}
