import Diagnosis
import ExportGraph
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// Writes packets of its sources, AAC into M4A, Opus and Vorbis into Ogg, and those that are encoded
/// around them; of Vorbis those of one clip alone.
///
/// Steps follow one another in the file: a copy, an encoded run, the next copy. Runs take the sound
/// that they need as it comes; it may overlap with that of the run after a short copy.
///
/// The first packet begins before the sound. How much of it is dropped stands in the edit list (ISO
/// 14496-12, 8.6.6), in Opus' pre-skip (RFC 7845, 4.2) or, of Vorbis, in the granule position of the
/// first page (Vorbis I, A.2); the end in the last packet's duration, or the last granule position.
final class PacketCopyEncoding: SoundEncoding {
  private let file: OutputFile
  private let output: CopyOutput
  private let sources: PacketSources
  private let setup: PacketRun.Setup
  private let cancellation: CancellationFlag
  private var recipe: LibAVRecipe
  private let plan: CopyPlan
  /// Frames of sound of the output.
  private let length: Int64
  /// Frames of sound that have come so far.
  private var frameCount: Int64 = 0
  /// What is still to be written, in order.
  private var steps: ArraySlice<Step>
  /// The runs that have begun, by their parts' numbers.
  private var runs: [Int: PacketRun] = [:]
  /// Packets of the copy that is being written that are read and not written yet.
  private var pending: [SourcePackets.Placed] = []
  /// The copy that they are of.
  private var copied: Step?
  /// Behind the last packet that was read of the copy, or made, in frames of the output.
  private var end: Int64
  /// What is written.
  private var parts: [CopiedPart] = []
  /// Frames at the beginning that decode otherwise than in the source.
  private let divergence: Int64
  /// Frames of Vorbis before the sound, which FFmpeg does not leave out.
  private let early: Int64
  /// Where the first packet begins, in frames of the output.
  private let firstFrame: Int64
  private let packetLength: Int64
  private let sounds: OtherSounds?

  /// A part of the plan.
  private struct Step {
    /// Its number among the plan's.
    var part: Int
    /// Which copy it is; nil for a run.
    var copy: Int?
    /// The codec's frames that were planned for it, as frames of the output.
    var frames: Range<Int64>
    /// What a run may need of the sound.
    var sound: Range<Int64>
  }

  init(
    _ file: OutputFile, _ recipe: LibAVRecipe, _ plan: CopyPlan, _ layout: CopyLayout,
    _ library: MediaLibrary, crew: Crew, beside streams: OpenedCompanions? = nil
  ) throws {
    try Self.requireReadable(layout.frameCount, in: recipe.container, at: file.path)
    (self.file, self.recipe, self.plan, length) = (file, recipe, plan, layout.length)
    cancellation = crew.cancellation
    sources = PacketSources(plan, library, unless: crew.cancellation)
    let first = try sources.packets(0)
    setup = try PacketRun.Setup(recipe, layout.grid, beside: first.stream)
    steps = Self.steps(of: plan, layout, setup)[...]
    end = layout.firstSample(ofFrame: 0)
    var divergence: Int64 = 0
    if let part = plan.parts.first, let source = part.source {
      let wanted = source.frame..<source.frame + Int64(part.frames.count)
      let begun = try first.begin(wanted)
      divergence = try first.divergence(in: wanted, feeding: begun)
      let offset = try sources.offset(of: 0)
      pending = begun.map { $0.moved(by: offset) }
      end = pending.first.map { min(0, $0.frames.lowerBound) } ?? 0
    }
    self.divergence = divergence
    firstFrame = end
    early = first.stream.codecName == "vorbis" ? -end : 0
    packetLength = Int64(layout.grid.samplesPerFrame)
    let muxer = try self.recipe.openMuxer(
      of: file,
      for: .stream(
        first.stream, padding: Int(-end), header: first.header, coreRate: first.facts.coreRate),
      beside: streams?.streams)
    output = CopyOutput(
      file, muxer, recipe.container, isAlone: streams == nil && first.stream.codecName == "aac")
    sounds = streams?.sounds
  }

  /// libavformat reads fewer packets of one track (`mov_read_stsz`): 432 hours at 44.1 kHz.
  private static let mostPackets = (Int(Int32.max) - 4 - 8 * 64) / 32

  /// Refuses a file that FFmpeg, and so avjob, could not read.
  ///
  /// - Throws: `mendJob`.
  static func requireReadable(
    _ packetCount: Int, in container: Muxer.Container?, at path: FilePath
  ) throws(Failure) {
    guard [Muxer.Container.m4a, .mp4, .mov].contains(where: { $0 == container }),
      packetCount >= mostPackets
    else { return }
    throw Failure(
      .mendJob,
      "would have \(packetCount) packets, and FFmpeg reads fewer than \(mostPackets) of one MP4; make "
        + "several files of it", path: path)
  }

  private static func steps(
    of plan: CopyPlan, _ layout: CopyLayout, _ setup: PacketRun.Setup
  ) -> [Step] {
    var (copies, runs) = (layout.copies.indices[...], layout.encoded[...])
    return plan.parts.indices.compactMap { part in
      let copy = plan.parts[part].source == nil ? nil : copies.popFirst()
      guard let range = copy.map({ layout.copies[$0].frames }) ?? runs.popFirst() else {
        return nil
      }
      let frames =
        layout.firstSample(
          ofFrame: range.lowerBound)..<layout.firstSample(
          ofFrame: range.upperBound)
      let sound = setup.sound(for: frames).clamped(to: 0..<layout.length)
      return Step(part: part, copy: copy, frames: frames, sound: sound)
    }
  }

  var firstNeeded: Int64 {
    // The sounds of later runs begin later.
    for step in steps where step.copy == nil && step.sound.upperBound > frameCount {
      return max(step.sound.lowerBound, frameCount)
    }
    return .max
  }

  func skip(_ count: Int64) throws {
    frameCount += count
    try advance()
  }

  func encode(_ block: AudioBuffer) throws {
    let range = frameCount..<frameCount + Int64(block.frameCount)
    for step in steps where step.copy == nil {
      if step.sound.lowerBound >= range.upperBound { break }
      run(of: step).add(block.planes, range)
    }
    try skip(Int64(block.frameCount))
  }

  func finish() throws -> [CopiedPart]? {
    try advance()
    guard steps.isEmpty, end >= length else {
      let last = max(0, plan.assets.count - 1)
      throw try sources.packets(last).ending(at: end - sources.offset(of: last))
    }
    try output.finish(recipe, unless: cancellation)
    try readBack()
    return parts
  }

  // MARK: - Steps

  /// Writes all steps that do not reach beyond the sound that there was.
  private func advance() throws {
    while let step = steps.first {
      if cancellation.isCancelled { throw Failure.cancelled }
      if let copy = step.copy {
        guard try advance(copy, step) else { return }
      } else {
        guard try advance(run(of: step), step) else { return }
      }
      steps = steps.dropFirst()
    }
  }

  private func run(of step: Step) -> PacketRun {
    if let run = runs[step.part] { return run }
    let run = PacketRun(
      step.frames, step.sound, of: length, besideCopiesOf: bitRate(beside: step), setup)
    runs[step.part] = run
    return run
  }

  /// The highest of the copies before and behind a run, in bits a second; nil where they do not say it.
  private func bitRate(beside run: Step) -> Int? {
    let before = plan.parts[..<run.part].count { $0.source != nil }
    let neighbours = [
      run.part > 0 && plan.parts[run.part - 1].source != nil ? before - 1 : nil,
      run.part + 1 < plan.parts.count && plan.parts[run.part + 1].source != nil ? before : nil,
    ]
    return neighbours.compactMap { $0.flatMap { plan.assets[$0].meanBitRate } }.max()
  }

  /// Copies packets as far as their sound has passed; gives whether those are all that lie before the
  /// run behind them. Its last ones may be replaced by the run.
  private func advance(_ copy: Int, _ step: Step) throws -> Bool {
    let isLast = steps.count == 1
    let limit = isLast ? length : step.frames.upperBound
    copied = step
    let (packets, offset) = (try sources.packets(copy), try sources.offset(of: copy))
    let held = isLast ? 0 : setup.choice(ofCopy: step.frames) + 1
    // What was read on the way to the first packet.
    if let last = pending.last { end = last.frames.upperBound }
    while pending.count > held, !isLast { try put(pending.removeFirst(), of: step) }
    if try copyBlocks(of: packets, movedBy: offset, to: limit, but: held, step),
      frameCount < limit
    {
      return false
    }
    while end < min(limit, frameCount) {
      guard let placed = try packets.next()?.moved(by: offset) else {
        throw packets.ending(at: end - offset)
      }
      if !isLast, placed.frames.upperBound > limit {
        // Packets of Opus may be longer than the grid's frames.
        guard setup.isOnGrid(end, of: limit) else { throw packets.broken }
        return true
      }
      try requireNext(placed, packets)
      pending.append(placed)
      end = placed.frames.upperBound
      while pending.count > held { try put(pending.removeFirst(), of: step) }
    }
    guard end >= limit else { return false }
    if isLast {
      for placed in pending { try put(placed, of: step) }
      pending = []
    }
    return true
  }

  /// Copies packets of a copy that ends at a frame in blocks, where that can be done, as far as their
  /// sound has passed; of its last ones none that are `held`, and none for which libavformat is asked.
  ///
  /// - Returns: Whether it can be done: blocks are whole, wherever their sound was passed over, so that the
  ///   same packets make the same ones.
  private func copyBlocks(
    of packets: SourcePackets, movedBy offset: Int64, to limit: Int64, but held: Int, _ step: Step
  ) throws -> Bool {
    let last = limit - Int64(held + 2) * packetLength
    guard output.takesBlocks, packets.hasBlocks,
      last - end >= Int64(SourcePackets.shortestBlock) * packetLength
    else { return false }
    for placed in pending { try put(placed, of: step) }
    pending = []
    try packets.readBlocks(to: min(last, frameCount) - offset, whole: frameCount < limit) { block in
      let moved = block.moved(by: offset)
      guard plan.parts.count == 1 || moved.start == end else { throw packets.broken }
      note(moved.start..<moved.end, packetCount: moved.sizes.count, of: step)
      try output.write(moved)
      end = moved.end
    }
    return true
  }

  /// Of several clips, each packet must lie where its codec has it.
  private func requireNext(
    _ placed: SourcePackets.Placed, _ packets: SourcePackets
  ) throws(Failure) {
    guard plan.parts.count > 1, placed.frames.lowerBound != end else { return }
    throw packets.broken
  }

  /// Encodes a run as far as there is sound; gives whether that is all of it.
  private func advance(_ run: PacketRun, _ step: Step) throws -> Bool {
    let isComplete = frameCount >= step.sound.upperBound
    guard run.mayBegin(at: frameCount) || isComplete else { return false }
    if !run.hasBegun { try run.begin(behind: pending, at: end) }
    var behind: [SourcePackets.Placed] = []
    if isComplete {
      let next = steps.dropFirst().first
      if let next, let copy = next.copy { behind = try open(copy, next) }
      try run.complete(before: behind, isLast: next == nil)
    } else {
      try run.advance()
    }
    if let replaced = run.replacedBefore, let copied {
      for placed in pending.dropLast(replaced) { try put(placed, of: copied) }
      pending = []
    }
    for placed in run.take() { try put(placed, of: step) }
    guard isComplete else { return false }
    runs[step.part] = nil
    pending = Array(behind.dropFirst(1 + run.replacedBehind))
    end = pending.first?.frames.lowerBound ?? run.end
    return true
  }

  /// Goes to a copy: gives the packet before it, and its first ones, which the run before may replace.
  private func open(_ copy: Int, _ step: Step) throws -> [SourcePackets.Placed] {
    let (packets, offset) = (try sources.packets(copy), try sources.offset(of: copy))
    var placed = try packets.begin(fromRaw: step.frames.lowerBound - offset)
    let count = setup.choice(ofCopy: step.frames) + 2
    while placed.count < count, let next = try packets.next() { placed.append(next) }
    let moved = placed.map { $0.moved(by: offset) }
    guard moved.count > 1, setup.isOnGrid(moved[1].frames.lowerBound, of: step.frames.lowerBound),
      zip(moved.dropFirst(), moved.dropFirst(2)).allSatisfy({
        $0.frames.upperBound == $1.frames.lowerBound
      })
    else { throw packets.broken }
    return moved
  }

  // MARK: - Writing

  private func put(_ placed: SourcePackets.Placed, of step: Step) throws {
    let (start, end) = (placed.frames.lowerBound, min(placed.frames.upperBound, length))
    // Of an encoder's last packets, none that would begin behind the sound.
    guard start < length else { return }
    placed.packet.retime(to: start, lasting: end - start)
    // Where the others have the end of a last packet, Matroska counts what is not heard of it.
    if placed.frames.upperBound > length, recipe.container?.isMatroska == true {
      try placed.packet.discard(end: placed.frames.upperBound - length)
    }
    note(start..<end, packetCount: 1, of: step)
    try output.write(placed.packet)
  }

  /// Counts packets, whose frames of the output these are.
  private func note(_ frames: Range<Int64>, packetCount: Int, of step: Step) {
    if parts.count == step.part {
      parts.append(
        plan.parts[step.part].begun(at: frames.lowerBound, insteadOf: step.frames.lowerBound))
    }
    parts[step.part].extend(to: frames.upperBound, packetCount)
  }

  /// Reads what was written, and decodes it: the packets must be those of the source, and none may be
  /// refused by the decoder, as damaged ones are.
  ///
  /// - Throws: `mendInput`, before the file takes its place.
  /// - Complexity: O(frames), a second or two for an hour
  private func readBack() throws(Failure) {
    let found = try output.readBack(
      atRate: recipe.sampleRate, packetLength: packetLength, unless: cancellation)
    guard let found else {
      throw try sources.packets(0).unreadable(
        "reads back as other packets than those of the source")
    }
    guard found.refused.count == 0 else {
      throw found.refused.failure(
        of: parts, from: firstFrame, atRate: recipe.sampleRate, writing: file.path)
    }
    guard found.frames >= length else {
      throw Failure(
        .reportBug, "decodes to \(found.frames) frames instead of \(length)", path: file.path)
    }
  }

  var warnings: [Warning] {
    let besides = sounds?.warnings ?? []
    if early > 0 {
      let time = Time(frames: early, rate: recipe.sampleRate).inSeconds
      return besides + [
        Warning(
          "begins \(time) before the cut in FFmpeg and players that use it, which play the first block "
            + "of Vorbis whole; others begin at the cut. Write a quality, as 'q5', to encode it",
          path: file.path)
      ]
    }
    guard divergence > 0 else { return besides }
    let length = Time(frames: divergence, rate: recipe.sampleRate).inSeconds
    return besides + [
      Warning(
        "sounds a little different from its source for the first \(length), since decoders of SILK, "
          + "Opus' codec for speech, depend on more sound than the file can hold before a cut; "
          + "write a bit rate, as '32k', to encode it",
        path: file.path)
    ]
  }
}

extension CopiedPart {
  /// The part with no packets yet, whose first one lies elsewhere than planned.
  fileprivate func begun(at frame: Int64, insteadOf planned: Int64) -> CopiedPart {
    var part = self
    let start = max(0, frame)
    part.source?.frame += start - frames.lowerBound
    let grid = Int64(CopyLayout.Grid.aac.samplesPerFrame)
    part.source?.firstPacket? += Int((frame - planned) / grid)
    (part.frames, part.packetCount) = (start..<start, 0)
    return part
  }

  /// Counts packets, whose sound ends there.
  fileprivate mutating func extend(to end: Int64, _ count: Int) {
    frames = frames.lowerBound..<max(frames.upperBound, end)
    packetCount = (packetCount ?? 0) + count
  }
}
