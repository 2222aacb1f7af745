import Diagnosis
import ExportGraph
import MediaComposition

/// A child's whole sound, changed by a source. Both count from zeros of their own.
final class ProcessNode: Sound {
  let channelCount: Int
  private let origin: Origin
  private let makeSource: () throws(Failure) -> any Sound
  /// Where its processing waits for nodes with the same sound, if there are others.
  private let twins: ProcessPool.Place?
  /// Has the processing's state; released when the node closes.
  private var opened: (any Sound)?
  /// The frame behind those that were read last.
  private var end: Int64 = 0

  init(
    _ node: Node, twins: ProcessPool.Place?, _ makeSource: @escaping () throws(Failure) -> any Sound
  ) {
    channelCount = node.format.channelLayout.count
    origin = node.origin
    self.makeSource = makeSource
    self.twins = twins
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    do throws(Failure) {
      let taken = try open(at: frames.lowerBound).read(frames, into: buffer, at: offset)
      end = frames.lowerBound + Int64(taken)
      // Rounding may leave an empty frame at the end.
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset + taken).update(repeating: 0, count: frames.count - taken)
      }
      return frames.count
    } catch {
      throw error.placed(at: origin)
    }
  }

  private func open(at frame: Int64) throws(Failure) -> any Sound {
    if let opened { return opened }
    let waiting = twins.flatMap { $0.pool.take($0.first, near: frame) }
    // `??` would lose the type of what `makeSource` throws.
    let source = if let waiting { waiting } else { try makeSource() }
    opened = source
    return source
  }

  func close() {
    guard let opened else { return }
    self.opened = nil
    opened.close()
    if let twins { twins.pool.put(opened, of: twins, at: end) }
  }
}

/// The processing of sounds that several nodes have: what lies between two parts of a sound is
/// processed once, on the way from one to the next, and not from the start for each. One thread at a
/// time.
final class ProcessPool {
  /// A node among those with the same sound.
  struct Place {
    let pool: ProcessPool
    /// The first of them, which stands for the sound.
    let first: Node.ID
    /// Whether no other one follows it.
    let isLast: Bool
  }

  /// Several effects of some sounds at once, and two of each: parts that are cross-faded sound together.
  private var idle = IdleSources<Node.ID, any Sound>(limit: 64)

  fileprivate func take(_ sound: Node.ID, near frame: Int64) -> (any Sound)? {
    idle.take(sound, near: frame)
  }

  fileprivate func put(_ opened: any Sound, of place: Place, at frame: Int64) {
    // Processings may take megabytes each.
    guard !place.isLast else { return idle.remove(place.first) }
    idle.put(opened, of: place.first, at: frame)
  }
}
