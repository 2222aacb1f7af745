/// Finds the gain of each frame from the sound around it, over all channels. One thread at a time.
protocol GainFinder: AnyObject {
  /// Input begins at a multiple of so many frames.
  var grid: Int { get }
  /// Frames of a block.
  var blockSize: Int { get }
  /// Frames that must be there before a block and after it.
  var margin: Int { get }
  /// Frames between a frame and the block that gives its gain.
  var delay: Int { get }

  /// Takes the next block of each channel. Writes as many gains: of the frames that lie `delay`
  /// before those of the block.
  func next(_ planes: [UnsafePointer<Float>], into gains: UnsafeMutablePointer<Float>)

  /// Begins anew, after silence.
  func reset()
}

/// Changes the level of a sound by what comes before each frame and after it.
///
/// Its input begins after silence, at a multiple of `grid` frames, and goes on until the output
/// that is wanted is ready: after the sound's end, as silence. A frame of output belongs to the same
/// frame of input, and depends on a bounded number of frames around it alone; so wherever a pass
/// begins, its frames are soon those of a pass from the start, bit for bit. One thread at a time.
package final class GainRider {
  /// The most frames that are fed at a time.
  package static let mostFed = 4096

  /// Frames of output that are to be taken before more input is fed.
  package private(set) var ready = 0

  private let finder: any GainFinder
  private let planes: [UnsafeMutablePointer<Float>]
  private let capacity: Int
  private let gains: UnsafeMutablePointer<Float>
  /// Gains that were taken; `ready` others follow.
  private var taken = 0

  // Frames are counted from the first one that was fed.
  /// The first frame in `planes`.
  private var base = 0
  /// The next one that is fed.
  private var end = 0
  /// The next block's first.
  private var block = 0
  /// The next one that is taken.
  private var output = 0

  init(_ finder: any GainFinder, channelCount: Int) {
    self.finder = finder
    // Twice, so that what is kept moves once for as many frames.
    let capacity = 2 * (finder.delay + finder.blockSize + 2 * finder.margin + Self.mostFed)
    self.capacity = capacity
    planes = (0..<channelCount).map { _ in .allocate(capacity: capacity) }
    gains = .allocate(capacity: Self.mostFed + 2 * finder.blockSize + finder.margin)
    reset()
  }

  deinit {
    for plane in planes { plane.deallocate() }
    gains.deallocate()
  }

  /// Input begins at a multiple of so many frames.
  package var grid: Int { finder.grid }

  /// Begins anew.
  package func reset() {
    finder.reset()
    (ready, taken, end, block, output) = (0, 0, 0, 0, 0)
    base = -finder.margin
    for plane in planes { plane.initialize(repeating: 0, count: finder.margin) }
  }

  /// Takes the next `count` frames, of `mostFed` at most. `ready` must be 0.
  package func feed(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int) {
    if end - base + count > capacity { moveKeptFrames() }
    for (channel, plane) in planes.enumerated() {
      (plane + end - base).update(from: input[channel], count: count)
    }
    end += count
    taken = 0
    while block + finder.blockSize + finder.margin <= end {
      finder.next(planes.map { UnsafePointer($0 + block - base) }, into: gains + ready)
      // Before the first frame there is nothing to take.
      let early = min(finder.blockSize, max(0, finder.delay - block))
      let count = finder.blockSize - early
      if early > 0 { (gains + ready).update(from: gains + ready + early, count: count) }
      ready += count
      block += finder.blockSize
    }
  }

  /// Moves on by `count` frames, of `ready` at most. Writes them to a buffer's frames from `offset`
  /// on, if there is one.
  ///
  /// - Returns: Their least gain, 1 without any.
  @discardableResult
  package func take(
    _ count: Int, into buffer: UnsafePointer<UnsafeMutablePointer<Float>>?, at offset: Int = 0
  ) -> Float {
    let factors = gains + taken
    var least: Float = 1
    var isUnity = true
    for index in 0..<count {
      least = min(least, factors[index])
      if factors[index] != 1 { isUnity = false }
    }
    if let buffer {
      for (channel, plane) in planes.enumerated() {
        let (source, target) = (plane + output - base, buffer[channel] + offset)
        if isUnity {
          target.update(from: source, count: count)
        } else {
          for index in 0..<count { target[index] = source[index] * factors[index] }
        }
      }
    }
    output += count
    taken += count
    ready -= count
    return least
  }

  private func moveKeptFrames() {
    let first = min(output, block - finder.margin)
    for plane in planes { plane.update(from: plane + first - base, count: end - first) }
    base = first
  }
}
