internal import CFFmpeg
import Tagging

/// An AIFF or AIFC as libavformat reads it rightly: another source's bytes, with another type of samples
/// where libavformat's table has a wrong width for its own, or none, and with sizes where a writer left
/// them at 0.
///
/// libavformat takes types for those of 16 bits whatever `COMM` says (`ff_codec_aiff_tags`), but for
/// `twos`, whose samples have their highest byte first. Packets hold the file's bytes, so that the order
/// is a matter of the codec alone.
///
/// Format: Apple's "Audio Interchange File Format 1.3", "AIFF-C" (draft of 1991), and the types of
/// QuickTime's sound descriptions.
struct AIFFSource {
  /// The bytes that libavformat reads.
  let source: any ByteSource
  /// nil for anything else, and where there is no such chunk.
  private let sound: AIFFSound?

  /// Looks for the chunk `COMM` of a source, if it is an AIFF.
  ///
  /// - Throws: `LibAVError` where it cannot be read, or cannot be read rightly.
  /// - Complexity: O(chunks up to `COMM` and to the sound)
  init(_ source: any ByteSource) throws(LibAVError) {
    do {
      sound = try AIFFSound(size: source.size(), reading: source.bytes(at:count:))
    } catch {
      throw LibAVError(reading: error)
    }
    if let refusal = sound?.refusal { throw refusal }
    self.source = sound?.pieces.map { SplicedBytes(source, $0) } ?? source
  }

  /// The error of a demuxer that did not open the file, which names the type of an AIFC if that is why.
  func named(_ error: LibAVError) -> LibAVError {
    guard error.isUnknownFormat, let type = sound?.type,
      sound?.kind == nil, !AIFFSound.knownTypes.contains(type.lowercased())
    else { return error }
    return .refused("is an AIFC of type '\(type)' that FFmpeg does not read; \(AIFFSound.remedy)")
  }

  /// Gives samples the codec that their type and width say.
  ///
  /// - Throws: `LibAVError` where libavformat would cut samples at other places.
  func correct(_ demuxer: Demuxer) throws(LibAVError) {
    guard demuxer.formatName == "aiff", let sound, let codec = sound.kind?.codec,
      let parameters = demuxer.streams.first?.pointer.pointee.codecpar,
      parameters.pointee.codec_id != codec
    else { return }
    let bits = av_get_exact_bits_per_sample(parameters.pointee.codec_id)
    // Another chunk than `SSND` has its own codec.
    guard bits > 0 else { return }
    guard bits == av_get_exact_bits_per_sample(codec) else { throw sound.disagreement }
    parameters.pointee.codec_id = codec
  }
}

/// What the chunk `COMM` of an AIFF or AIFC says of its samples.
struct AIFFSound: Sendable, Hashable {
  /// How samples without compression are stored.
  enum Kind: Sendable, Hashable {
    case signed(bytes: Int, isLittleEndian: Bool)
    case unsignedBytes
    case floats(bytes: Int)
    case aLaw
    case muLaw
  }

  /// The type of an AIFC, four characters, without those that cannot be shown; nil of an AIFF.
  let type: String?
  /// Bits of a sample.
  let sampleSize: Int
  /// Where the type lies in the file.
  private let typePlace: Range<Int64>
  private let fileSize: Int64
  /// Sizes that are 0, or count no sound, and the right ones of four bytes, by their places.
  private var sizes: [Int64: Int64] = [:]

  /// Types whose widths are not told from `COMM` here, and that libavformat has, too
  /// (`ff_codec_aiff_tags`).
  fileprivate static let knownTypes: Set = [
    "sowt", "mac3", "mac6", "gsm ", "g722", "g726", "ima4", "qdmc", "qdm2", "qclp", "cbd2", "sdx2",
    "adp4",
  ]

  static let remedy = "write it as a WAV with the program that made it"

  /// - Parameters:
  ///   - type: Four characters; nil: an AIFF.
  ///   - sampleSize: Bits of a sample.
  ///   - typePlace: Where the type lies.
  ///   - fileSize: Bytes of the file.
  init(type: String?, sampleSize: Int, at typePlace: Range<Int64> = 0..<0, of fileSize: Int64 = 0) {
    (self.type, self.sampleSize) = (type, sampleSize)
    (self.typePlace, self.fileSize) = (typePlace, fileSize)
  }

  /// Reads the first `COMM` of a file, and the size of its sound; nil where it is no AIFF, or has no
  /// `COMM`.
  ///
  /// - Parameters:
  ///   - size: Bytes of the file.
  ///   - read: Gives bytes from an offset on, fewer at the end.
  /// - Throws: As `read`.
  /// - Complexity: O(chunks up to `COMM` and to the sound)
  init?(
    size: Int64, reading read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws {
    let head = try read(0, 12)
    guard head.count == 12, head.starts(with: "FORM".utf8) else { return nil }
    let isCompressed = head[8...].elementsEqual("AIFC".utf8)
    guard isCompressed || head[8...].elementsEqual("AIFF".utf8) else { return nil }
    var walk = ChunkWalk(in: 12..<max(12, size), .aiff)
    var common: (start: Int64, content: [UInt8])?
    var sound: ChunkWalk.Chunk?
    while common == nil || sound == nil, let chunk = try walk.next(read) {
      if chunk.name.elementsEqual("SSND".utf8) { sound = sound ?? chunk }
      guard common == nil, chunk.name.elementsEqual("COMM".utf8) else { continue }
      let start = chunk.content.lowerBound
      common = (start, try read(start, min(22, chunk.content.count)))
    }
    guard let (start, content) = common, content.count >= (isCompressed ? 22 : 18) else {
      return nil
    }
    let type = content[18...].map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }
    self.init(
      type: isCompressed ? String(decoding: type, as: UTF8.self) : nil,
      sampleSize: Int(content[6]) << 8 | Int(content[7]), at: start + 18..<start + 22, of: size)
    let isOpen = try sound?.isOpenSound(before: size, read) == true
    if isOpen || head[4..<8].allSatisfy({ $0 == 0 }) { sizes[4] = size - 8 }
    guard isOpen, let sound else { return }
    sizes[sound.content.lowerBound - 4] = size - sound.content.lowerBound
    // libavformat takes a count of 0 frames at its word, and ends where the sound does.
    sizes[start + 2] = Int64(Int32.max)
  }

  /// How the samples are stored; nil where the type says nothing of that here, or the width of its
  /// samples is left open.
  ///
  /// Types are compared without case, as libavformat does (`ff_codec_get_id`). Those with a number have
  /// that width, whatever `sampleSize` says: QuickTime writes 16 for what is compressed, and for these.
  var kind: Kind? {
    func integers(isLittleEndian: Bool) -> Kind? {
      (1...32).contains(sampleSize)
        ? .signed(bytes: (sampleSize + 7) / 8, isLittleEndian: isLittleEndian) : nil
    }
    return switch type?.lowercased() {
    case nil, "none", "twos": integers(isLittleEndian: false)
    case "sowt": integers(isLittleEndian: true)
    case "in24": .signed(bytes: 3, isLittleEndian: false)
    case "in32": .signed(bytes: 4, isLittleEndian: false)
    // The second is libsndfile's.
    case "42ni", "42n1": .signed(bytes: 3, isLittleEndian: true)
    case "23ni": .signed(bytes: 4, isLittleEndian: true)
    case "raw ": sampleSize <= 8 ? .unsignedBytes : nil
    case "fl32": .floats(bytes: 4)
    case "fl64": .floats(bytes: 8)
    case "alaw": .aLaw
    case "ulaw": .muLaw
    default: nil
    }
  }

  /// Why the file is refused before anything is made of it; nil where it is not.
  var refusal: LibAVError? {
    switch type?.lowercased() {
    case nil where sampleSize > 32:
      .refused(
        "is an AIFF with samples of \(sampleSize) bits, of which FFmpeg reads 32 at most; "
          + Self.remedy)
    case "none" where sampleSize > 32, "twos" where sampleSize > 32, "sowt" where sampleSize > 32,
      "raw " where sampleSize > 8:
      disagreement
    default: nil
    }
  }

  /// The refusal of a type with samples of another width than its own.
  var disagreement: LibAVError {
    .refused(
      "is an AIFC of type '\(type ?? "")' with samples of \(sampleSize) bits, which do not go "
        + "together; \(Self.remedy)")
  }

  /// The pieces of a file with another type and with sizes; nil where libavformat reads its own rightly.
  fileprivate var pieces: [SplicedBytes.Piece]? {
    var changes = sizes.map { place, size -> (place: Int64, bytes: [UInt8]) in
      let number = UInt32(clamping: size)
      return (place, (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }
    if let stand { changes.append((typePlace.lowerBound, Array(stand.utf8))) }
    guard !changes.isEmpty else { return nil }
    var rest: Int64 = 0
    var pieces: [SplicedBytes.Piece] = []
    for (place, bytes) in changes.sorted(by: { $0.place < $1.place }) {
      pieces += [.range(rest..<place), .bytes(bytes)]
      rest = place + Int64(bytes.count)
    }
    return pieces + [.range(rest..<fileSize)]
  }

  /// A type of which libavformat takes the right width: that of the other order of bytes. nil where it does
  /// of the file's own.
  private var stand: String? {
    guard case .signed(let count, isLittleEndian: true) = kind,
      type?.lowercased() != "sowt" || count != 2
    else { return nil }
    return switch type?.lowercased() {
    case "sowt": "twos"
    default: count == 3 ? "in24" : "in32"
    }
  }
}

extension AIFFSound.Kind {
  /// FFmpeg's codec.
  fileprivate var codec: AVCodecID {
    switch self {
    case .signed(1, _): AV_CODEC_ID_PCM_S8
    case .signed(2, let isLittle): isLittle ? AV_CODEC_ID_PCM_S16LE : AV_CODEC_ID_PCM_S16BE
    case .signed(3, let isLittle): isLittle ? AV_CODEC_ID_PCM_S24LE : AV_CODEC_ID_PCM_S24BE
    case .signed(_, let isLittle): isLittle ? AV_CODEC_ID_PCM_S32LE : AV_CODEC_ID_PCM_S32BE
    case .unsignedBytes: AV_CODEC_ID_PCM_U8
    case .floats(let count): count == 8 ? AV_CODEC_ID_PCM_F64BE : AV_CODEC_ID_PCM_F32BE
    case .aLaw: AV_CODEC_ID_PCM_ALAW
    case .muLaw: AV_CODEC_ID_PCM_MULAW
    }
  }
}
