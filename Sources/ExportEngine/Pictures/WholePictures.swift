import LibAV

/// Makes interlaced pictures whole ones, each at its time. Memory is bounded by what `Deinterlacer` holds.
struct WholePictures {
  private var deinterlacer: Deinterlacer?
  /// Pictures that were given to it, in order.
  private var sent: ArraySlice<DecodedPicture> = []
  private var ready: ArraySlice<DecodedPicture> = []
  private var isDone = false

  /// Gives the next picture in order of showing.
  ///
  /// - Parameters:
  ///   - stream: Of the pictures.
  ///   - decoded: Gives the next picture as it was decoded; nil at the end.
  /// - Returns: The picture; nil at the end.
  /// - Throws: What `decoded` throws, and where a picture is a field alone.
  mutating func next(
    of stream: LibAV.Stream, _ decoded: () throws(LibAVError) -> DecodedPicture?
  ) throws(LibAVError) -> DecodedPicture? {
    while ready.isEmpty, !isDone {
      guard let picture = try decoded() else {
        isDone = true
        try finish()
        break
      }
      // H.265 codes fields as pictures of their own (D.3.3), of half of the lines.
      guard picture.frame.firstField == nil || stream.codecName != "hevc" else {
        throw LibAVError.separateFields(remedy: "copy it, as 'video: copy' does")
      }
      try add(picture)
    }
    return ready.popFirst()
  }

  private mutating func add(_ picture: DecodedPicture) throws(LibAVError) {
    let form = picture.frame.form
    if deinterlacer?.form != form {
      try finish()
      guard picture.frame.firstField != nil else {
        ready.append(picture)
        return
      }
      deinterlacer = try Deinterlacer.opened(form)
    }
    sent.append(picture)
    try deinterlacer?.send(picture.frame)
    try take()
  }

  private mutating func take() throws(LibAVError) {
    while let frame = try deinterlacer?.next() {
      guard let picture = sent.popFirst() else { throw LibAVError.miscounted }
      ready.append(DecodedPicture(frame: frame, shown: picture.shown, end: picture.end))
    }
  }

  /// Takes out what is held.
  private mutating func finish() throws(LibAVError) {
    guard deinterlacer != nil else { return }
    try deinterlacer?.send(nil)
    try take()
    guard sent.isEmpty else { throw LibAVError.miscounted }
    deinterlacer = nil
  }
}

extension LibAVError {
  /// A source whose fields are pictures of their own; `remedy` is what can be done but for encoding it.
  static func separateFields(remedy: String) -> LibAVError {
    .refusedPicture(
      "has a picture that is coded in fields, each of them by itself, which is not encoded in HEVC; "
        + "\(remedy), or make it whole, as with 'ffmpeg -i IN -vf weave,bwdif OUT.mp4'")
  }
}
