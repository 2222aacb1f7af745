import Diagnosis
import HTTP
import SystemPackage
import Threads

/// Brings some bytes of a medium into the cache, with as many requests as that takes, on a thread of
/// its own.
///
/// Bytes of a block that was not complete when a connection broke are kept, so that a server that
/// breaks every connection after a few bytes still gets to the end.
final class Fetch: HTTPReceiver {
  let id: Int
  private let medium: CachedMedium
  private let start, goal: Int64
  private var writer: BlockWriter
  /// Bytes of this answer that are there already, because the server sends only the whole.
  private var bytesToSkip: Int64 = 0
  /// Where the answer that is under way ends.
  private var answerEnd: Int64
  /// Why an answer was not taken.
  private var refusal: Failure?

  /// - Parameters:
  ///   - id: The medium's number for it.
  ///   - medium: Where the bytes belong.
  ///   - range: Which bytes, from a block's start on.
  init(_ id: Int, of medium: CachedMedium, _ range: Range<Int64>) {
    (self.id, self.medium) = (id, medium)
    (start, goal, answerEnd) = (range.lowerBound, range.upperBound, range.upperBound)
    writer = BlockWriter(medium.files, from: start)
  }

  /// The next byte to come.
  private var cursor: Int64 { writer.cursor }

  /// Goes on after a request whose answer this fetch has taken already, and which held the claims of
  /// `CachedMedium.fetchUnderWay`.
  ///
  /// - Parameter error: The request's.
  func goOn(after error: HTTPError?) {
    medium.release(medium.files.blocks(of: start..<goal), of: self)
    run(after: error)
  }

  /// Fetches until the goal, or until that fails for good; says so to the medium.
  func run(after first: HTTPError? = nil) {
    var retries = Retries(medium.cache.options.pauses)
    var (error, before) = (first, start)
    var failure: Failure?
    while failure == nil, refusal == nil, !isDone {
      if let known = error {
        // Given up while nobody read: the next reader begins anew.
        if known == .cancelled, !medium.cache.isCancelled { break }
        guard let pause = retries.pause(after: known, receiving: cursor - before),
          medium.cache.sleep(pause)
        else {
          failure = Failure(later: known, of: medium.url)
          break
        }
      }
      (before, error) = (cursor, nil)
      do throws(HTTPError) {
        // An answer without a byte of what was asked for would be asked for again without end.
        if try attempt(), cursor == before { error = .shortBody(received: 0, expected: nil) }
      } catch let caught {
        error = caught
      }
    }
    medium.hasEnded(self, of: start..<goal, (failure ?? refusal).map(writer.broken))
  }

  private var isDone: Bool { cursor >= medium.limit(of: self) || isCancelled }

  /// One request for what is missing, once no other process is fetching it.
  ///
  /// - Returns: Whether a server was asked.
  private func attempt() throws(HTTPError) -> Bool {
    passWhatIsThere()
    // A reader of these bytes waits for this fetch from now on, or has taken them over before.
    let limit = medium.limit(of: self)
    guard cursor < limit else { return false }
    let wanted = medium.files.blocks(of: cursor..<limit)
    let claimed = claim(wanted)
    defer { if let claimed { medium.release(claimed, of: self) } }
    if claimed == nil, refusal != nil || !medium.hasIdleHolder(wanted.lowerBound) {
      _ = medium.cache.sleep(.milliseconds(10))
      return false
    }
    // Another process may have ended between the look and the claim.
    if passWhatIsThere() { return false }
    let missing = medium.gap(atStartOf: medium.files.bytes(of: claimed ?? wanted)) { isCancelled }
    guard cursor < missing.upperBound else { return false }
    if medium.isFull {
      refusal = medium.needsTooMuch(for: self)
      return false
    }
    var request = HTTPRequest(medium.url)
    if medium.facts.hasRanges {
      request.range = .bytes(cursor..<missing.upperBound)
      request.ifRange = medium.facts.ifRange
    }
    bytesToSkip = medium.facts.hasRanges ? 0 : cursor
    answerEnd = medium.facts.hasRanges ? missing.upperBound : medium.size
    try medium.cache.transport.send(request, to: self)
    return true
  }

  /// Goes on behind what other processes have brought.
  ///
  /// - Returns: Whether that was anything.
  @discardableResult
  private func passWhatIsThere() -> Bool {
    let first = writer.blockStart
    while !isCancelled {
      let (start, limit) = (writer.blockStart, medium.limit(of: self))
      guard start < limit else { break }
      let gap = medium.refresh(start..<limit)
      guard gap > start else { break }
      writer.skip(to: gap)
      medium.note(cursor, of: self)
    }
    return writer.blockStart > first
  }

  /// Claims as many of the blocks as nobody else has, from the first one on.
  private func claim(_ blocks: Range<Int>) -> Range<Int>? {
    var count = medium.facts.hasRanges ? blocks.count : medium.files.blockCount
    do throws(Errno) {
      while count > 0 {
        let part = blocks.lowerBound..<min(blocks.lowerBound + count, medium.files.blockCount)
        if try medium.files.claim(part) { return part }
        count /= 2
      }
    } catch {
      refusal = Failure(caching: error, in: medium.cache.options.folder)
    }
    return nil
  }

  // MARK: HTTPReceiver

  func take(_ head: HTTPHead) -> Bool {
    let (facts, isPart) = (medium.facts, head.status == 206)
    let size = isPart ? head.contentRange?.size : head.contentLength
    guard [200, 206].contains(head.status), size ?? facts.size == facts.size,
      facts.validators.allow(head.validators, answersIfRange: isPart && facts.ifRange != nil)
    else {
      refusal = medium.giveUpAsChanged()
      return false
    }
    if isPart { return true }
    bytesToSkip = cursor
    if facts.hasRanges, bytesToSkip > (facts.validators.isEmpty ? 0 : Self.mostBytesToSkip) {
      refusal = medium.giveUpAsWithoutParts()
    } else if bytesToSkip > 0, facts.validators.isEmpty {
      refusal = medium.giveUpAsNotResumable()
    } else if !facts.hasRanges, facts.size > medium.cache.options.limit {
      refusal = medium.isTooLong
    }
    return refusal == nil
  }

  /// More is not received to be thrown away where a part was asked for.
  private static let mostBytesToSkip: Int64 = 1 << 20

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let skipped = min(bytesToSkip, Int64(bytes.count))
    bytesToSkip -= skipped
    do {
      try writer.take(bytes.dropFirst(Int(skipped)), medium.isThere)
    } catch {
      refusal = Failure(caching: error, "cannot be written", in: medium.cache.options.folder)
      return false
    }
    medium.note(cursor, of: self, received: bytes.count)
    if cursor < medium.limit(of: self), medium.isFull { refusal = medium.needsTooMuch(for: self) }
    return refusal == nil && cursor < medium.limit(of: self)
  }

  var isCancelled: Bool {
    medium.cache.isCancelled || isTakenOver || medium.isAbandoned(goal - cursor)
  }

  /// Whether the rest of the answer is not wanted any more.
  private var isTakenOver: Bool { cursor < answerEnd && cursor >= medium.limit(of: self) }
}

extension HTTPHead {
  var validators: EntryFacts.Validators {
    .init(entityTag: entityTag, lastModified: lastModified)
  }
}
