import ExportEngine
import Synchronization
import TestSupport
import Threads

/// Answers requests with bytes in pieces of random lengths, from a thread for each, and now and then
/// with fewer than were asked for.
final class PieceDelegate: AssetResourceLoaderDelegate {
  let bytes: [UInt8]
  private let dice: Mutex<Dice>
  private let counts = Mutex((requests: 0, cancelled: 0))

  init(_ bytes: [UInt8], _ seed: Int) {
    self.bytes = bytes
    dice = Mutex(Dice(UInt64(seed)))
  }

  var requestCount: Int { counts.withLock { $0.requests } }
  var cancelledCount: Int { counts.withLock { $0.cancelled } }

  func resourceLoader(
    _ resourceLoader: AssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
  ) -> Bool {
    counts.withLock { $0.requests += 1 }
    let thread = try? Thread.spawn(name: "test-delegate", stackSize: 1 << 20) {
      self.answer(loadingRequest)
    }
    return thread != nil
  }

  func resourceLoader(
    _ resourceLoader: AssetResourceLoader, didCancel loadingRequest: AssetResourceLoadingRequest
  ) {
    counts.withLock { $0.cancelled += 1 }
  }

  private func answer(_ request: AssetResourceLoadingRequest) {
    request.contentInformationRequest?.contentLength = Int64(bytes.count)
    let data = request.dataRequest
    let start = min(bytes.count, Int(data.requestedOffset))
    var rest = bytes[start..<min(bytes.count, start + data.requestedLength)]
    if rest.count > 2, number(8) == 0 { rest = rest.prefix(1 + number(rest.count)) }
    while !rest.isEmpty, !request.isCancelled {
      let piece = rest.prefix(1 + number(20_000))
      data.respond(with: piece)
      rest = rest.dropFirst(piece.count)
    }
    request.finishLoading()
  }

  private func number(_ limit: Int) -> Int {
    dice.withLock { Int($0.number(0..<Int64(limit))) }
  }
}
