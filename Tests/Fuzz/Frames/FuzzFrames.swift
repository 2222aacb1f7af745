import FuzzDriver
import MPEGAudio

/// Any bytes are a file, and its index keeps its promises or is refused.
@main
enum FuzzFrames {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  func read(_ offset: Int, _ target: UnsafeMutableRawBufferPointer) -> Int {
    let part = file[offset..<min(file.count, offset + target.count)]
    target.copyBytes(from: part)
    return part.count
  }
  let index: FrameIndex
  do throws(FrameIndex.Refusal) {
    index = try FrameIndex(byteCount: file.count, reading: read)
    checkGrowth(of: try GrowingFrameIndex(byteCount: file.count, reading: read), to: index)
  } catch {
    precondition(!error.description.isEmpty)
    return 0
  }
  check(index, in: file)
  for anomaly in index.anomalies { precondition(!anomaly.description.isEmpty) }
  _ = index.settings.map(\.description)
  if let note = ITunesGapless(parsing: String(decoding: file.suffix(40), as: UTF8.self)) {
    checkSound(of: index.noting(note))
  }
  return 0
}

/// An index that grows ends as the whole one, or says that the tag lies.
private func checkGrowth(of growing: GrowingFrameIndex?, to whole: FrameIndex) {
  guard var growing else { return }
  do throws(GrowingFrameIndex.Contradiction) {
    for number in [0, growing.index.count / 2, growing.index.count - 1] {
      try growing.find(number)
      precondition(growing.index.byteRange(ofFrame: number) == whole.byteRange(ofFrame: number))
    }
    precondition(growing.isWhole && growing.index.validFrameCount == whole.validFrameCount)
  } catch {
    precondition(error.found == whole.count)
  }
}

private func check(_ index: FrameIndex, in file: UnsafeRawBufferPointer) {
  precondition(index.count > 0 || index.tag != nil)
  var end = 0
  var byteCount = 0
  for frame in 0..<index.count {
    let range = index.byteRange(ofFrame: frame)
    precondition(range.lowerBound >= end && range.upperBound <= file.count)
    guard let header = FrameHeader(startOf: file[range]) else {
      preconditionFailure("frame \(frame) has no header")
    }
    precondition(header.frameLength == range.count && header.isConsistent(with: index.header))
    precondition((0...frame).contains(index.preRoll(ofFrame: frame)))
    precondition(0..<512 ~= index.mainDataBegin(ofFrame: frame))
    precondition(index.mainDataCapacity(ofFrame: frame) < range.count)
    end = range.upperBound
    byteCount += range.count
  }
  precondition(byteCount == index.byteCount)
  precondition(index.meanBitRate >= 0)
  checkSound(of: index)
}

private func checkSound(of index: FrameIndex) {
  precondition(0...index.decodedFrameCount ~= index.validFrameCount)
  precondition(index.firstValidSample >= 0)
  for sample in [0, index.validFrameCount / 2, index.validFrameCount - 1] where index.count > 0 {
    let frame = index.frame(containing: sample)
    precondition(0..<index.count ~= frame)
    guard 0..<index.validFrameCount ~= sample else { continue }
    let first = index.firstSample(ofFrame: frame)
    precondition(first..<first + Int64(index.samplesPerFrame) ~= sample)
  }
}
