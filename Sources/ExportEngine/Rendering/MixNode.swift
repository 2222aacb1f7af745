import Diagnosis
import ExportGraph

/// The sum of children, each over its own frames.
final class MixNode: Sound {
  private struct Child {
    let frames: Range<Int64>
    let place: Int
    let node: any Sound
  }

  private let children: [Child]
  let channelCount: Int
  /// Made when children overlap or meet inside a block, and released when the node closes: memory
  /// does not grow with the number of groups.
  private var scratch: AudioBuffer?
  /// Children that sound at the playhead, in the order that the graph has them in, and the first
  /// one to come. A sum of floats depends on its order, and a part of a mix must not begin with
  /// another one than the whole: starts would be clamped to the part.
  private var active: [Int] = []
  private var next = 0
  private var playhead: Int64 = .min

  init(_ node: Node, _ children: [(frames: Range<Int64>, node: any Sound)]) {
    self.children =
      children.enumerated()
      .sorted {
        ($0.element.frames.lowerBound, $0.offset) < ($1.element.frames.lowerBound, $1.offset)
      }
      .map { Child(frames: $0.element.frames, place: $0.offset, node: $0.element.node) }
    channelCount = node.format.channelLayout.count
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    advance(to: frames)
    if active.count == 1, let only = active.first.map({ children[$0] }),
      only.frames.lowerBound <= frames.lowerBound, only.frames.upperBound >= frames.upperBound
    {
      try only.node.fill(frames, of: buffer, at: offset)
    } else {
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset).update(repeating: 0, count: frames.count)
      }
      // Of what is added to a negative zero all zeros keep their signs, as in a block of one child.
      for index in active {
        let common = children[index].frames.clamped(to: frames)
        let start = offset + Int(common.lowerBound - frames.lowerBound)
        for channel in 0..<channelCount {
          (buffer.planes[channel] + start).update(repeating: -0.0, count: common.count)
        }
      }
      for index in active {
        let child = children[index]
        let common = child.frames.clamped(to: frames)
        let scratch = scratchBuffer()
        try child.node.fill(common, of: scratch, at: 0)
        // At once, so that the following clip continues with the same source.
        if common.upperBound == child.frames.upperBound { child.node.close() }
        let start = offset + Int(common.lowerBound - frames.lowerBound)
        for channel in 0..<channelCount {
          add(
            scratch.planes[channel], times: 1, to: buffer.planes[channel] + start,
            count: common.count)
        }
      }
    }
    return frames.count
  }

  func close() {
    scratch = nil
    for index in active { children[index].node.close() }
    active = []
    next = 0
    playhead = .min
  }

  private func scratchBuffer() -> AudioBuffer {
    if let scratch { return scratch }
    let made = AudioBuffer(channelCount: channelCount, capacity: Renderer.blockSize)
    scratch = made
    return made
  }

  /// Opens children that start before the block's end, closes those that ended before it.
  private func advance(to frames: Range<Int64>) {
    if frames.lowerBound < playhead { close() }
    playhead = frames.lowerBound
    active.removeAll { index in
      guard children[index].frames.upperBound <= frames.lowerBound else { return false }
      children[index].node.close()
      return true
    }
    while next < children.count, children[next].frames.lowerBound < frames.upperBound {
      let child = children[next]
      if child.frames.upperBound > frames.lowerBound {
        let later = active.firstIndex { children[$0].place > child.place }
        active.insert(next, at: later ?? active.endIndex)
      }
      next += 1
    }
  }
}
