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
  /// By copy.
  private let streams: [MPEGFrames]

  /// Opens the sources of `plan`.
  ///
  /// - Throws: The failure of a source that cannot be read, or has changed.
  init(_ plan: CopyPlan, _ layout: CopyLayout, _ library: MediaLibrary) throws(Failure) {
    (self.plan, self.layout) = (plan, layout)
    var streams: [MPEGFrames] = []
    var opened: [Asset: MPEGFrames] = [:]
    for asset in plan.assets {
      if opened[asset] == nil { opened[asset] = try library.openFrames(of: asset) }
      guard let stream = opened[asset] else {
        throw Failure(.reportBug, "has no MP3 frames", location: asset.location)
      }
      streams.append(stream)
    }
    self.streams = streams
  }

  /// Frames of the copies before and behind an encoded run, where it may meet them.
  func neighbours(of run: Range<Int>) throws(Failure) -> RunEncoder.Neighbours {
    var neighbours = RunEncoder.Neighbours()
    if let before = layout.copies.firstIndex(where: { $0.frames.upperBound == run.lowerBound }) {
      let copy = layout.copies[before]
      for distance in 0..<Self.choice(copy) {
        let last = copy.first + copy.frames.count - 1 - distance
        neighbours.before.append(try streams[before].slopes(last).isShortAtEnd)
      }
    }
    if let behind = layout.copies.firstIndex(where: { $0.frames.lowerBound == run.upperBound }) {
      let (copy, stream) = (layout.copies[behind], streams[behind])
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

  /// What is copied and encoded by now.
  var parts: [CopiedPart] { plan.parts(in: layout) }

  /// Lets the copy behind a run begin where the run ends.
  func begin(copy number: Int, at frame: Int) {
    layout.shorten(number, start: frame - layout.copies[number].frames.lowerBound)
  }

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

  /// nil where nothing is copied.
  func encoding() throws(Failure) -> Encoding? {
    var headers: [FrameHeader] = []
    for (stream, copy) in zip(streams, layout.copies) {
      // The first frame of a file may be the only one with its tag's labels.
      headers.append(FrameHeader(startOf: try stream.bytes(copy.first)) ?? stream.index.header)
    }
    let longest = layout.copies.indices.max {
      layout.copies[$0].frames.count < layout.copies[$1].frames.count
    }
    guard let longest, let first = headers.first else { return nil }
    let rates = Set(streams.map { $0.index.settings?.rateControl })
    var isConstant = false
    if layout.encoded.isEmpty, rates.count == 1, case .cbr?? = rates.first { isConstant = true }
    // A carrier's too, where it has enough room.
    let least = isConstant ? Int(headers[longest].bits >> 12 & 15) : 1
    return Encoding(
      header: first, isJoint: headers.allSatisfy { $0.channelMode == .jointStereo },
      info: InfoFrame.Encoding(like: streams[longest].index, isConstant: isConstant),
      slots: .smallest(bitRateIndices: least...14))
  }

  /// The main data before a copy's frame, counted from its first one, that it and those behind it
  /// reach back to.
  func mainData(before frame: Int, of number: Int) throws(Failure) -> ArraySlice<UInt8> {
    let (stream, frame) = (streams[number], layout.copies[number].first + frame)
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
    let (stream, first) = (streams[number], layout.copies[number].first)
    let header = stream.index.header
    var (bytes, lengths) = ([] as [UInt8], [] as [Int])
    for frame in first + range.lowerBound..<first + range.upperBound {
      let own = try stream.bytes(frame)
      try stream.requireAlike(own, frame)
      // Farther behind, all slots between are longer together.
      if frame <= header.largestMainDataBegin, !stream.index.isComplete(frame: frame) {
        bytes += FrameHeader.silenced(own)
      } else {
        bytes += own
      }
      lengths.append(own.count)
    }
    return (bytes, lengths)
  }

  /// How many of the bytes before the slot behind a copy's frame are nobody's.
  func freeCount(after frame: Int, of number: Int) throws(Failure) -> Int {
    try streams[number].freeCount(after: layout.copies[number].first + frame)
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
      header.channelCount == index.channelCount, bytes.count > header.headLength
    else { throw changed(at: frame) }
  }
}
