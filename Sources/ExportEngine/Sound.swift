import Diagnosis
import ExportGraph

/// Planar float sound: streams of files, nodes of a graph, and every step between them.
///
/// The sound at a frame does not depend on how that was reached: a range equals the slice of the
/// whole, bit for bit. Frames may be read in any order; that of time is cheapest, and a little ahead
/// costs less than far away. One thread at a time.
package protocol Sound: AnyObject {
  var channelCount: Int { get }

  /// Fills a buffer with the sound at `frames`, from the buffer's frame `offset` on. A node of a graph
  /// gets frames of its own, and no more than `Renderer.blockSize`.
  ///
  /// - Returns: How many frames were filled: fewer than `frames` has only at the end of the sound.
  /// - Throws: The failure of a file, at the node that reads it.
  @discardableResult
  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int

  /// Closes the files of all nodes that it is made of, until they are read again. Streams are open as
  /// long as they live.
  func close()
}

extension Sound {
  package func close() {}

  /// Reads frames that are there.
  ///
  /// - Throws: As `read`; `reportBug` where the sound ends before them.
  func fill(_ frames: Range<Int64>, of buffer: AudioBuffer, at offset: Int) throws(Failure) {
    guard try read(frames, into: buffer, at: offset) == frames.count else {
      throw Failure(.reportBug, "a sound ended early")
    }
  }
}

/// A sound that is made of another one.
protocol DerivedSound: Sound {
  var input: any Sound { get }
}

extension DerivedSound {
  var channelCount: Int { input.channelCount }

  func close() { input.close() }
}

/// Frames of another sound, which count from a zero of their own.
final class ExcerptSound: DerivedSound {
  let input: any Sound
  private let frames: Range<Int64>
  /// The input's frame less its own.
  private let shift: Int64

  /// `frames` of `input`, of which the first is to be frame `place`.
  init(_ input: any Sound, _ frames: Range<Int64>, at place: Int64 = 0) {
    (self.input, self.frames, shift) = (input, frames, frames.lowerBound - place)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let wanted = frames.mapped { $0 + shift }.clamped(to: self.frames)
    return wanted.isEmpty ? 0 : try input.read(wanted, into: buffer, at: offset)
  }
}
