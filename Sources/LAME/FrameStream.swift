internal import MPEGAudio

/// The frames that are given out, and their Info frame.
struct FrameStream {
  var packer: FramePacker
  var info: InfoFrame
  /// Frames that were given out, without the empty one.
  private(set) var frameCount = 0

  /// Begins with an empty frame, which keeps the place of the Info frame.
  init(
    _ slots: FramePacker.Slots, _ header: FrameHeader, _ encoding: InfoFrame.Encoding,
    _ bytes: inout [UInt8]
  ) {
    packer = FramePacker(slots, like: header)
    info = InfoFrame(like: header, encoding: encoding)
    bytes += info.placeholder
  }

  mutating func append(
    _ frames: ArraySlice<UnpackedFrame>, leaving mainDataBegin: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    let start = bytes.count
    var lengths: [Int] = []
    do throws(FramePacker.NoRoom) {
      try packer.pack(frames, leaving: mainDataBegin, into: &bytes, lengths: &lengths)
    } catch {
      throw .noRoom(frame: error.frame)
    }
    count(lengths, in: bytes, from: start)
  }

  mutating func finish(into bytes: inout [UInt8]) {
    let start = bytes.count
    var lengths: [Int] = []
    packer.finish(into: &bytes, lengths: &lengths)
    count(lengths, in: bytes, from: start)
  }

  private mutating func count(_ lengths: [Int], in bytes: [UInt8], from start: Int) {
    var position = start
    frameCount += lengths.count
    for length in lengths {
      info.add(frame: bytes[position..<position + length])
      position += length
    }
  }
}
