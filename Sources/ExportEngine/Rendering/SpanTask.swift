import Diagnosis
import Threads

/// The work on a span of a sound, piece by piece: its blocks, or the findings in its chunks.
//
// `@unchecked Sendable`: one thread at a time advances a task. The crew's lock orders these threads, and
// the owner, which touches the task before it is added and after it is done.
final class SpanTask<Piece>: CrewTask, @unchecked Sendable {
  private let pace: Int
  private let next: () throws(Failure) -> Piece?
  private var pieces: [Piece] = []
  private var failure: Failure?

  /// A task of the pieces that `next` gives until it gives nil.
  ///
  /// - Parameters:
  ///   - pace: Pieces that are made between two looks at whether to stop.
  ///   - next: Called on any thread, by one at a time, and not again once it has thrown.
  init(pace: Int = 1, _ next: @escaping () throws(Failure) -> Piece?) {
    (self.pace, self.next) = (pace, next)
  }

  func advance() -> Bool {
    do throws(Failure) {
      for _ in 0..<pace {
        guard let piece = try next() else { return true }
        pieces.append(piece)
      }
      return false
    } catch {
      failure = error
      return true
    }
  }

  /// Gives the pieces to `collect`, in order, up to the failure, which is thrown.
  func give(to collect: (Piece) throws -> Void) throws {
    for piece in pieces { try collect(piece) }
    if let failure { throw failure }
  }
}
