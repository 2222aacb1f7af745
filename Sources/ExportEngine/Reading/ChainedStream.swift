import Diagnosis
import MediaComposition
import MediaTime

/// One file of several that are chained to one.
struct ChainLink: Sendable {
  var facts: StreamFacts
  /// Counted from 1 among all links, also those without sound.
  var number: Int
  var frameCount: Int64

  /// This link, read from the file that is open.
  func reading(_ file: HeldFile?) -> ChainLink {
    var link = self
    link.facts.file = file
    return link
  }
}

/// The links of a chained file, one after the other. One of them is open at a time.
final class ChainedStream: Sound {
  let channelCount: Int

  private let links: [ChainLink]
  /// The first frame of each link, and the end of the last.
  private let starts: [Int64]
  private let damage: Damage
  private var current: (number: Int, source: any Sound)?

  init(_ links: [ChainLink], channelCount: Int, _ damage: Damage) {
    (self.links, self.channelCount, self.damage) = (links, channelCount, damage)
    var end: Int64 = 0
    starts =
      [0]
      + links.map { link in
        end += link.frameCount
        return end
      }
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    var (position, filled) = (frames.lowerBound, 0)
    while position < frames.upperBound, let number = link(at: position) {
      let start = starts[number]
      let wanted = Int(min(frames.upperBound, starts[number + 1]) - position)
      let taken = try open(number).read(
        position - start..<position - start + Int64(wanted), into: buffer, at: offset + filled)
      // A link keeps its length, so that the next one keeps its place.
      if taken < wanted {
        silence(buffer, from: offset + filled + taken, count: wanted - taken, at: position)
      }
      filled += wanted
      position += Int64(wanted)
    }
    return filled
  }

  /// The link that a frame is in; nil behind the last.
  private func link(at frame: Int64) -> Int? {
    let number = starts.dropFirst().partitioningIndex { $0 > frame } - 1
    return number < links.count ? number : nil
  }

  private func open(_ number: Int) throws(Failure) -> any Sound {
    if let current, current.number == number { return current.source }
    current = nil
    damage.origin = starts[number]
    let source = try links[number].facts.sound(noting: damage)
    current = (number, source)
    return source
  }

  private func silence(
    _ buffer: AudioBuffer, from offset: Int, count: Int, at position: Int64
  ) {
    for channel in 0..<channelCount {
      (buffer.planes[channel] + offset).update(repeating: 0, count: count)
    }
    damage.origin = 0
    damage.note(.hole(end: position), silent: count, at: position)
    damage.origin = current.map { starts[$0.number] }
    damage.note(read: count)
  }
}
