import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import Splicing

/// Encodes a run of packets between copied ones, which it meets without a step.
///
/// An encoder begins some packets before the run, with the sound of the copy there, and ends behind it.
/// Opus' packets may end some packets later, where a copy's levels are too far from theirs
/// (`CopyMeeting`). Those of AAC meet where both halves of a window over one frame are
/// those of long blocks, so that a run may begin some packets earlier, and end some later; and where
/// the copy's window has another shape than FFmpeg's encoder would give it, the sound under it is
/// changed so that its coefficients are those of the copy's shape (`AACWindowShapes`).
///
/// A long run has several encoders one after the other. One thread at a time.
final class PacketRun {
  typealias Placed = Splicing.Placed<Packet>

  /// What all runs of a stream have in common.
  struct Setup {
    let recipe: LibAVRecipe
    let grid: CopyLayout.Grid
    /// A factor for the sound: decoders apply the gain of an Opus header.
    let gain: Float
    let isAAC: Bool
    let shapes: AACWindowShapes?
    /// Of packets without windows.
    fileprivate let meeting: CopyMeeting

    /// What runs beside copies of `source` have in common.
    init(
      _ recipe: LibAVRecipe, _ grid: CopyLayout.Grid, beside source: LibAV.Stream
    ) throws(Failure) {
      (self.recipe, self.grid, gain) = (recipe, grid, Float(1 / source.opusGain))
      meeting = CopyMeeting(stream: source, channelCount: recipe.channelCount, gain: gain)
      switch recipe.codec {
      case .aac: isAAC = true
      // Of Vorbis, one clip alone is copied, and no run is encoded.
      case .opus, .vorbis: isAAC = false
      default: throw Failure(.reportBug, "encodes no packets beside copied ones")
      }
      shapes = isAAC ? AACWindowShapes() : nil
    }

    /// Frames of an encoder's packets.
    var packetLength: Int64 { Int64(grid.samplesPerFrame) }

    /// Packets with whose sound an encoder begins: its own come near to those of one that has run for
    /// long.
    static let warmUp: Int64 = 11

    /// How many packets of a copy a run may replace at either end, to find windows that meet.
    static let choice = 8

    /// How many of a copy of Opus a run may replace behind it.
    private static let opusChoice = 4
    /// Frames of the longest packet of Opus, of 120 ms.
    private static let longestOpus = 5760

    /// How many of a copy's; one is left between two runs.
    func choice(ofCopy frames: Range<Int64>) -> Int {
      isAAC
        ? min(Self.choice, (frames.count / grid.samplesPerFrame - 1) / 2)
        : max(0, min(Self.opusChoice, (frames.count / Self.longestOpus - 1) / 2))
    }

    /// What a run of so many frames may need of the sound. Opus' copies may end by a packet of 120 ms
    /// earlier than planned, and begin by as much later, or by some packets.
    func sound(for frames: Range<Int64>) -> Range<Int64> {
      let (before, behind) = isAAC ? (Self.choice, Self.choice) : (1, Self.opusChoice + 1)
      let slack = isAAC ? packetLength : Int64(Self.longestOpus)
      let start = frames.lowerBound - Int64(before) * slack - Self.warmUp * packetLength
      return start..<frames.upperBound + Int64(behind) * slack + 3 * packetLength
    }

    /// Whether a packet of a copy that begins at a frame of the output lies where one may that was
    /// planned elsewhere.
    func isOnGrid(_ frame: Int64, of planned: Int64) -> Bool {
      isAAC
        ? frame == planned : (frame - planned).isMultiple(of: packetLength)
    }
  }

  /// Packets of a run that is encoded at once, when all of its sound has come.
  private static let short: Int64 = 96
  /// Packets of a long run's two ends.
  private static let ends: Int64 = 40

  private let setup: Setup
  /// What was planned, as frames of the output.
  private let frames: Range<Int64>
  private let isLong: Bool
  private let length: Int64
  private let copiedBitRate: Int?
  private var sound: RunSound
  /// The last packets of the copy before it, the nearest first; nil where nothing is before it.
  private var before: [AACWindows?]?
  private(set) var hasBegun = false
  /// How many of the copy's last packets it replaces; nil until that is decided.
  private(set) var replacedBefore: Int?
  /// How many of the first ones of the copy behind it.
  private(set) var replacedBehind = 0
  /// Where it begins.
  private var start: Int64
  /// Behind its last packet.
  private(set) var end: Int64 = 0
  /// Of a long run.
  private var lane: RunLane?
  /// Packets that are certain.
  private var ready: [Placed] = []

  /// A run of the packets `frames` of the output, whose sound is `sound`; the output has `length`
  /// frames. `copiedBitRate` is the highest of the copies beside it, in bits a second.
  init(
    _ frames: Range<Int64>, _ sound: Range<Int64>, of length: Int64,
    besideCopiesOf copiedBitRate: Int?,
    _ setup: Setup
  ) {
    (self.setup, self.frames, self.length, start) = (setup, frames, length, frames.lowerBound)
    self.copiedBitRate = copiedBitRate
    isLong = Int64(frames.count) > Self.short * setup.packetLength
    self.sound = RunSound(
      sound, channelCount: setup.recipe.channelCount, gain: setup.gain)
  }

  /// Takes some frames of the output's sound, which follow those before.
  func add(_ planes: UnsafePointer<UnsafeMutablePointer<Float>>, _ range: Range<Int64>) {
    sound.add(planes, range)
  }

  /// Whether so many frames of sound suffice for its beginning.
  func mayBegin(at frameCount: Int64) -> Bool {
    isLong && frameCount >= frames.lowerBound + 8 * setup.packetLength
  }

  /// Begins behind the last packets of a copy, which ends at a frame of the output; behind nothing
  /// where there are none.
  func begin(behind packets: [SourcePackets.Placed], at end: Int64) throws {
    hasBegun = true
    start = end
    before = packets.isEmpty ? nil : packets.reversed().map { AACWindows($0.packet) }
    guard isLong else { return }
    guard setup.isAAC, let before else {
      replacedBefore = 0
      lane = try open(at: start, continuing: before != nil)
      return
    }
    for distance in meeting(before, { $0.endsLong }) + [0] {
      (replacedBefore, start) = (distance, end - Int64(distance) * setup.packetLength)
      let lane = try open(at: start, adapting: [change(first: before[distance], at: start)])
      self.lane = lane
      try lane.encode(to: start + 4 * setup.packetLength, from: &sound)
      if lane.packets.first(from: start).flatMap({ AACWindows($0.packet) })?.beginsLong == true {
        break
      }
    }
  }

  /// Encodes as far as there is sound.
  func advance() throws {
    guard let lane else { return }
    try lane.encode(to: sound.end, from: &sound)
    // The last encoder takes over from this one.
    let certain = frames.upperBound - Self.ends * setup.packetLength
    ready += lane.take(start..<certain)
    sound.forget(before: min(sound.end, certain) - (Self.ends + Setup.warmUp) * setup.packetLength)
  }

  /// Gives packets that are certain, once.
  func take() -> [Placed] {
    defer { ready = [] }
    return ready
  }

  /// Encodes the rest: all of its sound has come.
  ///
  /// - Parameters:
  ///   - packets: The packet before the copy that follows, and its first ones; none where nothing does.
  ///   - isLast: Whether nothing follows.
  /// - Throws: The encoder's error.
  func complete(before packets: [SourcePackets.Placed], isLast: Bool) throws {
    let windows = packets.map { AACWindows($0.packet) }
    let behind = isLast ? nil : windows
    if setup.isAAC {
      try isLong ? completeLong(behind) : completeShort(behind)
    } else {
      try completeOpus(before: Array(packets.dropFirst()))
    }
  }
}

// MARK: - AAC

extension PacketRun {
  /// The places of a copy at which a run may meet it: those whose packets have long windows there.
  private func meeting(
    _ packets: [AACWindows?], _ isLong: (AACWindows) -> Bool
  ) -> [Int] {
    packets.indices.filter { packets[$0].map(isLong) ?? false }
  }

  /// The places of the copy behind, the first of whose packets lies before it.
  private func meetingBehind(_ packets: [AACWindows?]?) -> [Int] {
    guard let packets else { return [] }
    return meeting(Array(packets.dropFirst()), { $0.beginsLong }).filter { packets[$0] != nil }
  }

  /// The change of the sound in the run's first frame.
  private func change(first neighbour: AACWindows?, at start: Int64) -> RunLane.Change? {
    guard let neighbour, neighbour.endsLong else { return nil }
    return RunLane.Change(start: start, shape: neighbour.shape, isFirstHalf: true)
  }

  /// The places to try at both ends, the nearest first.
  private struct Ends {
    var before: [Int]
    var behind: [Int]
  }

  /// Encodes the run until windows meet at both ends; where they never do, as near as can be.
  private func completeShort(_ behind: [AACWindows?]?) throws {
    let copyEnd = start
    var ends = Ends(
      before: before.map { meeting($0, { $0.endsLong }) } ?? [], behind: meetingBehind(behind))
    while true {
      let distances = (ends.before.first ?? 0, ends.behind.first ?? 0)
      (replacedBefore, replacedBehind) = distances
      start = copyEnd - Int64(distances.0) * setup.packetLength
      end = frames.upperBound + Int64(distances.1) * setup.packetLength
      let shape = behind?[distances.1]?.shape
      let changes = [
        change(first: before.flatMap { $0.isEmpty ? nil : $0[distances.0] }, at: start),
        shape.map { RunLane.Change(start: end, shape: $0, isFirstHalf: false) },
      ]
      let lane = try open(
        at: start, continuing: before != nil || behind != nil, isShort: true, adapting: changes)
      try lane.encode(to: end + 3 * setup.packetLength, from: &sound)
      var packets = lane.take(start..<end)
      let (head, tail) = (packets.first?.windows, packets.last?.windows)
      if before != nil, head?.beginsLong != true, ends.before.count > 1 {
        ends.before.removeFirst()
        continue
      }
      if behind != nil, tail?.endsLong != true, ends.behind.count > 1 {
        ends.behind.removeFirst()
        continue
      }
      try reshape(&packets, shape)
      ready += packets
      return
    }
  }

  /// Gives the last packet the shape of window that the copy behind it was made with.
  private func reshape(_ packets: inout [Placed], _ shape: UInt32?) throws(LibAVError) {
    guard let shape, let last = packets.popLast() else { return }
    guard let windows = last.windows, windows.endsLong, windows.shape != shape else {
      return packets.append(last)
    }
    packets.append(Placed(last.frames, try AACWindows.packet(last.packet, withShape: shape)))
  }

  /// Goes on to the end with an encoder of its own, which meets the copy behind.
  private func completeLong(_ behind: [AACWindows?]?) throws {
    guard let lane else { return }
    let border = frames.upperBound - Self.ends * setup.packetLength
    guard let behind else {
      try lane.encode(to: length + 3 * setup.packetLength, from: &sound)
      end = frames.upperBound
      ready += lane.take(start..<end)
      return
    }
    try lane.encode(to: frames.upperBound, from: &sound)
    ready += lane.take(start..<border)
    let own = lane.take(border..<frames.upperBound - 2 * setup.packetLength)
    let found = meetingBehind(behind)
    let places = found.isEmpty ? [0] : found
    for distance in places {
      replacedBehind = distance
      end = frames.upperBound + Int64(distance) * setup.packetLength
      let shape = behind[distance]?.shape
      let tail = try open(
        at: border,
        adapting: [shape.map { RunLane.Change(start: end, shape: $0, isFirstHalf: false) }])
      try tail.encode(to: end + 3 * setup.packetLength, from: &sound)
      var packets = tail.take(border..<end)
      if packets.last?.windows?.endsLong != true, distance != places.last { continue }
      // The first place at which both have made the same windows twice.
      let seam = (2..<max(3, own.count)).first { place in
        place < packets.count && own[place].windows != nil
          && (place - 2...place).allSatisfy { own[$0].windows == packets[$0].windows }
      }
      try reshape(&packets, shape)
      ready += own.prefix(seam ?? 2) + packets.dropFirst(seam ?? 2)
      return
    }
  }
}

// MARK: - Opus

extension PacketRun {
  /// Encodes up to one of the first packets of a copy; to the end of the sound without any.
  private func completeOpus(before copy: [Placed]) throws {
    let packet = setup.packetLength
    replacedBefore = 0
    let last =
      copy.last?.frames.lowerBound ?? start + (length - start + packet - 1) / packet * packet
    let lane =
      try lane ?? open(at: start, continuing: before != nil || !copy.isEmpty, isShort: true)
    // Lanes go on by whole blocks.
    try lane.encode(to: last + 2 * packet + Int64(setup.grid.encoderSkip), from: &sound)
    let encoded = lane.take(start - Int64(CopyMeeting.warmUp) * packet..<last)
    if !copy.isEmpty {
      replacedBehind = try setup.meeting.choose(behind: encoded, among: copy, sound)
    }
    end = copy.isEmpty ? last : copy[replacedBehind].frames.lowerBound
    ready += encoded.filter { start..<end ~= $0.frames.lowerBound }
  }
}

extension PacketRun {
  /// An encoder whose packets from a frame of the output on are as those of one that has run for long.
  ///
  /// - Parameters:
  ///   - frame: Where a packet of the run begins.
  ///   - continues: Whether sound of the output precedes it.
  ///   - isShort: Whether its packets are few, and may have more bits: what is decoded again must not
  ///     lose much.
  ///   - changes: Of the sound, for AAC's windows.
  /// - Returns: The encoder, before its warm-up.
  /// - Throws: Its refusal.
  private func open(
    at frame: Int64, continuing continues: Bool = true, isShort: Bool = false,
    adapting changes: [RunLane.Change?] = []
  ) throws -> RunLane {
    var recipe = setup.recipe
    if isShort { recipe.codec = recipe.codec.finer(recipe, thanCopies: copiedBitRate) }
    let isFirst = frame < 0
    let first = isFirst ? frame : frame - Setup.warmUp * setup.packetLength
    return try RunLane(
      recipe, at: first, continuing: continues && !isFirst,
      changes.compactMap(\.self), setup.shapes)
  }
}

extension Splicing.Placed<Packet> {
  fileprivate var windows: AACWindows? { AACWindows(packet) }
}

extension [Splicing.Placed<Packet>] {
  /// The packet that begins at a frame.
  fileprivate func first(from frame: Int64) -> Element? {
    first { $0.frames.lowerBound == frame }
  }
}

extension Encoder.Codec {
  /// The codec with twice the bits of the copies beside it, or of the output where it has more, as far as
  /// there are.
  fileprivate func finer(_ recipe: LibAVRecipe, thanCopies copied: Int?) -> Encoder.Codec {
    switch self {
    case .aac(let own, let substitutesNoise):
      // 6144 bits for each channel and packet (ISO 14496-3, 4.5.3.3).
      let most = 6 * recipe.sampleRate * recipe.channelCount
      let finer = min(2 * max(own, copied ?? 0), most)
      return .aac(bitRate: max(own, finer), substitutesNoise: substitutesNoise)
    case .opus(let own):
      let most = 255_000 * recipe.channelCount
      return .opus(bitRate: max(own, min(2 * max(own, copied ?? 0), most)))
    default: return self
    }
  }
}
