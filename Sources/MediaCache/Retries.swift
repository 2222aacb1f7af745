import Diagnosis
import HTTP

/// How often a server is asked again: as long as blocks arrive, and three times without a byte.
///
/// A server that sends a few bytes for each request is asked at most 16 times for a block, so for 1 KiB
/// a request: as slow as a body may be in a second.
struct Retries: Sendable {
  /// Attempts without a byte, and all attempts, since the last block.
  private var (fruitless, attempts) = (0, 0)
  /// Bytes since the last block.
  private var received: Int64 = 0
  private let pauses: [Duration]

  /// - Parameter pauses: Before each further attempt; tests have shorter ones.
  init(_ pauses: [Duration]) { self.pauses = pauses }

  static let usual: [Duration] = [.milliseconds(250), .seconds(1), .seconds(4)]
  /// A server that asks for a longer pause is not waited for.
  private static let longestPause: Duration = .seconds(30)
  private static let attemptsForBlock = 16

  /// Decides about the next attempt.
  ///
  /// - Parameters:
  ///   - error: How the last one ended.
  ///   - bytes: What it brought.
  /// - Returns: How long to wait; nil where none is to be made.
  mutating func pause(after error: HTTPError, receiving bytes: Int64) -> Duration? {
    guard error.kind == .tryAgain, error != .cancelled else { return nil }
    received += bytes
    if received >= EntryFiles.blockSize { (fruitless, attempts, received) = (0, 0, 0) }
    attempts += 1
    let asked = Duration.seconds(error.retryAfter ?? 0)
    guard attempts <= Self.attemptsForBlock, asked <= Self.longestPause else { return nil }
    if bytes > 0 { return asked }
    guard fruitless < pauses.count else { return nil }
    defer { fruitless += 1 }
    return max(asked, pauses[fruitless])
  }
}
