import Diagnosis
import Glibc
import HTTP
import LibAV
import SystemPackage
import Threads

/// Takes the first answer of a server: that nothing has changed, or a new entity's size and bytes.
/// One thread.
final class FirstAnswer: HTTPReceiver {
  private let url: MediaURL
  /// What is in the cache.
  private let known: EntryFacts?
  private let folder: EntryFolder
  private let use: FileDescriptor
  private let cache: MediaCache
  private let hasOpened: (Result<CachedMedium, Failure>) -> Void
  /// Set once the medium is open.
  private var fetch: Fetch?
  /// Bytes of an entity whose size is not known before its end.
  private var unmeasured: Unmeasured?
  private var isOver = false

  /// As much is asked for at once: it holds the headers of most containers.
  private static let firstPart: Int64 = 64 << 10

  init(
    _ url: MediaURL, _ known: EntryFacts?, in folder: EntryFolder, use: FileDescriptor,
    cache: MediaCache, hasOpened: @escaping (Result<CachedMedium, Failure>) -> Void
  ) {
    (self.url, self.known, self.folder, self.use, self.cache) = (url, known, folder, use, cache)
    self.hasOpened = hasOpened
  }

  /// Asks until there is an answer, and brings in its body.
  func run() {
    var retries = Retries(cache.options.pauses)
    var request = HTTPRequest(url, range: .bytes(0..<Self.firstPart))
    request.ifNoneMatch = known?.validators.entityTag
    request.ifModifiedSince = request.ifNoneMatch == nil ? known?.validators.lastModified : nil
    while true {
      var failed: HTTPError?
      do throws(HTTPError) {
        try cache.transport.send(request, to: self)
      } catch {
        failed = error
      }
      if let fetch { return fetch.goOn(after: failed) }
      if isOver { return }
      guard let failed else { return finishUnmeasured() }
      discardUnmeasured()
      guard let pause = retries.pause(after: failed, receiving: 0), cache.sleep(pause) else {
        return fail(Failure(failed, of: url))
      }
    }
  }

  // MARK: HTTPReceiver

  func take(_ head: HTTPHead) -> Bool {
    switch head.status {
    case 304:
      confirm(head)
      return false
    case 416: return begin(head, size: 0)
    case 206:
      guard let size = head.contentRange?.size else {
        fail("the server does not say how long its file is", .mendInput)
        return false
      }
      return begin(head, size: size)
    default:
      guard let size = head.contentLength else {
        return beginUnmeasured(head)
      }
      guard size <= cache.options.limit else {
        fail(tooLong, .mendMachine)
        return false
      }
      return begin(head, size: size)
    }
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let fetch { return fetch.take(bytes) }
    guard let unmeasured else { return false }
    guard unmeasured.count + Int64(bytes.count) <= cache.options.limit else {
      fail(tooLong, .mendMachine)
      return false
    }
    do {
      try unmeasured.take(bytes)
      cache.note(bytes.count)
      return true
    } catch {
      fail(Failure(caching: error, "cannot be written", in: cache.options.folder))
      return false
    }
  }

  var isCancelled: Bool { fetch?.isCancelled ?? cache.isCancelled }

  private var tooLong: String {
    "the server sends no parts of its file, and the whole is more than the cache may hold; "
      + "set AVJOB_CACHE_SIZE, or download the file and name the copy"
  }

  // MARK: Answers

  /// The entity is still the one in the cache.
  private func confirm(_ head: HTTPHead) {
    guard var facts = known else {
      return fail("the server answered what was not asked", .tryAgain)
    }
    (facts.checked, facts.run) = (MediaCache.now, cache.options.runID)
    facts.secondsFresh = head.secondsFresh
    open(facts)
  }

  private func begin(_ head: HTTPHead, size: Int64) -> Bool {
    guard size <= EntryFacts.greatestEntity else {
      fail("the server says that its file is longer than 4 TiB", .mendInput)
      return false
    }
    let facts = facts(of: head, size: size)
    // Some servers answer a conditional request for a range with the range.
    if let known, !known.validators.isEmpty, known.validators == facts.validators,
      known.size == size, !head.mustNotBeStored
    {
      confirm(head)
      return false
    }
    let end = facts.hasRanges ? min(size, Self.firstPart) : size
    open(facts, bringing: 0..<end, isKept: !head.mustNotBeStored)
    return fetch != nil
  }

  private func facts(of head: HTTPHead, size: Int64) -> EntryFacts {
    EntryFacts(
      address: "\(url)", generation: EntryFacts.newGeneration(), size: size,
      validators: head.validators, checked: MediaCache.now, run: cache.options.runID,
      secondsFresh: head.secondsFresh, hasRanges: head.status == 206,
      hasStrongDate: head.hasStrongDate, digest: nil)
  }

  /// Writes the facts down, and gives the medium to whoever waits for it, and the entry to other
  /// processes.
  ///
  /// - Parameters:
  ///   - facts: What the server said.
  ///   - files: Those of the entity, where it has come already.
  ///   - coming: The bytes that this answer brings.
  ///   - isKept: Whether they may be; else nothing but this process ever finds them.
  private func open(
    _ facts: EntryFacts, _ files: EntryFiles? = nil, bringing coming: Range<Int64> = 0..<0,
    isKept: Bool = true
  ) {
    do {
      let files =
        try files
        ?? EntryFiles(
          of: facts.generation, size: facts.size, in: folder, boot: cache.options.boot)
      if isKept { try folder.write(facts) } else { try folder.removeAll() }
      let medium = CachedMedium(
        url, facts: facts, files: files, in: folder, use: use, cache: cache, isKept: isKept)
      isOver = true
      // Before anybody reads, so that nobody asks for them again.
      if !coming.isEmpty { fetch = medium.fetchUnderWay(coming) }
      Opening.end(use)
      hasOpened(.success(medium))
    } catch {
      fail(Failure(caching: error, in: cache.options.folder))
    }
  }

  private func fail(_ fault: String, _ remedy: Failure.Remedy) {
    fail(Failure(remedy, fault, location: .remote(url)))
  }

  private func fail(_ failure: Failure) {
    guard !isOver else { return }
    isOver = true
    discardUnmeasured()
    Opening.abandon(folder, use)
    hasOpened(.failure(failure))
  }

  // MARK: Entities of unknown size

  private func beginUnmeasured(_ head: HTTPHead) -> Bool {
    var facts = facts(of: head, size: EntryFacts.greatestEntity)
    if !head.hasDelimitedBody {
      // A truncated body looks like a whole one, so the next run fetches it again.
      (facts.validators, facts.secondsFresh) = (.init(), 0)
    }
    do {
      unmeasured = try Unmeasured(
        facts, in: folder, boot: cache.options.boot, isKept: !head.mustNotBeStored)
      return true
    } catch {
      fail(Failure(caching: error, in: cache.options.folder))
      return false
    }
  }

  /// Removes what came of an entity that did not come whole.
  private func discardUnmeasured() {
    guard let unmeasured else { return }
    self.unmeasured = nil
    // The next opening removes leftovers.
    try? folder.removeFiles(of: unmeasured.facts.generation)
  }

  private func finishUnmeasured() {
    guard let unmeasured else {
      return fail("the server's answer ended before it had begun", .tryAgain)
    }
    do {
      let files = try unmeasured.finish()
      open(unmeasured.facts, files, isKept: unmeasured.isKept)
      cache.fetchHasEnded()
    } catch {
      fail(Failure(caching: error, in: cache.options.folder))
    }
  }
}

/// Takes an entity whose size its server does not know: it is open once all of it has come.
private final class Unmeasured {
  private(set) var facts: EntryFacts
  private let files: EntryFiles
  private var writer: BlockWriter
  let isKept: Bool

  init(_ facts: EntryFacts, in folder: EntryFolder, boot: String, isKept: Bool) throws {
    (self.facts, self.isKept) = (facts, isKept)
    files = try EntryFiles(of: facts.generation, size: facts.size, in: folder, boot: boot)
    writer = BlockWriter(files)
    if !isKept { try folder.removeFiles(of: facts.generation) }
  }

  /// Bytes so far.
  var count: Int64 { writer.cursor }

  func take(_ bytes: UnsafeRawBufferPointer) throws { try writer.take(bytes[...]) }

  /// Writes the rest, and the size into the facts; gives the files of the whole.
  func finish() throws -> EntryFiles {
    try writer.finish()
    facts.size = count
    return EntryFiles(files, size: count)
  }
}
