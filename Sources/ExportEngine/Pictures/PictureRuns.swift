import LibAV
import VideoBitstream

extension PictureReel {
  /// An encoder for pictures like its own; `isFaded` says whether fades are why it is needed.
  func encoder(
    _ form: PictureForm, coloursOf frame: Frame? = nil, firstField: FirstField? = nil,
    isFaded: Bool = false
  ) throws(LibAVError) -> PictureEncoder {
    try requireEncoding(isFaded: isFaded)
    return try PictureEncoder.open(
      PictureEncoder.Settings(
        codec: stream.codecName, form: form, profile: coding.profile,
        isReordered: reorderDepth > 0, firstField: firstField, tools: coding.tools),
      like: stream, coloursOf: frame)
  }

  /// Refuses pictures of which some would be encoded, where none are; `isFaded` says whether fades are why.
  func requireEncoding(isFaded: Bool) throws(LibAVError) {
    let codec = stream.codecName
    let remedy =
      isFaded ? LibAVError.cutInFade : "cut it at its key frames, as 'snap: keyframe' does"
    guard let library = PictureEncoder.library(for: codec) else {
      throw LibAVError.refusedPicture(
        "has a picture of \(codec), which is not encoded: \(remedy)")
    }
    guard codecs.encodes(codec) else {
      throw LibAVError.missingCodec(
        "FFmpeg's \(library)",
        to: isFaded ? "encode pictures that fades change" : "encode pictures around cuts",
        or: isFaded ? LibAVError.cutInFade : LibAVError.cutAtKeys)
    }
    guard !stream.hasAlpha else {
      throw LibAVError.refusedPicture(
        "has pictures that are transparent in places, and what is encoded would not be: \(remedy)")
    }
    if let format = form?.pixelFormat, !PictureEncoder.takes(format, of: codec) {
      throw LibAVError.refusedPicture(
        "has pictures of \(format), which \(library) does not encode: \(remedy)")
    }
    guard coding.ownMatrices.isEmpty else {
      throw LibAVError.refusedPicture(
        "has a picture with matrices of quantization of its own, which what is encoded would not have: "
          + remedy)
    }
    guard !coding.hasUnknownTools else {
      throw LibAVError.refusedPicture(
        "has a picture of MPEG-4 whose header says how complex each picture is, and hides how it is "
          + "coded: \(remedy)")
    }
  }

  /// Which field of an interlaced picture is shown first, if it is encoded in fields; nil: it is encoded as
  /// a whole.
  ///
  /// - Throws: A refusal of pictures in fields whose codec is not encoded so.
  func firstField(of frame: Frame) throws(LibAVError) -> FirstField? {
    guard let first = frame.firstField else { return nil }
    switch coding {
    case .hevc:
      throw LibAVError.separateFields(remedy: "cut at key pictures, as 'snap: keyframe' does")
    // Under a set that has whole pictures alone, none are coded in fields.
    case .h264(let record, _):
      return (try? record.parameterSets().sequence.hasFramesOnly) == true ? nil : first
    case .other(let codec, _): return PictureEncoder.encodesFields(of: codec) ? first : nil
    }
  }
}

/// A packet for the output, before it has its times there.
struct RewrittenPicture {
  let packet: Packet
  /// Its NAL units, where they are not those of the packet.
  var units: [[UInt8]]?
  /// By the source's clock.
  let shown: Int64
  let duration: Int64
}

/// Makes pictures that are copied from an entry on stand behind others.
struct RunRewriter {
  private enum Method {
    /// They stand as they are.
    case none
    case openGroup(H264.OpenGOPRewriter, NALFraming)
    /// The first of them becomes a broken link.
    case brokenLink(NALFraming)
  }

  private var method: Method

  /// Whether all that comes stands as it is.
  var isDone: Bool { if case .none = method { true } else { false } }

  /// One that changes nothing.
  static var none: RunRewriter { RunRewriter(method: .none) }

  private init(method: Method) { self.method = method }

  /// A rewriter for an entry of a source; `observer` has seen what is decoded before it.
  init(
    _ coding: PictureCoding, from kind: PictureKind, after observer: GroupObserver?,
    idrPictureID: UInt16
  ) throws(BitstreamRefusal) {
    switch (coding, kind) {
    case (.h264(let record, let framing), .openEntry):
      if let observer {
        method = .openGroup(observer.rewriter, framing)
      } else {
        let sets = try record.parameterSets()
        method = .openGroup(
          try H264.OpenGOPRewriter(sets, idrPictureID: idrPictureID), framing)
      }
    case (.hevc(_, let framing), .openEntry): method = .brokenLink(framing)
    default: method = .none
    }
  }

  /// Rewrites pictures in order of decoding, and leaves leading ones out.
  ///
  /// - Throws: Where one cannot be rewritten; nothing of them is to be copied then.
  mutating func rewrite(
    _ pictures: [CodedPicture], isLeading: (CodedPicture) -> Bool
  ) throws(BitstreamRefusal) -> [RewrittenPicture] {
    var result: [RewrittenPicture] = []
    for picture in pictures {
      var rewritten = RewrittenPicture(
        packet: picture.packet, shown: picture.shown, duration: picture.duration)
      switch method {
      case .none: break
      case .brokenLink(let framing):
        method = .none
        rewritten.units = HEVC.brokenLink(try framing.units(of: picture.packet.bytes[...]))
      case .openGroup(var rewriter, let framing):
        let outcome = try rewriter.rewrite(try framing.units(of: picture.packet.bytes[...]))
        method = .openGroup(rewriter, framing)
        switch outcome {
        case .leading: continue
        case .unchanged: method = .none
        case .rewritten(let units): rewritten.units = units
        }
      }
      if !isLeading(picture) { result.append(rewritten) }
    }
    return result
  }
}

/// Notes what is decoded before an open entry of H.264.
struct GroupObserver {
  private(set) var rewriter: H264.OpenGOPRewriter
  private let framing: NALFraming

  /// nil for other codecs, and where the entry cannot be rewritten anyway.
  init?(_ coding: PictureCoding, idrPictureID: UInt16) {
    guard case .h264(let record, let framing) = coding,
      let sets = try? record.parameterSets(),
      let rewriter = try? H264.OpenGOPRewriter(sets, idrPictureID: idrPictureID)
    else { return nil }
    (self.rewriter, self.framing) = (rewriter, framing)
  }

  mutating func observe(_ picture: CodedPicture) {
    guard let units = try? framing.units(of: picture.packet.bytes[...]) else { return }
    rewriter.observe(units)
  }
}
