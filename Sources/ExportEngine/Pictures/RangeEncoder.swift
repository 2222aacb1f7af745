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

/// Encodes what is decoded of a range and changed by its fades, like its source: in runs, of which each has
/// whole pictures alone, or interlaced ones of one order of fields.
final class RangeEncoder {
  let decoder: RangeDecoder
  private let mixer: PictureMixer
  private let passage: PicturePassage
  private var encoder: PictureEncoder?
  private var firstField: FirstField?
  private var sent = SentPictures()
  /// The picture that begins the next run.
  private var held: (frame: Frame, shown: Int64, end: Int64)?
  /// Whether the encoder gets no more pictures, and whether there are none.
  private var (isEnded, isDone) = (false, false)
  /// Whether pictures of the encoder were given.
  private var isGiven = false
  /// Whether the pictures that were given last begin a run.
  private(set) var beginsRun = false
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
    if let picture = try take() {
      let first = try passage.reel.firstField(of: picture.frame)
      if encoder != nil, !isEnded, first != firstField {
        held = picture
        try end()
      } else {
        try begin(with: picture.frame, first)
        // Encoders read as many bytes as the first picture has.
        guard picture.frame.form == form else {
          throw LibAVError.refusedPicture(
            "changes the size or the format of its picture at "
              + "\(passage.reel.readableTime(of: picture.shown)); encode all of it, as 'video: { "
              + "h264: crf 20 }'")
        }
        try encoder?.send(picture.frame)
        sent.add(shown: picture.shown, until: picture.end)
      }
    } else {
      isDone = true
      try end()
    }
    return try encoded()
  }

  private func take() throws(LibAVError) -> (frame: Frame, shown: Int64, end: Int64)? {
    if let picture = held {
      held = nil
      return picture
    }
    return try decoder.next().map { picture throws(LibAVError) in
      (try mixer.frame(of: picture), picture.shown, picture.end)
    }
  }

  /// Begins a run, unless one is under way.
  private func begin(with frame: Frame, _ first: FirstField?) throws(LibAVError) {
    guard encoder == nil || isEnded else { return }
    if form == nil { form = frame.form }
    encoder = try passage.reel.encoder(
      frame.form, coloursOf: frame, firstField: first, isFaded: passage.range.isFaded)
    (firstField, isEnded, isGiven) = (first, false, false)
  }

  private func end() throws(LibAVError) {
    guard !isEnded else { return }
    isEnded = true
    try encoder?.send(nil)
  }

  private func encoded() throws(LibAVError) -> [EncodedPicture] {
    var pictures: [EncodedPicture] = []
    while let packet = try encoder?.next() { pictures.append(try sent.picture(of: packet)) }
    if isEnded { try sent.requireEnd() }
    beginsRun = !isGiven && !pictures.isEmpty
    isGiven = isGiven || beginsRun
    return pictures
  }
}
