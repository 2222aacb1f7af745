import Diagnosis
import Glibc
import HTTP
import LibAV
import Synchronization
import SystemPackage
import TestSupport

@testable import MediaCache

/// A server in this process: one entity, and the faults that its behaviour names.
final class FakeServer: HTTPTransport {
  struct Behaviour: Sendable {
    var bytes: [UInt8]
    /// What other users get than `bytes`.
    var bytesOfUsers: [String: [UInt8]] = [:]
    var tag: String? = #""one""#
    var date: String?
    var secondsFresh = 0
    var hasRanges = true
    var sendsLength = true
    /// Whether a body without a size has an end of its own.
    var isDelimited = true
    /// What it says of the entity's length, instead of the truth.
    var claimedSize: Int64?
    /// Whether a minute has passed since the entity was changed.
    var hasStrongDate = true
    /// Whether it answers 304.
    var answersConditions = true
    /// Whether `no-store` is said.
    var isSecret = false
    /// Whether each request for a part is answered with 416, which says nothing of the size.
    var refusesParts = false
    /// Whether parts come without validators, as RFC 9110 allows with If-Range.
    var omitsValidatorsOfParts = false
    /// Answers end after so many bytes, as if that were all of them.
    var endsAfter: Int?
    /// The connection breaks after so many bytes of each answer.
    var dropsAfter: Int?
    /// For so many answers.
    var drops = Int.max
    /// After so many bytes of each answer nothing comes until the request is cancelled.
    var holdsAfter: Int?
    /// Whether nothing comes, and nobody is asked whether it is still wanted.
    var isStuck = false
    /// So many answers are errors.
    var errors: [HTTPError] = []
    /// Bytes handed over at once.
    var chunk = 5000
    /// Microseconds before each chunk.
    var pause: UInt32 = 0
    /// Microseconds from the last chunk to the answer's end.
    var pauseBeforeEnd: UInt32 = 0
  }

  struct Request: Sendable, Hashable {
    var range: Range<Int64>?
    var isConditional: Bool
    var ifRange: String?
    var sent = 0
  }

  private let state: Mutex<(behaviour: Behaviour, requests: [Request], active: Int)>
  /// What the caches that ask here still wait for, in bytes.
  private let awaited = Mutex<[@Sendable () -> Int64]>([])

  init(_ behaviour: Behaviour) { state = Mutex((behaviour, [], 0)) }

  var requests: [Request] { state.withLock { $0.requests } }
  var bodyBytes: Int { requests.reduce(0) { $0 + $1.sent } }
  func change(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }
  /// Forgets the requests so far, once they are answered.
  func forget() throws {
    try settle()
    state.withLock { $0.requests = [] }
  }
  /// Waits until all requests are answered, those too that fetches of the caches have yet to send.
  func settle() throws {
    try wait(until: "all are answered") {
      awaited.withLock { $0.allSatisfy { $0() == 0 } } && state.withLock { $0.active == 0 }
    }
  }
  /// Has `settle` wait for the fetches of a cache, too.
  func serve(_ cache: MediaCache) {
    awaited.withLock { $0.append { [weak cache] in cache?.remainingBytes ?? 0 } }
  }

  func send(_ request: HTTPRequest, to receiver: any HTTPReceiver) throws(HTTPError) {
    let (behaviour, number, error) = state.withLock { state in
      let error = state.behaviour.errors.isEmpty ? nil : state.behaviour.errors.removeFirst()
      var noted = Request(
        isConditional: request.ifNoneMatch != nil || request.ifModifiedSince != nil,
        ifRange: request.ifRange)
      if case .bytes(let range) = request.range { noted.range = range }
      state.requests.append(noted)
      state.active += 1
      return (state.behaviour, state.requests.count - 1, error)
    }
    defer { state.withLock { $0.active -= 1 } }
    if let error { throw error }
    while state.withLock({ $0.behaviour.isStuck }) { usleep(1000) }
    guard !receiver.isCancelled else { throw .cancelled }
    let bytes =
      request.url.credentials.flatMap { behaviour.bytesOfUsers[$0.user] } ?? behaviour.bytes
    let size = Int64(bytes.count)
    var head = HTTPHead(status: 200)
    head.entityTag = behaviour.tag
    head.lastModified = behaviour.date
    (head.hasDelimitedBody, head.hasStrongDate) = (behaviour.isDelimited, behaviour.hasStrongDate)
    head.secondsFresh = behaviour.secondsFresh
    head.mustNotBeStored = behaviour.isSecret
    if behaviour.answersConditions, let tag = request.ifNoneMatch, tag == behaviour.tag {
      head.status = 304
      _ = receiver.take(head)
      return
    }
    if behaviour.refusesParts, request.range != .whole {
      _ = receiver.take(HTTPHead(status: 416))
      return
    }
    var range: Range<Int64> = 0..<size
    if case .bytes(let asked) = request.range, behaviour.hasRanges,
      request.ifRange == nil || request.ifRange == behaviour.tag
        || request.ifRange == behaviour.date
    {
      guard asked.lowerBound < size else {
        head.status = 416
        head.contentRange = .init(bytes: nil, size: size)
        _ = receiver.take(head)
        return
      }
      range = asked.clamped(to: 0..<size)
      head.status = 206
      head.contentRange = .init(bytes: range, size: behaviour.claimedSize ?? size)
      if request.ifRange != nil, behaviour.omitsValidatorsOfParts {
        (head.entityTag, head.lastModified) = (nil, nil)
      }
    }
    head.contentLength = behaviour.sendsLength ? Int64(range.count) : nil
    guard receiver.take(head) else { return }
    try sendBody(bytes, range, as: number, behaviour, to: receiver)
  }

  private func sendBody(
    _ bytes: [UInt8], _ range: Range<Int64>, as number: Int, _ behaviour: Behaviour,
    to receiver: any HTTPReceiver
  ) throws(HTTPError) {
    defer { usleep(behaviour.pauseBeforeEnd) }
    let drop = number < behaviour.drops ? behaviour.dropsAfter : nil
    let end = min(drop ?? .max, behaviour.endsAfter ?? .max, range.count)
    for start in stride(from: 0, to: end, by: behaviour.chunk) {
      if let hold = behaviour.holdsAfter, start >= hold {
        while !receiver.isCancelled { usleep(1000) }
      }
      if behaviour.pause > 0 { usleep(behaviour.pause) }
      guard !receiver.isCancelled else { throw .cancelled }
      let count = min(behaviour.chunk, end - start)
      let from = Int(range.lowerBound) + start
      state.withLock { $0.requests[number].sent += count }
      let isWanted = bytes[from..<from + count].withUnsafeBytes { receiver.take($0) }
      if !isWanted { return }
    }
    if end < range.count, behaviour.endsAfter == nil {
      throw .shortBody(received: Int64(end), expected: Int64(range.count))
    }
  }
}

/// A folder for one test, and caches in it: each is to the others as another process.
struct CacheRig {
  private let root = TestFolder()
  let server: FakeServer
  let url: MediaURL

  init(_ behaviour: FakeServer.Behaviour) throws {
    server = FakeServer(behaviour)
    url = try MediaURL("https://ann:secret@example.org/take.flac?sig=s3cret")
  }

  var folder: FilePath { FilePath(root.path("media")) }

  func cache(_ change: (inout MediaCache.Options) -> Void = { _ in }) -> MediaCache {
    var options = MediaCache.Options(folder: folder)
    options.pauses = [.milliseconds(1), .milliseconds(2)]
    // As another run: what another cache has confirmed is asked for again.
    options.freshSince = .max
    options.runID = "\(UInt64.random(in: .min ... .max))"
    change(&options)
    let cache = MediaCache(options, transport: server)
    server.serve(cache)
    return cache
  }
}

extension CacheRig {
  /// The folder of the only entry.
  func entry() throws -> EntryFolder {
    let folder = try CacheFolder(folder)
    let key = try folder.keys().first
    guard let key, let entry = try folder.entry(key, create: false) else {
      throw Errno.noSuchFileOrDirectory
    }
    return entry
  }

  /// The files of the only entry, as another process has them open.
  func files(boot: String = "b") throws -> EntryFiles {
    let entry = try entry()
    guard let facts = try entry.facts() else { throw Errno.noSuchFileOrDirectory }
    return try EntryFiles(of: facts, in: entry, boot: boot)
  }

  /// The path of a file of its generation, which ends in `suffix`.
  func path(_ suffix: String) throws -> String {
    let (entry, facts) = (try entry(), try entry().facts())
    let name = (facts?.generation ?? "none") + suffix
    return folder.appending(entry.key).appending(name).string
  }
}

extension CachedReader {
  /// The bytes of a range, which ends with the entity at most.
  func bytes(_ range: Range<Int64>) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: range.count)
    let count = try bytes.withUnsafeMutableBytes { try fill($0, from: range.lowerBound) }
    return [UInt8](bytes.prefix(count))
  }

  /// All bytes.
  func all() throws -> [UInt8] { try bytes(0..<size()) }
}
