import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Splicing
import SystemPackage
import Threads

/// The sound of a FLAC, in whatever container, beside the digest that its header has of it: the MD5 of
/// all samples (`STREAMINFO`, RFC 9639, 8.2). `flac -t` compares the same.
///
/// Frames have checksums of their own, and decoders find damage by these. That frames are missing, or were
/// exchanged for others, or that a whole frame was encoded from wrong samples, only the digest shows.
package struct FLACProof: Sendable, Hashable {
  /// A sound that was proved.
  struct Key: Hashable {
    var identity: FileIdentity
    var streamIndex: Int

    init(_ asset: Asset) { (identity, streamIndex) = (asset.identity, asset.streamIndex) }
  }

  /// The MD5 by the header, and that of the samples: 16 bytes each.
  package let announced, found: [UInt8]
  /// What else is wrong with it, a clause; nil where nothing but the digest shows it.
  package let fault: String?
  /// Which link of a chain of Ogg files it is, counted from 1; nil for the only one.
  package let link: Int?
  /// The links of the chain that have no digest.
  package fileprivate(set) var unprovenLinks: [Int] = []

  /// Whether the samples are those that were encoded.
  var isFulfilled: Bool { announced == found }

  /// What is wrong, to stand behind the file's name.
  var reason: String {
    let subject = link.map { "has in link \($0) of its chain" } ?? "has"
    let digests =
      "\(subject) sound with the MD5 \(found.hexadecimal), and its header (STREAMINFO) says "
      + "\(announced.hexadecimal): "
    guard let fault else {
      return digests
        + "these are not the samples that were encoded; copy or download it again, or encode it "
        + "again if a program has cut it"
    }
    return digests + "\(fault); copy or download it again"
  }
}

extension FLACProof {
  /// Proves the sound of a file, on this thread.
  ///
  /// - Parameter path: The file.
  /// - Returns: Its digests; nil of a file that is neither FLAC nor FLAC in Ogg, and of one without a
  ///   digest.
  /// - Throws: The failure of a FLAC that cannot be read; `mediaUnsupported` where this FFmpeg does not
  ///   decode it.
  /// - Complexity: O(samples); some 7 s for an hour of stereo
  package static func prove(_ path: FilePath) throws(Failure) -> FLACProof? {
    guard try isFLAC(path) else { return nil }
    let library = MediaLibrary()
    do {
      let asset = try library.asset(at: path)
      return try prove(try library.readable(asset), by: Crew())
    } catch {
      throw error as? Failure ?? .cancelled(at: .file(path))
    }
  }

  /// Whether a file begins as one does: native (RFC 9639, 8), also behind a tag of ID3, or in Ogg (RFC
  /// 9639, 10.1), whose first page holds one packet.
  private static func isFLAC(_ path: FilePath) throws(Failure) -> Bool {
    let bytes = try MediumBytes(.file(path))
    let head = try bytes.bytes(at: 0, count: 33)
    if head.starts(with: "OggS".utf8) {
      return head.dropFirst(28).starts(with: [0x7F] + Array("FLAC".utf8))
    }
    return try FLACBlock.all(of: bytes)?.isEmpty == false
  }

  /// Decodes all of a sound, and compares the digests; those of a chain one after the other, up to the
  /// first that is wrong.
  ///
  /// - Parameters:
  ///   - facts: The sound.
  ///   - crew: Of whose threads another one may make the digest.
  ///   - progress: Gets the number of frames that are decoded, on this thread.
  /// - Returns: The digests of the first link whose sound is not as it was, or else those of the last one
  ///   that has some; nil without any.
  /// - Throws: The failure of reading, or `CancellationError`.
  static func prove(
    _ facts: StreamFacts, by crew: Crew, progress: (Int64) -> Void = { _ in }
  ) throws -> FLACProof? {
    guard case .chained(let links) = facts.reader else {
      return try prove(facts, from: 0, link: nil, crew, progress)
    }
    var last: FLACProof?
    var unproven: [Int] = []
    var start: Int64 = 0
    for link in links {
      let proof = try prove(
        link.reading(facts.file).facts, from: start, link: link.number, crew, progress)
      if let proof, !proof.isFulfilled { return proof }
      if proof == nil { unproven.append(link.number) }
      last = proof ?? last
      start += link.frameCount
    }
    last?.unprovenLinks = unproven
    return last
  }

  private static func prove(
    _ facts: StreamFacts, from start: Int64, link: Int?, _ crew: Crew,
    _ progress: (Int64) -> Void
  ) throws -> FLACProof? {
    let damage = Damage(unless: crew.cancellation)
    damage.origin = facts.pieces == nil ? start : nil
    let opened = try reading(facts.location) { () throws(LibAVError) in
      try DigestedSound(facts, damage)
    }
    guard let sound = opened, let announced = sound.stream.digestOfFLAC else { return nil }
    let digest = try reading(facts.location) { () throws(LibAVError) in try DigestQueue(crew) }
    while true {
      if crew.cancellation.isCancelled { throw CancellationError() }
      let isMore = try reading(facts.location) { () throws(LibAVError) in
        try sound.advance(into: digest)
      }
      progress(start + sound.frameCount)
      guard isMore else { break }
    }
    if crew.cancellation.isCancelled { throw CancellationError() }
    guard let found = digest.finish() else { return nil }
    var fault: String?
    if announced != found {
      fault =
        damage.count > 0
        ? "it is damaged \(damage.text(atRate: facts.sampleRate))" : try fileBehind(facts, sound)
    }
    return FLACProof(announced: announced, found: found, fault: fault, link: link)
  }

  /// Says of a native FLAC that another one lies behind it; nil where none does.
  private static func fileBehind(
    _ facts: StreamFacts, _ sound: DigestedSound
  ) throws(Failure) -> String? {
    guard sound.formatName == "flac", facts.location.url == nil,
      try ContainerFacts.flacCountsAnew(MediumBytes(facts.location))
    else { return nil }
    return "another FLAC lies behind it in the file, which the header does not count"
  }
}

/// All samples of a stream of FLAC, as they were encoded. One thread at a time.
private final class DigestedSound {
  let stream: LibAV.Stream
  private let facts: StreamFacts
  private let packets: PacketReader
  private let lane: DecodingLane
  private let frame: Frame
  private let samples: ChunkSound<Int32>
  private let bits: Int
  private let damage: Damage
  /// Frames that were decoded.
  private(set) var frameCount: Int64 = 0
  /// The raw frame behind the last one that was decoded.
  private var end: Int64?
  private var isAtEnd = false

  private static let blockLength = 4096

  /// FFmpeg's name of the container.
  var formatName: String { packets.demuxer.formatName }

  /// Opens a stream; nil of one that is no FLAC with a header.
  init?(_ facts: StreamFacts, _ damage: Damage) throws(LibAVError) {
    var facts = facts
    var packets = try PacketReader(facts, unless: damage.cancellation)
    // Edit lists leave samples out, which the digest has.
    if packets.demuxer.formatName.hasPrefix("mov,"), !facts.opening.ignoresEditLists {
      facts.opening.ignoresEditLists = true
      damage.origin = nil
      packets = try PacketReader(facts, unless: damage.cancellation)
    }
    (self.facts, self.damage, self.packets) = (facts, damage, packets)
    stream = packets.stream
    guard let bits = stream.bitsOfFLAC else { return nil }
    self.bits = bits
    let isStamped = if case .demuxer = facts.reader { true } else { false }
    lane = DecodingLane(
      try Decoder.open(stream, removesPadding: false),
      isStamped ? .stamped : .counted(from: facts.firstRaw), origin: facts.origin, damage)
    frame = try Frame()
    samples = ChunkSound(channelCount: facts.channelCount, capacity: Self.blockLength)
  }

  /// Decodes a packet, and adds its samples; false at the end.
  func advance(into digest: DigestQueue) throws(LibAVError) -> Bool {
    guard !isAtEnd else { return false }
    let packet = try packets.next()
    isAtEnd = packet == nil
    try lane.send(packet)
    while let raw = try lane.receive(into: frame, facts.rawFrame) {
      // Frames of which each follows the other by its number lack none.
      if let end, raw > end {
        damage.note(.hole(end: raw), at: end - facts.origin)
      }
      end = raw + Int64(frame.sampleCount)
      frameCount += Int64(frame.sampleCount)
      try add(to: digest)
    }
    return true
  }

  private func add(to digest: DigestQueue) throws(LibAVError) {
    guard frame.channelCount == samples.channelCount else {
      throw LibAVError.formatChanged(
        to: frame, at: Time(frames: (end ?? 0) - facts.origin, rate: facts.sampleRate).inSeconds)
    }
    for start in stride(from: 0, to: frame.sampleCount, by: Self.blockLength) {
      let range = start..<min(start + Self.blockLength, frame.sampleCount)
      let planes = UnsafePointer(samples.planes)
      try frame.copyIntegers(range, ofBits: bits, to: planes)
      digest.append(planes, count: range.count, channels: samples.channelCount, bits: bits)
    }
  }
}

extension MediaLibrary {
  /// Finds what is wrong with the sound of a FLAC by the digest in its header. What was proved is
  /// remembered, in this run and later ones; what failed is not, since a file may be restored with the same
  /// time.
  ///
  /// - Parameters:
  ///   - asset: The sound.
  ///   - crew: As `FLACProof.prove`.
  ///   - progress: Gets the number of frames that are decoded, on this thread.
  /// - Returns: What is wrong; nil where nothing is, and for other sounds and such without a digest.
  /// - Throws: The failure of reading, or `CancellationError`.
  /// - Complexity: O(samples) the first time
  func doubt(
    ofDigestIn asset: Asset, by crew: Crew, progress: (Int64) -> Void = { _ in }
  ) throws -> Warning? {
    guard !hasProven(asset) else { return nil }
    watch?(asset.location)
    defer { watch?(nil) }
    let proof = try FLACProof.prove(try readable(asset), by: crew, progress: progress)
    if let proof, !proof.isFulfilled { return Warning(proof.reason, location: asset.location) }
    if proof != nil { keep(true, under: digestKey(of: asset)) }
    noteProven(asset)
    return nil
  }

  /// Whether nothing is to be proved of a sound: it is no FLAC, or was proved before.
  func hasProven(_ asset: Asset) -> Bool {
    guard asset.codec == "flac" else { return true }
    if provenSounds.withLock({ $0.contains(FLACProof.Key(asset)) }) { return true }
    let known: Bool? = recalled(digestKey(of: asset))
    if known == true { noteProven(asset) }
    return known == true
  }

  private func noteProven(_ asset: Asset) {
    provenSounds.withLock { _ = $0.insert(FLACProof.Key(asset)) }
  }

  private func digestKey(of asset: Asset) -> AnalysisKey {
    AnalysisKey("digest", revision: 1, ["\(asset.streamIndex)"], of: asset)
  }
}
