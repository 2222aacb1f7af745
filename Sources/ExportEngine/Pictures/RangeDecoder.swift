import LibAV
import MediaTime
import VideoBitstream

/// One picture of a range, decoded.
struct DecodedPicture {
  let frame: Frame
  /// When it is shown in the source, and when the one behind it.
  let shown: Int64
  let end: Int64
}

/// Decodes a source from an entry on, and gives the pictures of a range: up to the next entry from which
/// can be copied, or to the range's end.
final class RangeDecoder {
  /// The entry that ended it, which is the first of `window`; nil where the range has ended.
  var entry: CodedPicture? { feed.entry }
  var window: PictureWindow { feed.window }
  /// What was decoded before the entry.
  var observer: GroupObserver? { feed.observer }

  private var feed: PictureFeed
  private let passage: PicturePassage
  private let first: Int64
  private let decoder: Decoder
  private var whole = WholePictures()
  /// The form of what was sent last, and a picture of another one that is sent when all before it was taken:
  /// where it changes, decoders lose what they hold.
  private var form: CodedForm?
  private var waiting: CodedPicture?
  private var isFresh = true
  private var isDrained = false
  private var isDone = false

  /// A decoder for the pictures from `first` on; `window` is at one from which that can be decoded,
  /// `isEntry` says from which can be copied, which is shown until a tick, and `observer` is shown what is
  /// decoded before it.
  init(
    _ passage: PicturePassage, _ window: PictureWindow, from first: Int64,
    to isEntry: @escaping (CodedPicture, Int64) -> Bool = { _, _ in false },
    _ observer: GroupObserver? = nil
  ) throws(LibAVError) {
    (self.passage, self.first) = (passage, first)
    feed = PictureFeed(passage, window, from: first, to: isEntry, observer)
    decoder = try passage.reel.decoder(isFaded: passage.range.isFaded)
  }

  /// The next picture, in order of showing; nil at the end. Where all of a source is decoded, interlaced
  /// pictures are made whole.
  ///
  /// - Throws: Where a picture of the range cannot be decoded.
  func next() throws(LibAVError) -> DecodedPicture? {
    guard passage.reel.isDecoded else { return try decoded() }
    return try whole.next(of: passage.reel.stream, decoded)
  }

  private func decoded() throws(LibAVError) -> DecodedPicture? {
    while !isDone {
      if let picture = try receive() { return picture }
      guard !isDone, !isDrained else { break }
      try sendNext()
    }
    isDone = true
    if let missing = feed.expected.first { throw damaged(missing) }
    return nil
  }

  private func damaged(_ tick: Int64) -> LibAVError {
    .refusedPicture(
      "has a damaged picture at \(passage.reel.readableTime(of: tick)), where it is to be encoded "
        + "anew; encode the file again, or cut elsewhere")
  }

  private func receive() throws(LibAVError) -> DecodedPicture? {
    let frame = try Frame()
    while try hasReceived(frame) {
      guard let shown = frame.timestamp, shown >= first else { continue }
      let end = window.next(after: shown)
      guard entry.map({ shown < $0.shown }) ?? passage.includes(shown, until: end) else {
        isDone = true
        return nil
      }
      guard feed.expected.first == shown, !frame.isGuessed, !frame.hasExcessBits else {
        throw damaged(min(feed.expected.first ?? shown, shown))
      }
      feed.takeExpected()
      return DecodedPicture(frame: frame, shown: shown, end: end)
    }
    return nil
  }

  private func hasReceived(_ frame: Frame) throws(LibAVError) -> Bool {
    do throws(LibAVError) {
      return try decoder.receive(into: frame)
    } catch {
      // What is missing then is found by its time.
      guard error.isDamage else { throw error }
      return false
    }
  }

  private func sendNext() throws(LibAVError) {
    if let picture = waiting {
      waiting = nil
      decoder.flush()
      return try send(picture.packet)
    }
    let picture = try feed.next()
    if let picture, beginsAnew(picture) {
      waiting = picture
      return try send(nil)
    }
    isDrained = picture == nil
    try send(picture?.packet)
  }

  /// Whether nothing behind a picture needs what was sent before it, and it has another form or other
  /// parameter sets. Where not all is decoded, `PictureFeed` refuses such a picture.
  private func beginsAnew(_ picture: CodedPicture) -> Bool {
    guard passage.reel.isDecoded, picture.kind == .entry else { return false }
    let coding = passage.reel.coding
    guard let own = coding.form(saidBy: picture.packet) else {
      return !isFresh && coding.kind(of: picture.packet).isChange
    }
    defer { form = own }
    return form.map { $0 != own } ?? false
  }

  private func send(_ packet: Packet?) throws(LibAVError) {
    let packet = isFresh ? try packet.map(passage.reel.introduced) : packet
    isFresh = false
    do throws(LibAVError) {
      try decoder.send(packet)
    } catch {
      // What is missing then is found by its time.
      guard error.isDamage else { throw error }
    }
  }
}
