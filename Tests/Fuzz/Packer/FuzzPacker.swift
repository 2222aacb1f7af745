import FuzzDriver
import MPEGAudio

/// Any bytes are a stream: what can be taken out of its bit reservoir and laid out anew comes out of
/// the new one as it was.
@main
enum FuzzPacker {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

/// The last bytes say how to go about it.
private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  guard file.count > 8 else { return -1 }
  let stream = Array(file.dropLast(4))
  let choices = file.suffix(4).map(Int.init)
  let (frames, problem) = unpacked(stream, pieceLength: stream.count)
  let (others, otherProblem) = unpacked(stream, pieceLength: 1 + choices[0])
  precondition(frames == others && problem == otherProblem)
  guard let first = frames.first else { return 0 }
  let alike = frames.prefix {
    $0.header.isConsistent(with: first.header)
      && $0.header.channelCount == first.header.channelCount
  }
  let indices = 1 + choices[1] % 14
  let slots: FramePacker.Slots =
    choices[1] >= 128 ? .own : .smallest(bitRateIndices: min(indices, 4)...indices)
  pack(alike, slots, groupLength: 1 + choices[2] % 16, wish: choices[3] * 2)
  copy(stream, alike, choices)
  layOut(choices + stream.prefix(64).map(Int.init))
  return 0
}

/// What comes out of a stream that is fed in pieces, and why nothing else does.
func unpacked(
  _ stream: [UInt8], pieceLength: Int
) -> ([UnpackedFrame], FrameUnpacker.Problem?) {
  var unpacker = FrameUnpacker()
  var frames: [UnpackedFrame] = []
  do throws(FrameUnpacker.Problem) {
    for start in stride(from: 0, to: stream.count, by: pieceLength) {
      let end = min(stream.count, start + pieceLength)
      try stream.withUnsafeBufferPointer { bytes throws(FrameUnpacker.Problem) in
        try unpacker.unpack(UnsafeBufferPointer(rebasing: bytes[start..<end]), into: &frames)
      }
    }
  } catch {
    precondition(frames.count == unpacker.count)
    return (frames, error)
  }
  precondition(frames.count == unpacker.count)
  return (frames, nil)
}

/// Packs groups of frames, each leaving as much of `wish` as there can be, up to one without room.
private func pack(
  _ frames: ArraySlice<UnpackedFrame>, _ slots: FramePacker.Slots, groupLength: Int, wish: Int
) {
  var packer = FramePacker(slots, like: frames[0].header)
  var bytes: [UInt8] = []
  var lengths: [Int] = []
  var rest = frames
  var hasRoom = true
  while !rest.isEmpty, hasRoom {
    let group = rest.prefix(groupLength)
    var most = packer.reservoir
    for frame in group {
      most = packer.mostReservoir(after: frame, from: most)
      if most < 0 { hasRoom = false }
      if !hasRoom { break }
    }
    let leaving = min(wish, max(0, most), frames[0].header.largestMainDataBegin)
    let (count, size) = (packer.count, bytes.count)
    do throws(FramePacker.NoRoom) {
      try packer.pack(group, leaving: leaving, into: &bytes, lengths: &lengths)
      precondition(hasRoom && packer.reservoir >= leaving)
      precondition(packer.count == count + group.count)
      rest = rest.dropFirst(group.count)
    } catch {
      precondition(!hasRoom && packer.count == count && bytes.count == size)
    }
    precondition(lengths.reduce(0, +) == bytes.count && lengths.count <= packer.count)
  }
  packer.finish(into: &bytes, lengths: &lengths)
  precondition(packer.reservoir == 0 && lengths.count == packer.count)
  precondition(lengths.reduce(0, +) == bytes.count)
  check(bytes, lengths, hold: frames.prefix(packer.count), slots)
}

private func check(
  _ bytes: [UInt8], _ lengths: [Int], hold frames: ArraySlice<UnpackedFrame>,
  _ slots: FramePacker.Slots
) {
  let (packed, problem) = unpacked(bytes, pieceLength: 1000)
  precondition(problem == nil && packed.count == frames.count)
  var start = 0
  for ((old, new), length) in zip(zip(frames, packed), lengths) {
    precondition(old.hasSameSound(as: new) && !new.header.hasChecksum)
    precondition(FrameHeader(startOf: bytes[start...])?.frameLength == length)
    precondition(0...new.header.largestMainDataBegin ~= new.mainDataBegin)
    if slots == .own {
      precondition(
        new.header.bitRate == old.header.bitRate && new.header.hasPadding == old.header.hasPadding)
    }
    start += length
  }
}
