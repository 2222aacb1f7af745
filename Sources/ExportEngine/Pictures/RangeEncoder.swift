import LibAV

/// One picture that was encoded.
struct EncodedPicture {
  let packet: Packet
  /// When it is shown in the source, and when the one behind it.
  let shown: Int64
  let end: Int64
}

/// Pictures that an encoder was given, which makes a packet of each, in the same order.
struct SentPictures {
  private var times: ArraySlice<(shown: Int64, end: Int64)> = []

  /// Adds a picture that is shown in its source from a tick on, up to another one.
  mutating func add(shown: Int64, until end: Int64) { times.append((shown, end)) }

  /// The picture of the next packet.
  ///
  /// - Throws: A refusal where none was sent.
  mutating func picture(of packet: Packet) throws(LibAVError) -> EncodedPicture {
    guard let time = times.popFirst() else { throw LibAVError.miscounted }
    return EncodedPicture(packet: packet, shown: time.shown, end: time.end)
  }

  /// Throws where a picture has not come out, and no other will.
  func requireEnd() throws(LibAVError) {
    guard times.isEmpty else { throw LibAVError.miscounted }
  }
}

/// Encodes what is decoded of a range and changed by its fades, like its source.
final class RangeEncoder {
  let decoder: RangeDecoder
  private let mixer: PictureMixer
  private let passage: PicturePassage
  private var encoder: PictureEncoder?
  private var sent = SentPictures()
  private var isDone = false
  private var form: PictureForm?

  /// An encoder for pictures of a passage that `decoder` gives.
  init(_ decoder: RangeDecoder, of passage: PicturePassage, _ reels: PictureReels) {
    (self.decoder, self.passage) = (decoder, passage)
    mixer = PictureMixer(passage, of: reels)
  }

  /// What decoders are told of the run; empty where its first packet says it, or before it.
  var header: [UInt8] { encoder?.header ?? [] }

  /// The next pictures, in order; nil at the end.
  ///
  /// - Throws: Where a picture of the range cannot be decoded, or is not encoded.
  func next() throws(LibAVError) -> [EncodedPicture]? {
    guard !isDone else { return nil }
    if let picture = try decoder.next() {
      let frame = try mixer.frame(of: picture)
      if encoder == nil {
        form = frame.form
        encoder = try passage.reel.encoder(
          frame.form, coloursOf: frame, isFaded: passage.range.isFaded)
      }
      // Encoders read as many bytes as the first picture has.
      guard frame.form == form else {
        throw LibAVError.refusedPicture(
          "changes the size or the format of its picture at "
            + "\(passage.reel.time(of: picture.shown).readableText); encode all of it, as 'video: { h264: "
            + "crf 20 }'")
      }
      try encoder?.send(frame)
      sent.add(shown: picture.shown, until: picture.end)
    } else {
      isDone = true
      try encoder?.send(nil)
    }
    var pictures: [EncodedPicture] = []
    while let packet = try encoder?.next() { pictures.append(try sent.picture(of: packet)) }
    if isDone { try sent.requireEnd() }
    return pictures
  }
}
