import LibAV
import VideoBitstream

/// What decoders must be given before pictures of one source, copied or encoded.
struct PictureSets {
  /// NAL units: the source's parameter sets, and those that are added to them.
  private(set) var units: [[UInt8]]
  /// The container's configuration; nil: the stream's own.
  private(set) var header: [UInt8]?
  /// HEVC: the configuration of a stream that has other sets beside it.
  private(set) var openHeader: [UInt8]?
  /// The source's sets alone.
  private var own: [[UInt8]]
  private var encoded = Encoded.none

  /// What becomes of encoded runs.
  private enum Encoded {
    /// They have sets of their own.
    case none
    /// H.264: the source's record with all that is added but for encoded runs, which are put under the
    /// source's sequence parameter set.
    case underSource(AVCConfiguration)
    /// HEVC: the sets of the encoder, and what gives them other ids.
    case renamed(encoder: HEVC.ParameterSets, HEVC.EncodedRunRewriter)
  }

  /// The sets of a source; with `encodes` also those of runs that may be encoded. `first` are those of the
  /// plan's first source, if this is another one.
  ///
  /// - Throws: Where the source's own sets cannot be read, or nothing of it.
  init(
    _ reel: PictureReel, encodes: Bool, beside first: PictureSets? = nil
  ) throws(LibAVError) {
    own = reel.coding.parameterSets
    units = own
    let encoder = encodes ? try Self.encoderUnits(for: reel, isFirst: first == nil) : nil
    do throws(BitstreamRefusal) {
      switch reel.coding {
      case .h264(var record, let framing):
        // Outputs have lengths of four bytes where a source has start codes.
        if framing == .startCodes { record.lengthSize = 4 }
        try add(&record, reel, encoder)
        units = record.sequenceParameterSets + record.pictureParameterSets
        header = try record.bytes()
      case .hevc(let record, _):
        if let first, first.own == own {
          self = first
          return
        }
        try add(record, encoder.map(HEVC.ParameterSets.init))
      case .other: break
      }
    } catch {
      throw LibAVError(refusing: error)
    }
  }

  /// Whether encoded runs need no sets in the stream.
  var includeEncoded: Bool { if case .none = encoded { false } else { true } }

  /// Adds what open groups and encoded runs of H.264 need.
  private mutating func add(
    _ record: inout AVCConfiguration, _ reel: PictureReel, _ encoder: [ArraySlice<UInt8>]?
  ) throws(BitstreamRefusal) {
    let copies = GroupObserver(reel.coding, idrPictureID: 0)?.rewriter.pictureParameterSets ?? []
    record = record.adding(pictureParameterSets: copies)
    guard let encoder, let rewriter = Self.rewriter(encoder, under: record, 0) else { return }
    encoded = .underSource(record)
    record = record.adding(pictureParameterSets: rewriter.pictureParameterSets)
  }

  /// Takes a record of HEVC, with the sets of an encoder for a source's pictures.
  private mutating func add(
    _ old: HEVCConfiguration, _ encoder: HEVC.ParameterSets?
  ) throws(BitstreamRefusal) {
    var record = old
    if let encoder,
      let rewriter = try? HEVC.EncodedRunRewriter(encoder: encoder, source: record.parameterSets),
      (try? record.include(rewriter.sets)) != nil
    {
      units += rewriter.sets.units
      encoded = .renamed(encoder: encoder, rewriter)
    } else {
      record = old
    }
    record.setCompleteness(true)
    header = try record.bytes()
    record.setCompleteness(false)
    openHeader = try record.bytes()
  }

  /// The sets that an encoder has for a source's pictures, those of HEVC with their colours: nil where they
  /// would stand in the stream, there is no encoder, or no picture can be decoded. An encoder that does not
  /// open is refused when pictures are to be encoded, if they are.
  ///
  /// - Throws: Where the source cannot be read, or nobody waits for it any more.
  private static func encoderUnits(
    for reel: PictureReel, isFirst: Bool
  ) throws(LibAVError) -> [ArraySlice<UInt8>]? {
    let encoder: PictureEncoder
    do throws(LibAVError) {
      switch reel.coding {
      case .h264:
        guard reel.codecs.encodes("h264"), let form = reel.coding.form else { return nil }
        encoder = try reel.encoder(form)
      case .hevc:
        // Sets of sources that differ stand in the stream, and so may those of encoders.
        guard isFirst, reel.codecs.encodes("hevc"), let frame = try reel.firstFrame() else {
          return nil
        }
        encoder = try reel.encoder(frame.form, coloursOf: frame)
      case .other: return nil
      }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
    return try? NALFraming.startCodes.units(of: encoder.header[...])
  }

  /// What puts a run of an encoder beside the source's pictures; nil where it has sets of its own.
  func rewriter(_ encoderHeader: [UInt8], _ number: UInt16) -> EncodedRunRewriter? {
    switch encoded {
    case .none: return nil
    case .underSource(let record):
      guard let units = try? NALFraming.startCodes.units(of: encoderHeader[...]) else { return nil }
      return Self.rewriter(units, under: record, number).map { .h264($0) }
    case .renamed(let encoder, let rewriter):
      // A run whose pictures differ from the first one has other sets.
      guard let units = try? NALFraming.startCodes.units(of: encoderHeader[...]),
        HEVC.ParameterSets(units) == encoder
      else { return nil }
      return .hevc(rewriter)
    }
  }

  private static func rewriter(
    _ units: [ArraySlice<UInt8>], under record: AVCConfiguration, _ number: UInt16
  ) -> H264.EncodedRunRewriter? {
    guard let own = try? AVCConfiguration(units: units) else { return nil }
    return try? H264.EncodedRunRewriter(encoder: own, source: record, idrPictureID: number)
  }
}

/// Puts encoded pictures beside those of their source, so that no sets need stand in the stream.
enum EncodedRunRewriter {
  case h264(H264.EncodedRunRewriter)
  case hevc(HEVC.EncodedRunRewriter)

  /// The units of the next picture.
  mutating func rewrite(
    _ units: [ArraySlice<UInt8>]
  ) throws(BitstreamRefusal) -> [[UInt8]] {
    switch self {
    case .h264(var rewriter):
      let rewritten = try rewriter.rewrite(units)
      self = .h264(rewriter)
      return rewritten
    case .hevc(let rewriter): return try rewriter.rewrite(units)
    }
  }
}
