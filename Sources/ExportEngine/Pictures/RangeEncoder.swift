import LibAV
import MediaTime

/// One picture that was encoded.
struct EncodedPicture {
  let packet: Packet
  /// When it is shown in the source, and when the one behind it.
  let shown: Int64
  let end: Int64
}

/// Decodes a source from an entry on, and encodes the pictures of a range: up to the next entry from which
/// can be copied, or to the range's end.
final class RangeEncoder {
  /// What a picture is to the range.
  struct Bounds {
    /// When its first picture is shown.
    let first: Int64
    /// Whether a picture that is shown until a moment stands before the range's end.
    let includes: (_ shown: Int64, _ end: Int64) -> Bool
    /// Whether copying may begin with an entry.
    let isEntry: (CodedPicture) -> Bool
  }

  /// The entry that ended it, which is the first of `window`; nil where the range has ended.
  private(set) var entry: CodedPicture?
  private(set) var window: PictureWindow
  /// What was decoded before the entry.
  private(set) var observer: GroupObserver?
  /// What decoders are told of the run; empty where its first packet says it, or before it.
  var header: [UInt8] { encoder?.header ?? [] }

  private let reel: PictureReel
  private let bounds: Bounds
  private let decoder: Decoder
  private let frame: Frame
  private var encoder: PictureEncoder?
  private var isDone = false
  /// When pictures are shown that were sent to the encoder, and came from the source.
  private var sent: [(shown: Int64, end: Int64)] = []
  private var expected: [Int64] = []
  /// What came out, and was not given yet.
  private var encoded: [EncodedPicture] = []
  /// How many of `sent` have come out.
  private var count = 0

  /// An encoder for a range; `window` is at a picture from which it can be decoded, and `observer` is shown
  /// what is decoded before the entry.
  init(
    _ reel: PictureReel, _ window: PictureWindow, _ bounds: Bounds, _ observer: GroupObserver?
  ) throws(LibAVError) {
    (self.reel, self.window, self.bounds, self.observer) = (reel, window, bounds, observer)
    decoder = try reel.decoder()
    frame = try Frame()
  }

  /// The next pictures, in order; nil at the end.
  ///
  /// - Throws: Where a picture of the range cannot be decoded.
  func next() throws(LibAVError) -> [EncodedPicture]? {
    guard !isDone else { return nil }
    try window.fill(1)
    guard let picture = window.pictures.first else {
      try decode(nil)
      return try finish()
    }
    if bounds.isEntry(picture) {
      try decodeAround(picture)
      return try finish()
    }
    _ = window.take(1)
    observer?.observe(picture)
    expect(picture)
    try decode(picture.packet)
    return isDone ? try finish() : takeEncoded()
  }

  /// Decodes an entry, and what follows it and is shown before it, and may need what is on both sides.
  private func decodeAround(_ entry: CodedPicture) throws(LibAVError) {
    self.entry = entry
    let leading = window.pictures.prefix(PictureOrder.most + 1).filter { $0.shown < entry.shown }
    for picture in [entry] + leading where !isDone {
      if picture.shown != entry.shown { expect(picture) }
      try decode(picture.packet)
    }
    if !isDone { try decode(nil) }
  }

  private func expect(_ picture: CodedPicture) {
    guard !picture.isHidden, picture.shown >= bounds.first,
      bounds.includes(picture.shown, window.next(after: picture.shown))
    else { return }
    expected.append(picture.shown)
  }

  /// Decodes a packet, and encodes what comes out, until all of the range did.
  private func decode(_ packet: Packet?) throws(LibAVError) {
    do throws(LibAVError) {
      try decoder.send(packet)
    } catch {
      // What is missing then is found by its time.
      guard error.isDamage else { throw error }
    }
    while !isDone, try decoder.receive(into: frame) {
      guard let shown = frame.timestamp, shown >= bounds.first else { continue }
      let end = window.next(after: shown)
      if entry.map({ shown >= $0.shown }) ?? !bounds.includes(shown, end) {
        isDone = true
      } else {
        try encode(shown, until: end)
      }
    }
  }

  private func encode(_ shown: Int64, until end: Int64) throws(LibAVError) {
    if encoder == nil { encoder = try reel.encoder(frame.form) }
    try encoder?.send(frame)
    sent.append((shown, end))
    try collect()
  }

  private func collect() throws(LibAVError) {
    while count < sent.count, let packet = try encoder?.next() {
      encoded.append(
        EncodedPicture(packet: packet, shown: sent[count].shown, end: sent[count].end))
      count += 1
    }
  }

  private func takeEncoded() -> [EncodedPicture] {
    defer { encoded = [] }
    return encoded
  }

  private func finish() throws(LibAVError) -> [EncodedPicture] {
    isDone = true
    let expected = expected.sorted()
    guard sent.map(\.shown) == expected else {
      let found = Set(sent.map(\.shown))
      let missing = expected.first { !found.contains($0) } ?? bounds.first
      throw LibAVError.refusedPicture(
        "has a damaged picture at \(reel.time(of: missing).readableText), where a cut has it encoded "
          + "anew; encode the file again, or cut elsewhere")
    }
    try encoder?.send(nil)
    try collect()
    return takeEncoded()
  }
}
