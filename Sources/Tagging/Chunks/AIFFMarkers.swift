/// Markers, comments and the instrument of an AIFF (Apple, "Audio Interchange File Format 1.3": Marker,
/// Comments and Instrument Chunk).
package struct AIFFMarkers: Sendable, Hashable {
  /// A place between two frames.
  package struct Marker: Sendable, Hashable {
    /// From 1 to 32,767.
    package var id: UInt16
    /// The frame behind the place.
    package var frame: UInt32
    /// At most 255 bytes are written.
    package var name: String

    package init(id: UInt16, frame: UInt32, name: String = "") {
      (self.id, self.frame, self.name) = (id, frame, name)
    }
  }

  /// A text, of a marker or of the file.
  package struct Comment: Sendable, Hashable {
    /// Seconds since 1904 began.
    package var time: UInt32
    /// The number of a marker; 0 for none.
    package var marker: UInt16
    /// At most 65,535 bytes are written.
    package var text: String

    package init(time: UInt32 = 0, marker: UInt16 = 0, text: String) {
      (self.time, self.marker, self.text) = (time, marker, text)
    }
  }

  /// Sound between two markers that repeats.
  package struct Loop: Sendable, Hashable {
    /// 0: none; 1: forwards; 2: forwards and backwards.
    package var mode: UInt16
    /// Numbers of markers; the loop has the frames from the one up to the other.
    package var begin: UInt16
    package var end: UInt16

    /// What its markers are called that have no name of their own.
    package static let (beginName, endName) = ("beg loop", "end loop")

    package init(mode: UInt16 = 0, begin: UInt16 = 0, end: UInt16 = 0) {
      (self.mode, self.begin, self.end) = (mode, begin, end)
    }
  }

  /// How an instrument plays the sound.
  package struct Instrument: Sendable, Hashable {
    package var playing: InstrumentChunk
    /// While a note is held.
    package var sustain: Loop
    /// When it is released.
    package var release: Loop

    package init(playing: InstrumentChunk, sustain: Loop = Loop(), release: Loop = Loop()) {
      (self.playing, self.sustain, self.release) = (playing, sustain, release)
    }
  }

  package var markers: [Marker] = []
  package var comments: [Comment] = []
  package var instrument: Instrument?

  package init() {}

  private static let (marks, texts, instrumentChunk) = ("MARK", "COMT", "INST")
  private static let instrumentSize = 20

  /// Reads the contents of `MARK`, `COMT` and `INST`, as far as a file has them. O(n)
  package init(
    marks: [UInt8]? = nil, comments: [UInt8]? = nil, instrument: [UInt8]? = nil,
    defects: inout [ChunkDefect]
  ) {
    if let marks { readMarkers(marks, &defects) }
    if let comments { readComments(comments, &defects) }
    if let instrument { readInstrument(instrument, &defects) }
  }

  private mutating func readMarkers(_ bytes: [UInt8], _ defects: inout [ChunkDefect]) {
    var reader = ChunkReader(Self.marks, bytes, isBigEndian: true)
    let announced = reader.number(UInt16.self)
    var ids: Set<UInt16> = []
    for _ in 0..<announced {
      guard reader.rest >= 7 else {
        defects.note(
          Self.marks, .overstated(announced: UInt64(announced), found: markers.count))
        break
      }
      let (id, frame): (UInt16, UInt32) = (reader.number(), reader.number())
      let size = Int(reader.number(UInt8.self))
      let name = reader.counted(size, atMost: 255, "marker", &defects)
      // A Pascal text is as long as an even number of bytes, its length among them.
      _ = reader.bytes((size + 1) % 2)
      if id == 0 || id > Int16.max { defects.note(Self.marks, .badID(UInt32(id))) }
      if !ids.insert(id).inserted { defects.note(Self.marks, .repeatedID(UInt32(id))) }
      markers.append(Marker(id: id, frame: frame, name: name))
    }
  }

  private mutating func readComments(_ bytes: [UInt8], _ defects: inout [ChunkDefect]) {
    var reader = ChunkReader(Self.texts, bytes, isBigEndian: true)
    let announced = reader.number(UInt16.self)
    for _ in 0..<announced {
      guard reader.rest >= 8 else {
        defects.note(
          Self.texts, .overstated(announced: UInt64(announced), found: comments.count))
        break
      }
      let (time, marker): (UInt32, UInt16) = (reader.number(), reader.number())
      let size = Int(reader.number(UInt16.self))
      let text = reader.counted(size, atMost: Int(UInt16.max), "comment", &defects)
      _ = reader.bytes(size % 2)
      comments.append(Comment(time: time, marker: marker, text: text))
    }
  }

  /// A comment as a file has it.
  package struct StoredComment: Sendable, Hashable {
    /// The number of a marker; 0 for none.
    package let marker: UInt16
    /// All of it, with its padding.
    package let bytes: [UInt8]
  }

  /// The comments in the content of `COMT`; one that the content cuts has the size that is left. O(n)
  package static func storedComments(in content: [UInt8]) -> [StoredComment] {
    var reader = ChunkReader(texts, content, isBigEndian: true)
    let announced = reader.number(UInt16.self)
    var found: [StoredComment] = []
    while found.count < announced, reader.rest >= 8 {
      let (time, marker): (UInt32, UInt16) = (reader.number(), reader.number())
      let size = Int(reader.number(UInt16.self))
      let text = reader.bytes(size)
      _ = reader.bytes(size % 2)
      var writer = ChunkWriter(isBigEndian: true)
      writer.append(time)
      writer.append(marker)
      writer.append(UInt16(text.count))
      writer.append(text)
      writer.append(zeros: text.count % 2)
      found.append(StoredComment(marker: marker, bytes: writer.bytes))
    }
    return found
  }

  /// The content of `COMT` with these comments; nil without any. O(n)
  package static func commentBytes(of comments: [StoredComment]) -> [UInt8]? {
    guard !comments.isEmpty else { return nil }
    let comments = comments.prefix(Int(UInt16.max))
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(UInt16(comments.count))
    for comment in comments { writer.append(comment.bytes) }
    return writer.bytes
  }

  private mutating func readInstrument(_ bytes: [UInt8], _ defects: inout [ChunkDefect]) {
    guard bytes.count >= Self.instrumentSize else {
      defects.note(
        Self.instrumentChunk, .unreadable(has: bytes.count, needs: Self.instrumentSize))
      return
    }
    var reader = ChunkReader(Self.instrumentChunk, bytes, isBigEndian: true)
    var playing = InstrumentChunk()
    (playing.unityNote, playing.fineTune) = (reader.number(), reader.number())
    (playing.lowNote, playing.highNote) = (reader.number(), reader.number())
    (playing.lowVelocity, playing.highVelocity) = (reader.number(), reader.number())
    playing.gain = reader.number()
    let loops = (0..<2).map { _ in
      Loop(mode: reader.number(), begin: reader.number(), end: reader.number())
    }
    instrument = Instrument(playing: playing, sustain: loops[0], release: loops[1])
  }

  /// The frames of a loop; nil for none, and where its markers are missing or in the other order.
  package func frames(of loop: Loop) -> Range<UInt32>? {
    guard loop.mode != 0, let begin = markers.first(where: { $0.id == loop.begin })?.frame,
      let end = markers.first(where: { $0.id == loop.end })?.frame, begin < end
    else { return nil }
    return begin..<end
  }

  /// What the contents cannot hold.
  package var losses: [ChunkDefect] {
    var found: [ChunkDefect] = []
    if markers.count > Int(Int16.max) { found.note(Self.marks, .tooMany(limit: Int(Int16.max))) }
    if comments.count > Int(UInt16.max) { found.note(Self.texts, .tooMany(limit: Int(UInt16.max))) }
    for marker in markers {
      marker.name.noteLosses(Self.marks, "marker", limit: 255, isASCII: false, &found)
    }
    for comment in comments {
      comment.text.noteLosses(
        Self.texts, "comment", limit: Int(UInt16.max), isASCII: false, &found)
    }
    return found
  }

  /// The content of `MARK`; nil without markers. O(n)
  package var markBytes: [UInt8]? {
    guard !markers.isEmpty else { return nil }
    let markers = markers.prefix(Int(Int16.max))
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(UInt16(markers.count))
    for marker in markers {
      writer.append(marker.id)
      writer.append(marker.frame)
      let name = marker.name.bytes(atMost: 255)
      writer.append([UInt8(name.count)] + name)
      writer.append(zeros: (name.count + 1) % 2)
    }
    return writer.bytes
  }

  /// The content of `COMT`; nil without comments. O(n)
  package var commentBytes: [UInt8]? {
    guard !comments.isEmpty else { return nil }
    let comments = comments.prefix(Int(UInt16.max))
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(UInt16(comments.count))
    for comment in comments {
      writer.append(comment.time)
      writer.append(comment.marker)
      let text = comment.text.bytes(atMost: Int(UInt16.max))
      writer.append(UInt16(text.count))
      writer.append(text)
      writer.append(zeros: text.count % 2)
    }
    return writer.bytes
  }

  /// The content of `INST`, 20 bytes; nil without an instrument.
  package var instrumentBytes: [UInt8]? {
    guard let instrument else { return nil }
    let playing = instrument.playing
    var writer = ChunkWriter(isBigEndian: true)
    writer.append([
      playing.unityNote, UInt8(bitPattern: playing.fineTune), playing.lowNote, playing.highNote,
      playing.lowVelocity, playing.highVelocity,
    ])
    writer.append(playing.gain)
    for loop in [instrument.sustain, instrument.release] {
      for number in [loop.mode, loop.begin, loop.end] { writer.append(number) }
    }
    return writer.bytes
  }
}
