import Diagnosis
import ExportGraph
import LAME
import MPEGAudio
import MediaComposition

/// The streams from which an MP3 is copied.
final class MP3Sources {
  /// Where copied frames lie.
  private(set) var layout: CopyLayout
  private let plan: CopyPlan
  private let library: MediaLibrary
  /// A copy, the one behind it, and those of runs that begin while a short copy passes.
  private var open = OpenSources<MPEGFrames>(most: 6)

  /// What copies have of damage of their sources.
  private var damage = CopiedDamage()
  /// By copies, what looks at their frames, and the one that it sees next.
  private var checks: [Int: (check: FrameCheck, next: Int)] = [:]

  /// The sources of `plan`, of which none is opened yet.
  init(_ plan: CopyPlan, _ layout: CopyLayout, _ library: MediaLibrary) {
    (self.plan, self.layout, self.library) = (plan, layout, library)
  }

  /// The stream of a copy.
  ///
  /// - Throws: The failure of a source that cannot be read, or has changed.
  private func stream(_ number: Int) throws(Failure) -> MPEGFrames {
    try open.stream(of: plan.assets[number]) { asset throws(Failure) in
      guard let stream = try library.openFrames(of: asset) else {
        throw Failure(.reportBug, "has no MP3 frames", location: asset.location)
      }
      return stream
    }
  }

  /// Warnings on damage that is copied, one for each source.
  var damageWarnings: [Warning] { damage.warnings }

  /// Notes that a copy has frames between which its source lacks some: they are copied as they are.
  private func noteHoles(in number: Int, _ index: FrameIndex) {
    let (copy, location) = (layout.copies[number], plan.assets[number].location)
    for case .skippedBytes(_, runs: _, firstOffset: _, let frames) in index.anomalies {
      for frame in frames where frame > copy.first && frame < copy.first + copy.frames.count {
        damage.note(frame, of: location, index)
      }
    }
  }

  /// Notes what is wrong within a frame of a copy, which is copied as it is. Frames that were seen before
  /// are passed over.
  private func noteFault(
    in frame: Int, _ bytes: ArraySlice<UInt8>, of number: Int, _ index: FrameIndex
  ) {
    var (check, next) = checks[number] ?? (FrameCheck(), frame)
    guard frame >= next, let header = FrameHeader(startOf: bytes) else { return }
    if frame > next { check.restart() }
    let fitting = check.fittingChecksums
    let fault = check.fault(of: bytes, header)
    let location = plan.assets[number].location
    damage.note(checksums: check.fittingChecksums - fitting, of: location)
    switch fault {
    case .sideInformation?: damage.note(frame, of: location, index)
    case .checksum?: damage.note(checksumOf: frame, of: location, index)
    case nil: break
    }
    checks[number] = (check, frame + 1)
  }

  /// Frames of the copies before and behind an encoded run, where it may meet them.
  func neighbours(of run: Range<Int>) throws(Failure) -> RunEncoder.Neighbours {
    var neighbours = RunEncoder.Neighbours()
    if let before = layout.copies.firstIndex(where: { $0.frames.upperBound == run.lowerBound }) {
      let (copy, stream) = (layout.copies[before], try stream(before))
      for distance in 0..<Self.choice(copy) {
        let last = copy.first + copy.frames.count - 1 - distance
        neighbours.before.append(try stream.slopes(last).isShortAtEnd)
      }
    }
    if let behind = layout.copies.firstIndex(where: { $0.frames.lowerBound == run.upperBound }) {
      let (copy, stream) = (layout.copies[behind], try stream(behind))
      for distance in 0..<Self.choice(copy) {
        let frame = copy.first + distance
        let next = try stream.reach(before: frame + 1)
        neighbours.behind.append(try stream.unpacked(frame).map { ($0, next) })
      }
      // Where all are damaged, the first one falls silent.
      if neighbours.behind.allSatisfy({ $0 == nil }) {
        let next = try stream.reach(before: copy.first + 1)
        neighbours.behind[0] = (.silence(like: stream.index.header), next)
      }
    }
    return neighbours
  }

  /// How many frames of a copy's end may be encoded; one is left between two runs.
  private static func choice(_ copy: CopyLayout.Copy) -> Int {
    min(RunEncoder.reach, (copy.frames.count - 1) / 2)
  }

  /// Lets a copy end where the run behind it begins.
  func end(copy number: Int, at frame: Int) {
    layout.shorten(number, end: layout.copies[number].frames.upperBound - frame)
  }

  /// Lets the copy behind a run begin where the run ends.
  func begin(copy number: Int, at frame: Int) {
    layout.shorten(number, start: frame - layout.copies[number].frames.lowerBound)
  }

  /// What is copied and encoded by now.
  var parts: [CopiedPart] { plan.parts(in: layout) }

  /// How many frames of a copy may be given out before the run behind it has begun: not those that it
  /// may replace, and some whose main data may leave it room.
  func certainCount(of number: Int) -> Int {
    let copy = layout.copies[number]
    return max(0, copy.frames.count - Self.choice(copy) - 12)
  }

  /// What the Info frame says of the whole stream, and how the frames are that are not copied.
  struct Encoding {
    /// The header of the first copied frame, whose labels all of them get: FFmpeg passes over a first
    /// frame with others than the second one's.
    var header: FrameHeader
    /// Whether they may be joint stereo.
    var isJoint: Bool
    /// Of the longest copy's stream.
    var info: InfoFrame.Encoding
    /// How long their slots are.
    var slots: FramePacker.Slots
  }

  /// Nil where nothing is copied.
  func encoding() throws(Failure) -> Encoding? {
    let longest = layout.copies.indices.max {
      layout.copies[$0].frames.count < layout.copies[$1].frames.count
    }
    guard let longest else { return nil }
    var headers: [FrameHeader] = []
    var rates: Set<MP3Settings.RateControl?> = []
    for number in layout.copies.indices {
      let stream = try stream(number)
      // The first frame of a file may be the only one with its tag's labels.
      let bytes = try stream.bytes(layout.copies[number].first)
      headers.append(FrameHeader(startOf: bytes) ?? stream.index.header)
      rates.insert(stream.index.settings?.rateControl)
    }
    var isConstant = false
    if layout.encoded.isEmpty, rates.count == 1, case .cbr?? = rates.first { isConstant = true }
    // A carrier's too, where it has enough room.
    let least = isConstant ? Int(headers[longest].bits >> 12 & 15) : 1
    return Encoding(
      header: headers[0], isJoint: headers.allSatisfy { $0.channelMode == .jointStereo },
      info: InfoFrame.Encoding(like: try stream(longest).index, isConstant: isConstant),
      slots: .smallest(bitRateIndices: least...14))
  }

  /// The main data before a copy's frame, counted from its first one, that it and those behind it
  /// reach back to.
  func mainData(before frame: Int, of number: Int) throws(Failure) -> ArraySlice<UInt8> {
    let (stream, frame) = (try stream(number), layout.copies[number].first + frame)
    noteHoles(in: number, stream.index)
    return try stream.mainData(before: frame, count: try stream.reach(before: frame))
  }

  /// Frames of a copy, as bytes.
  ///
  /// - Parameters:
  ///   - range: Counted from its first one.
  ///   - number: The copy's.
  /// - Returns: The frames, one after the other, and the length of each.
  /// - Throws: As `MPEGFrames`, and where the number of channels changes.
  func frames(_ range: Range<Int>, of number: Int) throws(Failure) -> (bytes: [UInt8], [Int]) {
    let (stream, first) = (try stream(number), layout.copies[number].first)
    let header = stream.index.header
    var (bytes, lengths) = ([] as [UInt8], [] as [Int])
    for frame in first + range.lowerBound..<first + range.upperBound {
      let own = try stream.bytes(frame)
      try stream.requireAlike(own, frame)
      // A frame farther behind has more slots before it than main data can reach back.
      if frame <= header.largestMainDataBegin, !stream.index.isComplete(frame: frame) {
        bytes += FrameHeader.silenced(own)
      } else {
        noteFault(in: frame, own, of: number, stream.index)
        bytes += own
      }
      lengths.append(own.count)
    }
    return (bytes, lengths)
  }

  /// How many of the bytes before the slot behind a copy's frame are free.
  func freeCount(after frame: Int, of number: Int) throws(Failure) -> Int {
    try stream(number).freeCount(after: layout.copies[number].first + frame)
  }
}

extension MPEGFrames {
  /// How many bytes before a frame's slot it and those behind it reach back to, as far as the file has
  /// them. In a damaged stream the next one may reach farther than the frame.
  fileprivate func reach(before first: Int) throws(Failure) -> Int {
    var (reach, between, frame) = (0, 0, first)
    while frame < index.count, between < index.header.largestMainDataBegin {
      try find(frame)
      if index.isComplete(frame: frame) {
        reach = max(reach, index.mainDataBegin(ofFrame: frame) - between)
      }
      between += index.mainDataCapacity(ofFrame: frame)
      frame += 1
    }
    return reach
  }

  /// The last bytes of main data before a frame's slot.
  fileprivate func mainData(before first: Int, count: Int) throws(Failure) -> ArraySlice<UInt8> {
    var (data, frame) = ([] as [UInt8], first)
    while data.count < count {
      frame -= 1
      data = try bytes(frame).suffix(index.mainDataCapacity(ofFrame: frame)) + data
    }
    return data.suffix(count)
  }

  /// A frame with its main data, silent where the file lacks some; nil if these end behind its slot.
  fileprivate func unpacked(_ frame: Int) throws(Failure) -> UnpackedFrame? {
    let own = try bytes(frame)
    try requireAlike(own, frame)
    guard index.isComplete(frame: frame) else { return .silence(like: index.header) }
    let before = try mainData(before: frame, count: index.mainDataBegin(ofFrame: frame))
    return UnpackedFrame(own, after: before)
  }

  fileprivate func slopes(_ frame: Int) throws(Failure) -> WindowSlopes {
    try withSideInformation(frame) { WindowSlopes($0, $1) }
  }

  /// Bytes between a frame's main data and the next slot. In a damaged stream those of frames before
  /// it may lie there.
  fileprivate func freeCount(after last: Int) throws(Failure) -> Int {
    var (free, behind, frame) = (Int.max, 0, last)
    while frame >= 0, behind < free {
      let used = try withSideInformation(frame) { SideInformation.mainDataLength($0, $1) }
      let capacity = index.mainDataCapacity(ofFrame: frame)
      free = min(free, max(0, index.mainDataBegin(ofFrame: frame) + capacity - used) + behind)
      behind += capacity
      frame -= 1
    }
    return free
  }

  private func withSideInformation<Result>(
    _ frame: Int, _ read: (UnsafeBufferPointer<UInt8>, FrameHeader) -> Result
  ) throws(Failure) -> Result {
    let bytes = try bytes(frame)
    try requireAlike(bytes, frame)
    let header = FrameHeader(startOf: bytes) ?? index.header
    let side = bytes.dropFirst(header.hasChecksum ? 6 : 4).prefix(header.sideInformationLength)
    return side.withUnsafeBufferPointer { read($0, header) }
  }

  /// Refuses a frame that is not like the first one.
  fileprivate func requireAlike(_ bytes: ArraySlice<UInt8>, _ frame: Int) throws(Failure) {
    guard let header = FrameHeader(startOf: bytes), header.isConsistent(with: index.header),
      header.channelCount == index.channelCount, header.frameLength == bytes.count,
      bytes.count > header.headLength
    else { throw formatChange(at: frame) }
  }
}
