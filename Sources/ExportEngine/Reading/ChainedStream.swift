import Diagnosis
import MediaComposition
import MediaTime

/// One file of several that are chained to one.
struct ChainLink: Sendable {
  var facts: StreamFacts
  var frameCount: Int64

  /// This link, read from the file that is open.
  func reading(_ file: HeldFile?) -> ChainLink {
    var link = self
    link.facts.file = file
    return link
  }
}

/// The links of a chained file, one after the other. One of them is open at a time.
final class ChainedStream: FrameSource {
  let channelCount: Int
  private(set) var position: Int64 = 0

  private let links: [ChainLink]
  /// The first frame of each link, and the end of the last.
  private let starts: [Int64]
  private let damage: Damage
  private var current: (number: Int, source: any FrameSource)?

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

  func seek(to frame: Int64) throws(Failure) { position = frame }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    var filled = 0
    while filled < count, let number = link(at: position) {
      let source = try open(number)
      let local = position - starts[number]
      if source.position != local { try source.seek(to: local) }
      let wanted = Int(min(Int64(count - filled), starts[number + 1] - position))
      let taken = try source.read(into: buffer, at: offset + filled, count: wanted)
      // A link keeps its length, so that the next one keeps its place.
      if taken < wanted { silence(buffer, from: offset + filled + taken, count: wanted - taken) }
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

  private func open(_ number: Int) throws(Failure) -> any FrameSource {
    if let current, current.number == number { return current.source }
    current = nil
    let source = try links[number].facts.sound(noting: damage)
    current = (number, source)
    return source
  }

  private func silence(_ buffer: AudioBuffer, from offset: Int, count: Int) {
    for channel in 0..<channelCount {
      (buffer.planes[channel] + offset).update(repeating: 0, count: count)
    }
    damage.note(.hole(end: position), silent: count)
    damage.note(read: count)
  }
}
