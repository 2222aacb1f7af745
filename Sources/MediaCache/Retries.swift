import Diagnosis
import HTTP

/// How often a server is asked again: as long as bytes arrive, and three times without.
struct Retries: Sendable {
  private var fruitless = 0
  private let pauses: [Duration]

  /// - Parameter pauses: Before each further attempt; tests have shorter ones.
  init(_ pauses: [Duration]) { self.pauses = pauses }

  static let usual: [Duration] = [.milliseconds(250), .seconds(1), .seconds(4)]
  /// A server that asks for a longer pause is not waited for.
  private static let longestPause: Duration = .seconds(30)

  /// How long to wait before the next attempt; nil where none is to be made.
  mutating func pause(after error: HTTPError, progressed: Bool) -> Duration? {
    guard error.kind == .tryAgain, error != .cancelled else { return nil }
    if progressed { fruitless = 0 }
    guard fruitless < pauses.count else { return nil }
    defer { fruitless += 1 }
    if progressed { return .zero }
    let asked = Duration.seconds(error.retryAfter ?? 0)
    return asked > Self.longestPause ? nil : max(asked, pauses[fruitless])
  }
}
