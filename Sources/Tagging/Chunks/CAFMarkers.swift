/// Markers of a CAF, and their names (Apple, "Core Audio Format Specification 1.0": Marker Chunk and
/// Strings Chunk).
package struct CAFMarkers: Sendable, Hashable {
  /// A place in the sound.
  package struct Marker: Sendable, Hashable {
    /// Four characters, see `regionStart` and `regionEnd`; 0 for a plain marker.
    package var type: UInt32
    /// The nearest whole frame.
    package var frame: UInt64
    /// What names its text, and pairs start and end.
    package var id: UInt32
    /// Hours, minutes, seconds and frames, and parts of a frame in four bytes; all 0xFF for none.
    package var smpteTime: [UInt8]
    /// The channel that it belongs to, from 1 on; 0 for all.
    package var channel: UInt32
    package var name: String?

    /// `rbeg`: a region begins, which ends at the marker of type `rend` and the same number.
    package static let regionStart: UInt32 = 0x7262_6567
    /// `rend`
    package static let regionEnd: UInt32 = 0x7265_6E64
    /// `rsyc`: a place of a region.
    package static let regionSync: UInt32 = 0x7273_7963
    /// `slbg` and `slen`, `rlbg` and `rlen`: loops while a note is held, and behind it.
    package static let loopStarts: [UInt32] = [0x736C_6267, 0x726C_6267]
    package static let loopEnds: [UInt32] = [0x736C_656E, 0x726C_656E]
    /// What begins here: anything, a region, a program (`pbeg`), a track (`tbeg`), or an index (`indx`)
    /// of one.
    package static let places: Set<UInt32> = [
      0, regionStart, 0x7062_6567, 0x7462_6567, 0x696E_6478,
    ]

    package init(
      type: UInt32 = 0, frame: UInt64, id: UInt32, name: String? = nil, channel: UInt32 = 0,
      smpteTime: [UInt8] = [UInt8](repeating: 0xFF, count: 8)
    ) {
      (self.type, self.frame, self.id, self.name) = (type, frame, id, name)
      (self.channel, self.smpteTime) = (channel, smpteTime)
    }

    /// Reads the next one; nil where its place is none.
    init?(_ reader: inout ChunkReader, names: [UInt32: String], _ defects: inout [ChunkDefect]) {
      type = reader.number()
      let frame = Double(bitPattern: reader.number(UInt64.self)).rounded()
      id = reader.number()
      smpteTime = Array(reader.bytes(8))
      channel = reader.number()
      name = names[id]
      guard (0...CAFMarkers.frameLimit).contains(frame) else {
        defects.note(reader.chunk, .badValue(field: "position"))
        return nil
      }
      self.frame = UInt64(frame)
    }

    func append(to writer: inout ChunkWriter) {
      writer.append(type)
      writer.append(Double(frame).bitPattern)
      writer.append(id)
      writer.append(smpteTime, filling: 8)
      writer.append(channel)
    }

    /// The four characters of its type, those that are no letters as `?`.
    package var typeName: String {
      String(
        decoding: [24, 16, 8, 0].map { shift -> UInt8 in
          let byte = UInt8(truncatingIfNeeded: type >> shift)
          return 0x20...0x7E ~= byte ? byte : UInt8(ascii: "?")
        }, as: UTF8.self)
    }
  }

  /// What the SMPTE times count in; 0 for none.
  package var smpteType: UInt32 = 0
  package var markers: [Marker] = []

  package init(_ markers: [Marker] = []) { self.markers = markers }

  private static let (marks, strings) = ("mark", "strg")
  static let markerSize = 28
  private static let stringSize = 12
  /// Beyond this a number of 64 bits in floating point is no frame.
  fileprivate static let frameLimit = 0x1p53

  /// Reads the contents of `mark` and, for the names, of `strg`. O(n)
  package init(marks: [UInt8], strings: [UInt8]? = nil, defects: inout [ChunkDefect]) {
    if marks.count < 8 { defects.note(Self.marks, .unreadable(has: marks.count, needs: 8)) }
    let names = Self.names(strings ?? [], &defects)
    var reader = ChunkReader(Self.marks, marks, isBigEndian: true)
    smpteType = reader.number()
    let announced = reader.number(UInt32.self)
    for _ in 0..<reader.count(UInt64(announced), of: Self.markerSize, &defects) {
      if let marker = Marker(&reader, names: names, &defects) { markers.append(marker) }
    }
  }

  /// The texts of `strg` by their numbers. O(n)
  static func names(
    _ bytes: [UInt8], _ defects: inout [ChunkDefect]
  ) -> [UInt32: String] {
    var reader = ChunkReader(strings, bytes, isBigEndian: true)
    let announced = reader.number(UInt32.self)
    let count = reader.count(UInt64(announced), of: stringSize, &defects)
    let places = (0..<count).map { _ in
      (id: reader.number(UInt32.self), offset: reader.number(Int64.self))
    }
    let texts = reader.bytes(reader.rest)
    var names: [UInt32: String] = [:]
    // Texts that share their bytes cannot be more than these.
    var budget = texts.count
    for place in places {
      guard let offset = Int(exactly: place.offset), 0..<texts.count ~= offset else {
        defects.note(strings, .badValue(field: "offset"))
        continue
      }
      let text = texts[(texts.startIndex + offset)...].prefix { $0 != 0 }
      budget -= text.count
      guard budget >= 0 else {
        defects.note(strings, .inconsistent("texts overlap"))
        break
      }
      var field = ChunkReader(strings, text, isBigEndian: true)
      names[place.id] = names[place.id] ?? field.text("name", &defects)
    }
    return names
  }

  /// The content of `mark`; nil without markers. O(n)
  package var markBytes: [UInt8]? {
    guard !markers.isEmpty else { return nil }
    let markers = markers.prefix(ChunkLimits.entries)
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(smpteType)
    writer.append(UInt32(markers.count))
    for marker in markers { marker.append(to: &writer) }
    return writer.bytes
  }

  /// The content of `strg`: a text for each number of a named marker; nil without names. O(n)
  package var stringBytes: [UInt8]? {
    var seen: Set<UInt32> = []
    let named = markers.prefix(ChunkLimits.entries).compactMap { marker in
      marker.name.flatMap { seen.insert(marker.id).inserted ? (marker.id, $0) : nil }
    }
    guard !named.isEmpty else { return nil }
    var writer = ChunkWriter(isBigEndian: true)
    var texts: [UInt8] = []
    writer.append(UInt32(named.count))
    for (id, name) in named {
      writer.append(id)
      writer.append(Int64(texts.count))
      texts += name.bytes(atMost: .max) + [0]
    }
    writer.append(texts)
    return writer.bytes
  }
}
