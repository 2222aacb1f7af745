import Diagnosis
import MediaCache
import MediaComposition
import Synchronization
import Threads

/// Gives the bytes of a medium as they come (`AVAssetResourceLoaderDelegate`).
///
/// Both methods are called on threads of the library's own, without a lock, several at once: of each
/// reader of the medium one. They may answer at once, or later, from any thread or task.
public protocol AssetResourceLoaderDelegate: AnyObject, Sendable {
  /// Takes a request (`resourceLoader(_:shouldWaitForLoadingOfRequestedResource:)`).
  ///
  /// - Parameters:
  ///   - resourceLoader: Whose request it is.
  ///   - loadingRequest: What is to be loaded; it is kept until it is finished or cancelled.
  /// - Returns: Whether it will be answered; false is the failure of the read.
  func resourceLoader(
    _ resourceLoader: AssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
  ) -> Bool

  /// Ends a request of which nothing is read any more (`resourceLoader(_:didCancel:)`): after a jump to
  /// another place, a stopped player, a cancelled load. By default nothing is done.
  func resourceLoader(
    _ resourceLoader: AssetResourceLoader, didCancel loadingRequest: AssetResourceLoadingRequest)
}

extension AssetResourceLoaderDelegate {
  /// Does nothing.
  public func resourceLoader(
    _ resourceLoader: AssetResourceLoader, didCancel loadingRequest: AssetResourceLoadingRequest
  ) {}
}

/// A medium whose bytes a delegate loads, by requests (`AVAssetResourceLoader`): of an address of any
/// scheme, from a server that needs more than HTTP, decrypted as they come.
///
/// ```swift
/// let loader = AssetResourceLoader(url: "streaming://lectures/7.mp3", delegate: delegate)
/// let asset = try await library.loadAsset(at: .source(loader))
/// ```
///
/// The first request asks for the content information, with the first two bytes, as AVFoundation's
/// does; it is made once. Others ask for 64 KiB to 1 MiB from a place on, the more the longer the medium
/// is read in order, and what comes is read as it comes. At most four of them wait to be read on; the
/// one that was used longest ago is cancelled, and all when nothing reads the medium any more. Safe from
/// any thread.
public final class AssetResourceLoader: MediaSource, UnblockedSource {
  /// The medium's address.
  public let name: String
  /// As of `MediaSource`.
  public let cacheIdentifier: String?
  /// Takes the requests. Held, unlike AVFoundation's: a delegate that holds its loader lives with it.
  public let delegate: any AssetResourceLoaderDelegate

  private struct State {
    var information: MediaContentInformation?
    var isAsking = false
    /// Requests of which a reader may read on, the one used last at the end.
    var open: [AssetResourceLoadingRequest] = []
    var readers = 0
  }

  private let state = Monitor(State())

  /// A medium that a delegate loads.
  ///
  /// - Parameters:
  ///   - url: Its address, of any scheme, for messages and for the delegate; without secrets.
  ///   - cacheIdentifier: As of `MediaSource`; nil: nothing is kept.
  ///   - delegate: Takes the requests.
  public init(
    url: String, cacheIdentifier: String? = nil, delegate: any AssetResourceLoaderDelegate
  ) {
    (name, self.cacheIdentifier, self.delegate) = (url, cacheIdentifier, delegate)
  }

  // MARK: MediaSource

  /// What the delegate says of the medium; it is asked once, and again after a failure. Blocks.
  ///
  /// - Throws: The delegate's error, or `Failure` where it does not load the medium.
  public func contentInformation() throws -> MediaContentInformation {
    let known = ByteWaiting.wait(for: state, unless: { MediaNetwork.isCancelled }) {
      state -> MediaContentInformation?? in
      if let known = state.information { return .some(known) }
      if state.isAsking { return nil }
      state.isAsking = true
      return .some(nil)
    }
    guard let known else { throw cancellation }
    if let known { return known }
    var found: MediaContentInformation?
    defer {
      state.withLock { state in
        (state.information, state.isAsking) = (found, false)
      }
    }
    let request = AssetResourceLoadingRequest(
      of: self, at: 0, count: Self.firstCount, isToEnd: false, asksForInformation: true)
    try begin(request)
    try request.awaitEnd()
    found = request.contentInformationRequest?.information
    return found ?? MediaContentInformation()
  }

  /// As many bytes are asked for with the content information.
  private static let firstCount = 2

  /// Bytes that the delegate loads, as of `MediaSource`. Blocks until the first one is there.
  ///
  /// - Throws: The delegate's error, or `Failure`; `CancellationError` where the wait was ended.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var length = Self.firstLength
    var request: AssetResourceLoadingRequest?
    if let open = takeOpen(at: offset) {
      if open.isReadable { request = open } else { length = open.nextLength }
    }
    for attempt in 0..<2 {
      let current: AssetResourceLoadingRequest
      if let request {
        current = request
      } else {
        current = makeRequest(at: offset, count: max(length, buffer.count))
        try begin(current)
      }
      let count = try current.read(into: buffer)
      if count > 0 || attempt == 1 || request == nil {
        putBack(current)
        return count
      }
      // It was finished before all of it was there: the next one goes on.
      (request, length) = (nil, current.nextLength)
    }
    return 0
  }

  private static let firstLength = 64 << 10
  private static let mostOpen = 4

  private func makeRequest(at offset: Int64, count: Int) -> AssetResourceLoadingRequest {
    let end = state.withLock { $0.information?.contentLength } ?? .max
    let rest = max(1, end - offset)
    return AssetResourceLoadingRequest(
      of: self, at: offset, count: Int(min(Int64(count), rest)), isToEnd: Int64(count) >= rest)
  }

  private func begin(_ request: AssetResourceLoadingRequest) throws {
    // A delegate may answer in the call, and take long. The later of the call's return and of the end of
    // the wait for it cancels: it hears of that behind the call.
    let isOneOver = Mutex(false)
    @Sendable func isLater() -> Bool {
      isOneOver.withLock { isOver in
        defer { isOver = true }
        return isOver
      }
    }
    let answer: Bool?
    do {
      answer = try ByteWaiting.run(unless: { MediaNetwork.isCancelled }) { [self] in
        let waits = delegate.resourceLoader(self, shouldWaitForLoadingOfRequestedResource: request)
        if isLater() { request.cancel() }
        return waits
      }
    } catch {
      throw Failure.outOfThreads(error, at: .source(self))
    }
    guard let waits = answer else {
      if isLater() { request.cancel() }
      throw CancellationError()
    }
    guard waits || request.isFinished else {
      throw Failure(
        .mendInput, "its delegate does not load it from byte \(request.requestedOffset) on",
        location: .source(self))
    }
  }

  /// The request that a reader goes on with at a place; it is not used by another one meanwhile.
  private func takeOpen(at offset: Int64) -> AssetResourceLoadingRequest? {
    state.withLock { state in
      state.open.lastIndex { $0.readOffset == offset }.map { state.open.remove(at: $0) }
    }
  }

  /// Counts readers, and cancels what is left when the last one goes.
  func countReader(_ change: Int) {
    let left = state.withLock { state -> [AssetResourceLoadingRequest] in
      state.readers += change
      guard state.readers == 0 else { return [] }
      defer { state.open = [] }
      return state.open
    }
    for request in left { request.cancel() }
  }

  private func putBack(_ request: AssetResourceLoadingRequest) {
    let oldest = state.withLock { state in
      state.open.append(request)
      return state.open.count > Self.mostOpen ? state.open.removeFirst() : nil
    }
    oldest?.cancel()
  }
}
