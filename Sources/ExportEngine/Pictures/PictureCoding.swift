import LibAV
import VideoBitstream

/// How the pictures of one source are coded, as far as copying and encoding between copies needs it.
enum PictureCoding {
  case h264(AVCConfiguration, NALFraming)
  case hevc(HEVCConfiguration, NALFraming)
  /// A packet stands for itself: VP8, VP9, AV1, MPEG-1, 2 and 4, and codecs in which each picture is an
  /// entry. `header` is the decoder's configuration.
  case other(codec: String, header: [UInt8])

  /// The coding of a stream; `first` are packets that say what a header may leave open, as MPEG-TS does.
  init(_ stream: LibAV.Stream, first: [Packet]) throws(BitstreamRefusal) {
    let header = stream.header
    let isStartCoded =
      header.isEmpty || header.starts(with: [0, 0, 1]) || header.starts(with: [0, 0, 0, 1])
    func units() throws(BitstreamRefusal) -> [ArraySlice<UInt8>] {
      var units = try NALFraming.startCodes.units(of: header[...])
      for packet in first { units += try NALFraming.startCodes.units(of: packet.bytes[...]) }
      return units
    }
    switch stream.codecName {
    case "h264":
      let record =
        isStartCoded ? try AVCConfiguration(units: try units()) : try AVCConfiguration(header)
      self = .h264(record, isStartCoded ? .startCodes : record.framing)
    case "hevc":
      let record =
        isStartCoded
        ? try HEVCConfiguration(HEVC.ParameterSets(try units())) : try HEVCConfiguration(header)
      self = .hevc(record, isStartCoded ? .startCodes : record.framing)
    default: self = .other(codec: stream.codecName, header: header)
    }
  }

  /// How NAL units lie in the source's packets; nil where packets have none.
  var framing: NALFraming? {
    switch self {
    case .h264(_, let framing), .hevc(_, let framing): framing
    case .other: nil
    }
  }

  /// How many pictures may be decoded before one that is shown before them; nil where the headers do not
  /// say.
  var reorderDepth: Int? {
    switch self {
    case .h264(let record, _):
      (try? record.parameterSets().sequence)?.restriction?.reorderDepth
    case .hevc(let record, _):
      record.parameterSets.sequence.first
        .flatMap { try? HEVC.SequenceParameterSet($0[...]) }?.reordering.depth
    // MPEG-4 says it in its header (`low_delay`), by which libavformat knows the stream's.
    case .other("mpeg4", _): nil
    case .other(let codec, _): ["mpeg1video", "mpeg2video"].contains(codec) ? 1 : 0
    }
  }

  /// The form of its pictures, as a parameter set has it; nil where there is none.
  var form: PictureForm? {
    func format(_ chroma: UInt32, _ depth: Int) -> String {
      let name = ["gray", "yuv420p", "yuv422p", "yuv444p"][Int(min(chroma, 3))]
      return depth > 8 ? name + "\(depth)le" : name
    }
    switch self {
    case .h264(let record, _):
      return (try? record.parameterSets().sequence)
        .map {
          PictureForm(
            width: $0.width, height: $0.height,
            pixelFormat: format($0.chromaFormat, $0.lumaBitDepth))
        }
    case .hevc(let record, _):
      return record.parameterSets.sequence.first
        .flatMap { try? HEVC.SequenceParameterSet($0[...]) }
        .map {
          PictureForm(
            width: $0.width, height: $0.height,
            pixelFormat: format($0.chromaFormat, $0.lumaBitDepth))
        }
    case .other: return nil
    }
  }

  /// What an encoder is told of the source's profile; nil: its own choice.
  var profile: String? {
    guard case .h264(let record, _) = self else { return nil }
    if tools.contains(.lossless) { return "high444" }
    return switch record.profile {
    case 66, 88: "baseline"
    case 77: "main"
    case 110: "high10"
    case 122: "high422"
    case 244, 44: "high444"
    default: "high"
    }
  }

  /// How its pictures are coded, in which all of one stream must agree.
  var tools: PictureEncoder.Tools {
    if case .h264(let record, _) = self {
      let sequence = try? record.parameterSets().sequence
      return sequence?.bypassesTransform == true ? .lossless : []
    }
    guard let layer = layerTools else { return [] }
    var tools: PictureEncoder.Tools = []
    if layer.matrices != nil { tools.insert(.matrices) }
    if layer.isPartitioned { tools.insert(.partitions) }
    return tools
  }

  /// Whether it is MPEG-4 whose header does not say how its pictures are coded.
  var hasUnknownTools: Bool {
    guard case .other("mpeg4", let header) = self else { return false }
    return MPEG4Layer(of: header).map { $0.tools == nil } ?? false
  }

  /// MPEG-4: what its header says of that.
  private var layerTools: MPEG4Layer.Tools? {
    guard case .other("mpeg4", let header) = self else { return nil }
    return MPEG4Layer(of: header)?.tools
  }

  /// Matrices of quantization that are not the standard's, of MPEG-4; empty where it has none.
  var ownMatrices: [[UInt8]] {
    let matrices = layerTools?.matrices ?? []
    return matrices.allSatisfy(\.isEmpty) ? [] : matrices
  }

  /// The parameter sets that stand before a run of it, where they are not those of the container.
  var parameterSets: [[UInt8]] {
    switch self {
    case .h264(let record, _): record.sequenceParameterSets + record.pictureParameterSets
    case .hevc(let record, _): record.parameterSets.units
    // MPEG has its header where others have sets.
    case .other(let codec, let header): codec.hasPrefix("mpeg") && !header.isEmpty ? [header] : []
    }
  }
}

extension PictureCoding {
  /// The codes of the picture's shape and rate in a sequence header of MPEG-1 and 2 (ISO 11172-2 and
  /// 13818-2, `aspect_ratio_information` and `frame_rate_code`); nil for others. Where another one has
  /// others, decoders begin anew, and a picture that they hold is lost.
  var shapeAndRate: UInt8? {
    guard case .other(let codec, let header) = self, ["mpeg1video", "mpeg2video"].contains(codec)
    else { return nil }
    return Self.hasSequenceHeader(header) ? header[Self.shapeAndRatePlace] : nil
  }

  /// Behind the start code, and three bytes of width and height.
  static let shapeAndRatePlace = 7

  /// Whether what stands before a run of MPEG (`parameterSets`) stands in a packet.
  func hasHeader(_ packet: [UInt8]) -> Bool {
    guard case .other(let codec, _) = self else { return false }
    return codec == "mpeg4"
      ? MPEGPicture.header(ofMPEG4: packet) != nil : Self.hasSequenceHeader(packet)
  }

  /// The form of its pictures as a key picture's packet has it, of codecs without parameter sets; nil where it
  /// does not say it.
  func form(saidBy packet: Packet) -> CodedForm? {
    guard case .other(let codec, _) = self else { return nil }
    // In a JPEG any number of segments of applications stands before it, each of up to 64 KiB.
    let most = codec == "mjpeg" ? Int.max : Self.mostHeader
    return CodedForm(of: packet.withBytes { Array($0.prefix(most)) }, codec: codec)
  }

  /// More bytes than stand before the form of pictures, but of a JPEG.
  private static let mostHeader = 1 << 16

  static func hasSequenceHeader(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0, 0, 1, 0xB3]) && bytes.count > shapeAndRatePlace
  }
}

extension Packet {
  /// A copy of its bytes.
  var bytes: [UInt8] { withBytes { Array($0) } }
}

extension [UInt8] {
  /// A packet of these bytes, with all else of another.
  func packet(like packet: Packet) throws(LibAVError) -> Packet {
    try span.withUnsafeBytes { bytes throws(LibAVError) in
      try Packet(joining: [], bytes, [], like: packet)
    }
  }
}

extension PictureCoding {
  /// Whether a NAL unit is an access unit delimiter.
  func isDelimiter(_ unit: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .h264: H264.type(of: unit)?.rawValue == 9
    case .hevc: HEVC.type(of: unit)?.rawValue == 35
    case .other: false
    }
  }

  /// Units of a picture behind others that belong to it. An access unit delimiter is the first of its
  /// picture (H.264 and H.265, 7.4.1.2.3 and 7.4.2.4.4).
  func putting(
    _ prefix: [[UInt8]], before units: [ArraySlice<UInt8>]
  ) -> [ArraySlice<UInt8>] {
    let count = units.first.map(isDelimiter) == true ? 1 : 0
    return units.prefix(count) + prefix.map { $0[...] } + units.dropFirst(count)
  }

  /// What decoders must be told of the encoder that made a stream, of which this is the first packet.
  func encoderNote(in packet: Packet) -> [UInt8]? {
    guard case .h264(let record, let framing) = self,
      let sequence = try? record.parameterSets().sequence,
      let units = try? framing.units(of: packet.bytes[...])
    else { return nil }
    return H264.encoderNote(in: units, under: sequence)
  }

  /// Whether a NAL unit is a parameter set.
  func isParameterSet(_ unit: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .h264: [.sequenceParameterSet, .pictureParameterSet].contains(H264.type(of: unit))
    case .hevc: HEVC.type(of: unit)?.isParameterSet ?? false
    case .other: false
    }
  }
}

/// What a packet is to a cut.
enum PictureKind {
  /// Decoding begins here, and no picture behind it refers to one before it.
  case entry
  /// Decoding may begin here; pictures that follow it and are shown before it may refer to earlier ones.
  case openEntry
  case other
}

extension PictureCoding {
  /// What a packet is, by its NAL units where it has them: containers mark open entries, or do not. A key
  /// picture with parameter sets that the source did not begin with changes the coding. With a source's first
  /// picture decoding begins in any case.
  func kind(
    of packet: Packet, isFirst: Bool = false
  ) -> (kind: PictureKind, isChange: Bool) {
    guard packet.isKey else { return (.other, false) }
    guard let framing else { return (.entry, false) }
    guard let units = try? framing.units(of: packet.bytes[...]) else { return (.other, false) }
    return (kind(of: units, isFirst: isFirst), isChange(units))
  }

  /// What a key picture of such units is.
  private func kind(of units: [ArraySlice<UInt8>], isFirst: Bool) -> PictureKind {
    switch self {
    case .other: return .entry
    case .h264:
      guard let summary = try? H264.AccessUnitSummary(units) else { return .openEntry }
      guard !summary.isIDR else { return .entry }
      // Behind a gradual refresh pictures become whole one after the other (D.2.8).
      return summary.recoveryFrameCount ?? 0 > 0 && !isFirst ? .other : .openEntry
    case .hevc:
      guard let type = HEVC.pictureType(of: units), type.isEntry else { return .other }
      return type == .cra ? .openEntry : .entry
    }
  }

  private func isChange(_ units: [ArraySlice<UInt8>]) -> Bool {
    let sets = units.filter(isParameterSet)
    guard !sets.isEmpty else { return false }
    let known = parameterSets
    return sets.contains { unit in !known.contains { $0[...] == unit } }
  }
}
