import Diagnosis
import HTTP
import MediaComposition
import Synchronization

/// Sends requests to servers, and those for media of the program's own sources to the sources: so these
/// are kept, by ranges, as servers' media are. Safe from any thread.
final class SourceTransport: HTTPTransport {
  private let servers: any HTTPTransport
  private let sources: SourceTable

  init(_ servers: any HTTPTransport, _ sources: SourceTable) {
    (self.servers, self.sources) = (servers, sources)
  }

  func send(_ request: HTTPRequest, to receiver: any HTTPReceiver) throws(HTTPError) {
    guard request.url.host == SourceTable.host else {
      return try servers.send(request, to: receiver)
    }
    guard let source = sources.source(at: request.url) else {
      throw .source(
        Failure(
          .mendJob, "the program has released this source; keep it while its sound is read",
          location: .remote(request.url)))
    }
    do throws(Failure) {
      try source.answer(request, to: receiver, SourceTable.tag(of: request.url))
    } catch {
      throw .source(error)
    }
  }
}

/// The sources of this process whose media the cache reads, by the addresses under which it knows them.
final class SourceTable: Sendable {
  /// The host of these addresses, which no server can have (RFC 2606, 2).
  static let host = "media-source.invalid"

  private struct Known { weak var source: (any MediaSource)? }

  /// Of one medium there may be several objects.
  private let known = Mutex<[MediaURL: [Known]]>([:])

  /// Has requests for an address answered by a source, as long as that lives. O(sources)
  ///
  /// - Returns: The addresses of which no source lives any more, each once.
  func note(_ source: any MediaSource, at url: MediaURL) -> [MediaURL] {
    known.withLock { known in
      if known[url]?.contains(where: { $0.source === source }) == true { return [] }
      var gone: [MediaURL] = []
      for (url, sources) in known {
        let living = sources.filter { $0.source != nil }
        if living.isEmpty { gone.append(url) }
        if living.count < sources.count { known[url] = living.isEmpty ? nil : living }
      }
      known[url, default: []].append(Known(source: source))
      return gone.filter { $0 != url }
    }
  }

  func source(at url: MediaURL) -> (any MediaSource)? {
    known.withLock { $0[url]?.lazy.compactMap(\.source).first }
  }

  /// The ETag of the medium at an address: its query says which content it is.
  static func tag(of url: MediaURL) -> String { "\"\(url.query ?? "")\"" }
}

extension MediaSource {
  /// Answers as a server of its bytes does.
  ///
  /// - Throws: `Failure`, which names the source.
  fileprivate func answer(
    _ request: HTTPRequest, to receiver: any HTTPReceiver, _ tag: String
  ) throws(Failure) {
    let information = try checkedInformation()
    let isKept = cacheIdentifier != nil && information.validator != nil
    var head = HTTPHead(status: 200)
    head.entityTag = isKept ? tag : nil
    head.mustNotBeStored = !isKept
    head.contentLength = information.contentLength
    var part = 0..<(information.contentLength ?? .max)
    if isKept, request.ifNoneMatch == tag {
      head.status = 304
      head.contentLength = nil
      return _ = receiver.take(head)
    }
    if let length = information.contentLength, information.isByteRangeAccessSupported,
      case .bytes(let asked) = request.range
    {
      guard asked.lowerBound < length else {
        head.status = 416
        head.contentRange = HTTPHead.ContentRange(bytes: nil, size: length)
        return _ = receiver.take(head)
      }
      part = asked.clamped(to: 0..<length)
      head.status = 206
      head.contentRange = HTTPHead.ContentRange(bytes: part, size: length)
      head.contentLength = Int64(part.count)
    }
    guard receiver.take(head) else { return }
    noteReader(1)
    defer { noteReader(-1) }
    try send(part, ofKnownLength: information.contentLength != nil, to: receiver)
  }

  private func send(
    _ part: Range<Int64>, ofKnownLength isKnown: Bool, to receiver: any HTTPReceiver
  ) throws(Failure) {
    let limit = MediaNetwork.options.cacheSize
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var offset = part.lowerBound
    while offset < part.upperBound, !receiver.isCancelled {
      let rest = Int(min(Int64(buffer.count), part.upperBound - offset))
      let count = try checkedRead(
        at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest]))
      if count == 0, !isKnown { return }
      guard count > 0 else {
        throw Failure(
          .mendInput, "ends after \(offset) bytes, though its length is \(part.upperBound) or more",
          location: .source(self))
      }
      offset += Int64(count)
      guard isKnown || offset <= limit else {
        throw Failure(
          .mendMachine,
          "has more than \(limit) bytes, and does not say how many; say its length, or raise "
            + "MediaNetwork.Options.cacheSize", location: .source(self))
      }
      guard receiver.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
    }
  }
}
