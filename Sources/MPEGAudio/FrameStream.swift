/// The frames of a stream that is written, and their Info frame.
package struct FrameStream: Sendable {
  /// Lays out main data.
  package private(set) var packer: FramePacker
  /// Frames that were given out, without the empty one.
  package private(set) var frameCount = 0
  private var info: InfoFrame
  private let header: FrameHeader

  /// Begins with an empty frame, which keeps the place of the Info frame.
  ///
  /// - Parameters:
  ///   - slots: How long the slots of packed frames are.
  ///   - header: The header of any of the frames.
  ///   - encoding: What the Info frame says of them.
  ///   - bytes: Grows by the empty frame.
  package init(
    _ slots: FramePacker.Slots, _ header: FrameHeader, _ encoding: InfoFrame.Encoding,
    _ bytes: inout [UInt8]
  ) {
    packer = FramePacker(slots, like: header)
    info = InfoFrame(like: header, encoding: encoding)
    self.header = header
    bytes += info.placeholder
  }

  /// Packs frames: see `FramePacker.pack`. Those of another encoder get the stream's labels.
  package mutating func append(
    _ frames: ArraySlice<UnpackedFrame>, leaving mainDataBegin: Int, into bytes: inout [UInt8]
  ) throws(FramePacker.NoRoom) {
    let start = bytes.count
    var lengths: [Int] = []
    if let first = frames.first, first.header.labels != header.labels {
      let labelled = frames.map { $0.labelled(like: header) }
      try packer.pack(labelled, leaving: mainDataBegin, into: &bytes, lengths: &lengths)
    } else {
      try packer.pack(frames, leaving: mainDataBegin, into: &bytes, lengths: &lengths)
    }
    count(lengths, in: bytes, from: start)
  }

  /// Fills all slots so that `mainData` are the last bytes: frames that are copied next reach back
  /// to them.
  ///
  /// - Throws: Where the reservoir holds less.
  package mutating func fill(
    endingWith mainData: ArraySlice<UInt8>, into bytes: inout [UInt8]
  ) throws(FramePacker.NoRoom) {
    let start = bytes.count
    var lengths: [Int] = []
    try packer.fill(endingWith: mainData, into: &bytes, lengths: &lengths)
    count(lengths, in: bytes, from: start)
  }

  /// Gives frames out as they lay in their own stream; before them all slots must be full. O(bytes)
  ///
  /// - Parameters:
  ///   - frames: Whole frames, one after the other.
  ///   - frameLengths: The length of each.
  ///   - bytes: Grows by them.
  package mutating func copy(
    _ frames: ArraySlice<UInt8>, lengths frameLengths: some Collection<Int>,
    into bytes: inout [UInt8]
  ) {
    let start = bytes.count
    bytes += frames
    packer.pass(frameLengths.count)
    count(frameLengths, in: bytes, from: start)
  }

  /// Copies the last frames of a copy, of whose main data the last `freeCount` bytes are free:
  /// frames that are packed next find room there.
  package mutating func copyEnd(
    _ frames: [ArraySlice<UInt8>], freeing freeCount: Int, into bytes: inout [UInt8]
  ) {
    let start = bytes.count
    var lengths: [Int] = []
    packer.copyEnd(frames, freeing: freeCount, into: &bytes, lengths: &lengths)
    count(lengths, in: bytes, from: start)
  }

  /// Fills the last slots, and gives all frames out.
  package mutating func finish(into bytes: inout [UInt8]) {
    let start = bytes.count
    var lengths: [Int] = []
    packer.finish(into: &bytes, lengths: &lengths)
    count(lengths, in: bytes, from: start)
  }

  /// The frame that belongs where the empty one stands: see `InfoFrame.encoded`.
  package func infoFrame(delay: Int, padding: Int) -> [UInt8] {
    info.encoded(delay: delay, padding: padding)
  }

  private mutating func count(
    _ lengths: some Sequence<Int>, in bytes: [UInt8], from start: Int
  ) {
    var position = start
    for length in lengths {
      info.add(frame: bytes[position..<position + length])
      position += length
      frameCount += 1
    }
  }
}

extension FrameHeader {
  /// Channel mode, copyright, original and emphasis: FFmpeg finds the start of a stream where two
  /// frames in a row agree in them (`MP3_MASK` in mp3dec.c).
  fileprivate var labels: UInt32 { bits & 0xCF }
}

extension UnpackedFrame {
  /// The same sound with the labels of another header, as far as they can be had: stereo is a joint
  /// stereo without anything joint, and so are two channels.
  fileprivate func labelled(like other: FrameHeader) -> UnpackedFrame {
    var bits = header.bits & ~0xF | other.bits & 0xF
    if header.channelMode == .stereo, other.channelCount == 2 {
      bits = bits & ~0xF0 | other.bits & 0xC0
    }
    return UnpackedFrame(
      header: FrameHeader(bits: bits) ?? header, mainDataBegin: mainDataBegin, content: content)
  }
}
