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
  /// A longer entity is not fetched.
  private let limit: Int64
  private let folder: EntryFolder
  private let use: FileDescriptor
  private let cache: MediaCache
  /// Whether nobody waits for the answer any more.
  private let isGivenUp: () -> Bool
  private let hasOpened: (Result<CachedMedium?, Failure>) -> Void
  /// Set once the medium is open.
  private var fetch: Fetch?
  /// Bytes of an entity whose size is not known before its end.
  private var unmeasured: Unmeasured?
  /// Whether the server has refused to send the first part of a file that it does not call empty.
  private var isRefused = false
  private var isOver = false

  /// As much is asked for at once: it holds the headers of most containers.
  private static let firstPart: Int64 = 64 << 10

  init(
    _ url: MediaURL, _ known: EntryFacts?, limit: Int64, in folder: EntryFolder,
    use: FileDescriptor, cache: MediaCache, isGivenUp: @escaping () -> Bool,
    hasOpened: @escaping (Result<CachedMedium?, Failure>) -> Void
  ) {
    (self.url, self.known, self.limit, self.folder) = (url, known, limit, folder)
    (self.use, self.cache) = (use, cache)
    (self.isGivenUp, self.hasOpened) = (isGivenUp, hasOpened)
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
      if isRefused, request.range != .whole {
        request.range = .whole
        continue
      }
      guard let failed else { return finishUnmeasured() }
      discardUnmeasured()
      guard let pause = retries.pause(after: failed, receiving: 0),
        cache.sleep(pause, unless: isGivenUp)
      else {
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
    case 416:
      if head.contentRange?.size == 0 { return begin(head, size: 0) }
      isRefused = true
      return false
    case 206:
      guard let size = head.contentRange?.size else {
        fail("the server does not say how long its file is", .mendInput)
        return false
      }
      return begin(head, size: size)
    default:
      guard let size = head.contentLength else {
        guard !head.isRadio else {
          fail(Self.radio, .mendInput)
          return false
        }
        return beginUnmeasured(head)
      }
      if size > cache.options.limit, size <= limit {
        fail(tooLong, .mendMachine)
        return false
      }
      return begin(head, size: size)
    }
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let fetch { return fetch.take(bytes) }
    guard let before = unmeasured?.writer.cursor else { return false }
    let count = before + Int64(bytes.count)
    guard count <= limit else {
      end(.success(nil))
      return false
    }
    guard count <= cache.options.limit else {
      fail(tooLong, .mendMachine)
      return false
    }
    do {
      try unmeasured?.writer.take(bytes[...])
      cache.note(bytes.count)
      return true
    } catch {
      fail(Failure(caching: error, "cannot be written", in: cache.options.folder))
      return false
    }
  }

  var isCancelled: Bool { fetch?.isCancelled ?? (cache.isCancelled || isGivenUp()) }

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

  /// Whether an answer with a body is of the entity in the cache: some servers answer a conditional
  /// request with the body.
  private func isKnown(_ head: HTTPHead) -> Bool {
    guard let known, !head.mustNotBeStored else { return false }
    return !known.validators.isEmpty && known.validators == head.validators
  }

  private func begin(_ head: HTTPHead, size: Int64) -> Bool {
    guard size <= limit else {
      end(.success(nil))
      return false
    }
    if isKnown(head), known?.size == size {
      confirm(head)
      return false
    }
    let facts = facts(of: head, size: size)
    let count = facts.hasRanges ? min(size, Self.firstPart) : size
    open(facts, bringing: 0..<count, isKept: !head.mustNotBeStored)
    return fetch != nil
  }

  private func facts(of head: HTTPHead, size: Int64) -> EntryFacts {
    EntryFacts(
      address: "\(url)", generation: EntryFacts.newGeneration(), size: size,
      validators: head.validators, checked: MediaCache.now, run: cache.options.runID,
      secondsFresh: head.secondsFresh, hasRanges: head.status == 206,
      hasStrongDate: head.hasStrongDate, digest: nil)
  }

  /// Writes the facts down, and gives the medium to the readers that wait for it, and the entry to
  /// other processes.
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
      let files = try files ?? EntryFiles(of: facts, in: folder, boot: cache.options.boot)
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

  private func fail(_ failure: Failure) { end(.failure(failure)) }

  /// Ends the opening without a medium: by a failure, or nil for an entity beyond the limit.
  private func end(_ result: Result<CachedMedium?, Failure>) {
    guard !isOver else { return }
    isOver = true
    discardUnmeasured()
    Opening.abandon(folder, use)
    hasOpened(result)
  }

  private static let radio =
    "is a live stream without an end (internet radio), and no medium; record a part of it: "
    + "ffmpeg -i ADDRESS -t 3600 -c copy show.mka"

  // MARK: Entities of unknown size

  private func beginUnmeasured(_ head: HTTPHead) -> Bool {
    if isKnown(head) {
      confirm(head)
      return false
    }
    var facts = facts(of: head, size: EntryFacts.greatestEntity)
    if !head.hasDelimitedBody {
      // A truncated body looks like a whole one, so the next run fetches it again.
      (facts.validators, facts.secondsFresh) = (.init(), 0)
    }
    do {
      let files = try EntryFiles(of: facts, in: folder, boot: cache.options.boot)
      unmeasured = Unmeasured(
        facts: facts, files: files, writer: BlockWriter(files), isKept: !head.mustNotBeStored)
      if head.mustNotBeStored { try folder.remove([facts.generation + ".data"]) }
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
    try? folder.remove([unmeasured.facts.generation + ".data"])
  }

  private func finishUnmeasured() {
    guard var unmeasured else {
      return fail("the server's answer ended before it had begun", .tryAgain)
    }
    do {
      try unmeasured.writer.finish()
      unmeasured.facts.size = unmeasured.writer.cursor
      let files = EntryFiles(unmeasured.files, size: unmeasured.facts.size)
      open(unmeasured.facts, files, isKept: unmeasured.isKept)
      cache.fetchHasEnded()
    } catch {
      fail(Failure(caching: error, in: cache.options.folder))
    }
  }
}

/// An entity whose size its server does not know: it is open once all of it has come.
private struct Unmeasured {
  var facts: EntryFacts
  let files: EntryFiles
  var writer: BlockWriter
  let isKept: Bool
}
