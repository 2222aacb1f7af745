import Diagnosis
import MediaCache
import MediaComposition
import Synchronization
import Threads

/// A request of some bytes, or of what is known of a medium (`AVAssetResourceLoadingRequest`). Safe from
/// any thread.
public final class AssetResourceLoadingRequest: Sendable {
  /// The loader's address of the medium.
  public let url: String
  /// What is asked of the medium; nil where bytes alone are asked for.
  public let contentInformationRequest: AssetResourceLoadingContentInformationRequest?
  /// The bytes that are asked for.
  public let dataRequest: AssetResourceLoadingDataRequest

  private weak let loader: AssetResourceLoader?
  private let state = Monitor(State())

  fileprivate struct State {
    /// What came and was not read, from `first` on.
    var bytes: [UInt8] = []
    var first = 0
    var received: Int64 = 0
    var read: Int64 = 0
    var isFinished = false
    var isCancelled = false
    var error: (any Error)?
  }

  init(
    of loader: AssetResourceLoader, at offset: Int64, count: Int, isToEnd: Bool,
    asksForInformation: Bool = false
  ) {
    (self.loader, url) = (loader, loader.name)
    contentInformationRequest =
      asksForInformation ? AssetResourceLoadingContentInformationRequest() : nil
    dataRequest = AssetResourceLoadingDataRequest(
      state, offset: offset, count: count, isToEnd: isToEnd)
  }

  /// Whether `finishLoading` was called.
  public var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Whether nothing of it is read any more; what comes is thrown away.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the request (`finishLoading()`). If fewer bytes came than were asked for, another request
  /// goes on where they end; one that brings none is the end of a medium of unknown length, and
  /// otherwise a failure.
  public func finishLoading() { finish(nil) }

  /// Ends the request as failed (`finishLoading(with:)`), after the bytes that came before: the read of
  /// what follows fails, by the loader's name and the place. A `Failure` keeps its remedy.
  public func finishLoading(with error: (any Error)?) { finish(error) }

  private func finish(_ error: (any Error)?) {
    state.withLock { state in
      guard !state.isFinished else { return }
      (state.isFinished, state.error) = (true, error)
    }
  }

  // MARK: For the loader

  var requestedOffset: Int64 { dataRequest.requestedOffset }

  /// Where a reader goes on.
  var readOffset: Int64 { requestedOffset + state.withLock { $0.read } }

  /// Whether more of it can be read, or a failure.
  var isReadable: Bool {
    let count = Int64(dataRequest.requestedLength)
    return state.withLock { state in
      state.read < count && (!state.isFinished || state.read < state.received || state.error != nil)
    }
  }

  /// How much the request after this one asks for.
  var nextLength: Int { min(2 * max(dataRequest.requestedLength, 64 << 10), 1 << 20) }

  func cancel() {
    let isFirst = state.withLock { state in
      defer { state.isCancelled = true }
      (state.bytes, state.first) = ([], 0)
      return !state.isFinished && !state.isCancelled
    }
    if isFirst, let loader { loader.delegate.resourceLoader(loader, didCancel: self) }
  }

  /// Waits until the request is finished.
  func awaitEnd() throws {
    let result = try awaited { $0.isFinished ? Result.success(()) : nil }
    try result.get()
    if let error = state.withLock({ $0.error }) { throw error }
  }

  /// Waits for bytes; gives their number: 0 where it is finished without more.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try awaited { state -> Result<Int, any Error>? in
      let part = state.bytes[state.first...].prefix(buffer.count)
      if !part.isEmpty {
        buffer.copyBytes(from: part)
        state.first += part.count
        state.read += Int64(part.count)
        if state.first == state.bytes.count { (state.bytes, state.first) = ([], 0) }
        return .success(part.count)
      }
      if let error = state.error { return .failure(error) }
      return state.isFinished ? .success(0) : nil
    }.get()
  }

  /// Waits for an answer; cancels the request where the wait is ended.
  private func awaited<Value>(
    _ body: (inout State) -> Result<Value, any Error>?
  ) throws -> Result<Value, any Error> {
    let found = ByteWaiting.wait(for: state, unless: { MediaNetwork.isCancelled }, until: body)
    if let found { return found }
    cancel()
    throw CancellationError()
  }
}

/// What is asked of a medium (`AVAssetResourceLoadingContentInformationRequest`), to be set before its
/// request is finished. Safe from any thread.
public final class AssetResourceLoadingContentInformationRequest: Sendable {
  private let value = Mutex(MediaContentInformation())

  /// All of it.
  public var information: MediaContentInformation {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }

  /// As of `MediaContentInformation`; nil, the default: not known.
  public var contentType: String? {
    get { information.contentType }
    set { value.withLock { $0.contentType = newValue } }
  }

  /// As of `MediaContentInformation`, in bytes; nil, the default: not known before the end.
  public var contentLength: Int64? {
    get { information.contentLength }
    set { value.withLock { $0.contentLength = newValue } }
  }

  /// As of `MediaContentInformation`; true by default, other than in AVFoundation.
  public var isByteRangeAccessSupported: Bool {
    get { information.isByteRangeAccessSupported }
    set { value.withLock { $0.isByteRangeAccessSupported = newValue } }
  }

  /// As of `MediaContentInformation`: an ETag. Nil by default.
  public var validator: String? {
    get { information.validator }
    set { value.withLock { $0.validator = newValue } }
  }
}

/// The bytes that are asked for (`AVAssetResourceLoadingDataRequest`). Safe from any thread.
public final class AssetResourceLoadingDataRequest: Sendable {
  /// Where they begin.
  public let requestedOffset: Int64
  /// How many: one at least, and 1 MiB at most, or what one read asks for.
  public let requestedLength: Int
  /// Whether they are all up to the end of the medium.
  public let requestsAllDataToEndOfResource: Bool
  private let state: Monitor<AssetResourceLoadingRequest.State>

  fileprivate init(
    _ state: Monitor<AssetResourceLoadingRequest.State>, offset: Int64, count: Int, isToEnd: Bool
  ) {
    (self.state, requestedOffset, requestedLength) = (state, offset, count)
    requestsAllDataToEndOfResource = isToEnd
  }

  /// Where the next bytes belong: behind those that came.
  public var currentOffset: Int64 { requestedOffset + state.withLock { $0.received } }

  /// Takes the next bytes (`respond(with:)`), in as many pieces as is convenient. What is more than was
  /// asked for is left out, and so is what comes after the end or a cancellation.
  ///
  /// - Complexity: O(n)
  public func respond(with data: some Sequence<UInt8>) {
    let data = Array(data)
    state.withLock { state in
      guard !state.isFinished, !state.isCancelled else { return }
      let part = data.prefix(Int(max(0, Int64(requestedLength) - state.received)))
      state.bytes += part
      state.received += Int64(part.count)
    }
  }
}
