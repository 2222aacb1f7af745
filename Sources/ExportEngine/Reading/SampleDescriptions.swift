import Diagnosis
import MediaComposition
import Tagging

/// What an MP4 says of how its packets are coded (`stsd`, ISO 14496-12, 8.5.2): libavformat takes the
/// first description for all of a track, and hands on what is encrypted.
struct SampleDescription: Sendable, Hashable {
  /// Four characters, such as `mp4a`.
  var format: String
  /// The channels, bits and rate that the entry names, and the settings of its decoder.
  private var settings: [[UInt8]] = []
  /// How its packets are encrypted; nil where they are not.
  var encryption: String?
  /// The order of its channels (`ChannelOrder.init(appleLayout:channelCount:)`), where it says one.
  private(set) var channelLayout: [UInt8]?

  /// Atoms with settings that every decoder needs.
  private static let settingNames: Set<String> = ["alac", "dfLa", "dOps"]
  /// More than any honest entry has.
  private static let mostSettings = 16
  private static let encrypted: Set<String> = [
    "enca", "encv", "encs", "drms", "drmi",
    // Audible's books (AAX).
    "aavd",
  ]

  /// The entry that `body` is the content of.
  fileprivate init(
    _ format: String, _ body: Range<Int64>, _ reader: inout AtomReader
  ) throws(Failure) {
    self.format = format
    if Self.encrypted.contains(format) { encryption = format }
    let head = try reader.bytes(of: body, count: 28)
    guard head.count == 28 else { return }
    // Of QuickTime's versions 1 and 2 the fields are longer.
    let version = head[9]
    settings.append(Array(head[16..<20]) + Array(head[24..<28]))
    // Of version 2 these are constants.
    if version == 2 { settings.append(Array(try reader.bytes(of: body, count: 64).dropFirst(28))) }
    let start = body.lowerBound + [28, 44, 64][Int(min(2, version))]
    guard start < body.upperBound else { return }
    for atom in try reader.atoms(in: start..<body.upperBound) {
      // QuickTime's box of these.
      if atom.name == "wave" {
        for inner in try reader.atoms(in: atom.body) { try add(inner, &reader) }
      } else {
        try add(atom, &reader)
      }
    }
  }

  private mutating func add(
    _ atom: AtomReader.Atom, _ reader: inout AtomReader
  ) throws(Failure) {
    guard settings.count < Self.mostSettings else { return }
    let (name, part) = atom
    if name == "sinf", let scheme = try reader.atom("schm", in: part) {
      let bytes = try reader.bytes(of: scheme, count: 8)
      encryption = String(decoding: bytes.dropFirst(4), as: UTF8.self)
    } else if name == "esds" {
      settings.append(Self.specificInfo(try reader.bytes(of: part, count: 1 << 12)))
    } else if name == "chan" {
      // Behind version and flags.
      let bytes = try reader.bytes(of: part, count: 4 + ChannelOrder.longestLayout)
      channelLayout = Array(bytes.dropFirst(4))
    } else if Self.settingNames.contains(name) {
      settings.append(try reader.bytes(of: part, count: 1 << 12))
    }
  }

  /// `DecoderSpecificInfo` of an `esds` (ISO 14496-1, 7.2.6.7); of bit rates and buffers the entries of
  /// one codec may differ.
  private static func specificInfo(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes.dropFirst(4)
    while let tag = rest.popFirst() {
      var size = 0
      while let byte = rest.popFirst() {
        size = size << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 || size > bytes.count { break }
      }
      switch tag {
      case 3: rest = rest.dropFirst(3)
      case 4: rest = rest.dropFirst(13)
      case 5: return Array(rest.prefix(size))
      default: rest = rest.dropFirst(size)
      }
    }
    return []
  }
}

extension AtomReader {
  /// The descriptions of a track's samples, `stbl` being its table.
  mutating func sampleDescriptions(
    in table: Range<Int64>
  ) throws(Failure) -> [SampleDescription] {
    guard let list = try atom("stsd", in: table), list.count > 8 else { return [] }
    var found: [SampleDescription] = []
    for (name, body) in try atoms(in: list.lowerBound + 8..<list.upperBound) {
      found.append(try SampleDescription(name, body, &self))
      // More than any honest file has.
      if found.count > 100 { break }
    }
    return found
  }

  /// Which of them its chunks use, from 1 on (`stsc`, 8.7.4).
  func usedDescriptions(in chunks: Range<Int64>) throws(Failure) -> Set<Int> {
    let count = min(Int64(try medium.number(at: chunks.lowerBound + 4) ?? 0), 1 << 16)
    let bytes = try bytes(
      of: chunks.lowerBound + min(8, Int64(chunks.count))..<chunks.upperBound,
      count: Int(count) * 12)
    return Set(
      stride(from: 8, to: max(8, bytes.count - 3), by: 12).map {
        Int(AtomHead.number(bytes[$0..<$0 + 4]))
      })
  }
}

extension Prober {
  /// Refuses a track whose packets libavformat would take for others.
  func requireOneDescription(of track: MP4Track) throws(Failure) {
    let used = track.descriptions
    if let encryption = used.lazy.compactMap(\.encryption).first {
      throw Failure(
        .mendInput,
        "is encrypted (\(ContainerFacts.chunkName(encryption.utf8))); use a file without protection",
        location: location)
    }
    // libavformat takes the first codec for all, and of fragments the first settings, too.
    var taken = used
    if let first = track.described.first, !used.isEmpty,
      track.isFragmented || used.contains(where: { $0.format != first.format })
    {
      taken.insert(first, at: 0)
    }
    guard Set(taken).count > 1 else { return }
    guard Set(used).count > 1 else {
      throw Failure(
        .mendInput,
        "describes its packets in several ways (stsd), and uses another than the first: write it again "
          + "with the program that made it", location: location)
    }
    let names = used.map {
      ContainerFacts.chunkName($0.format.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }
    let isOneCodec = Set(names).count == 1
    throw Failure(
      .mendInput,
      "changes midway "
        + (isOneCodec
          ? "the settings of its codec (\(names[0]))" : "from \(names.joined(separator: " to "))")
        + "; a file has one codec: take it apart there, or encode it again", location: location)
  }

  /// Refuses a movie whose header is compressed: its edits would not be played.
  func requirePlainHeader() throws(Failure) {
    var reader = AtomReader(medium: bytes)
    let file = 0..<(try bytes.size())
    guard try reader.atom(path: ["moov", "cmov"], in: file) != nil else { return }
    throw Failure(
      .mendInput,
      "has a compressed header (cmov), of which no edits are read; write it again with the program that "
        + "made it, without compression", location: location)
  }
}
