import Diagnosis
import ExportEngine
import Files
import FoundationEssentials
import Glibc
import MediaComposition
import MediaTime
import RunPlan
import Synchronization
import SystemPackage
import Threads

/// Probes media, and listens to sounds, in processes of their own (`--isolate`, `--root`), so that a
/// file on which a decoder crashes, hangs or takes too much memory is the only one that cannot be
/// used.
///
/// A process is this program with the command `isolated-probe`. It probes one file after the other:
/// requests come on its standard input and answers go to its standard output, one JSON object a
/// line. When its input is closed, as by the end of this process, a thread of its own ends it, also
/// while a decoder hangs. There are as many as threads that probe at once; one that fails is
/// replaced. Safe from any thread.
package final class ProbeProcesses: Sendable {
  /// A question to a process.
  package struct Request: Codable {
    fileprivate var location: MediaLocation
    fileprivate var stream: Int?
    /// What to find in a sound of which the file is one, instead of the file's facts.
    fileprivate var search: SilenceSearch?
    /// Near what to find key pictures of the file.
    fileprivate var pictures: PictureQuestion?
    /// Of whose file to read the words.
    fileprivate var spoken: Asset?
    /// Seconds after which the process ends by itself, if nobody has ended it.
    fileprivate var alarm: UInt32 = 0

    /// Whether it reads media of servers.
    fileprivate var fetches: Bool { locations.contains { $0.url != nil } }

    /// The media that it reads.
    fileprivate var locations: [MediaLocation] {
      [location] + (search?.composition.assets.map(\.location) ?? [])
    }
  }

  /// Moments of a file's sound.
  fileprivate struct PictureQuestion: Codable {
    var asset: Asset
    var times: [Time]
  }

  /// What it found.
  fileprivate enum Answer: Codable {
    case found(ProbedAsset)
    case silences(SilenceFindings)
    case pictures([Time])
    case transcript(EmbeddedTranscript)
    case failed(Failure)
  }

  /// One thread has it at a time: it is either in `idle`, or with the thread that took it out.
  private struct Idle: @unchecked Sendable {
    let child: ChildProcess
    /// Whether it may write what it fetches into the cache of media.
    let fetches: Bool
  }

  private let limits: ProcessLimits
  private let patience: Mutex<ProbePatience>
  private let idle = Mutex<[Idle]>([])

  /// - Parameters:
  ///   - workers: How many probe at once.
  ///   - memory: Bytes that each process may take; nil: its share of the machine's.
  ///   - timeLimit: How long a file may take; nil: by its size.
  package init(workers: Int, memory: Int? = nil, timeLimit: Duration? = nil) {
    patience = Mutex(ProbePatience(timeLimit: timeLimit))
    // It writes no file, but what it fetches, and opens those that sound together.
    limits = ProcessLimits(
      memory: memory ?? ProcessLimits.memory(among: workers), processorTime: nil, openFiles: 256,
      fileSize: 0)
  }

  /// Probes a stream of a file, as `MediaLibrary.asset` does.
  ///
  /// - Throws: As probing does, and a `Failure` where the process died or took too long.
  package func probe(_ location: MediaLocation, _ stream: Int?) throws(Failure) -> ProbedAsset {
    // What is no file, or no file for this process, needs no process.
    let size = try SourceFile.size(of: location)
    let request = Request(location: location, stream: stream)
    guard case .found(let found) = try answer(to: request, forBytes: size) else {
      throw misunderstanding(location)
    }
    return found
  }

  /// Finds the silences of a sound, as `MediaLibrary.silences` does.
  ///
  /// - Throws: As `probe`.
  package func silences(_ search: SilenceSearch) throws(Failure) -> SilenceFindings {
    let locations = search.composition.assets.map(\.location).sorted()
    guard let first = locations.first else { return try MediaLibrary().silences(search) }
    var size: Int64 = 0
    for location in locations { size += try SourceFile.size(of: location) }
    let request = Request(location: first, search: search)
    guard case .silences(let found) = try answer(to: request, forBytes: size) else {
      throw misunderstanding(first)
    }
    return found
  }

  /// Finds the key pictures nearest to moments of a file's sound, as `MediaLibrary.keyPictures` does.
  ///
  /// - Throws: As `probe`.
  package func keyPictures(of asset: Asset, near times: [Time]) throws(Failure) -> [Time] {
    let size = try SourceFile.size(of: asset.location)
    let request = Request(
      location: asset.location, stream: asset.streamIndex,
      pictures: PictureQuestion(asset: asset, times: times))
    guard case .pictures(let found) = try answer(to: request, forBytes: size) else {
      throw misunderstanding(asset.location)
    }
    return found
  }

  /// Reads the words in a file, as `MediaLibrary.transcript` does.
  ///
  /// - Throws: As `probe`.
  package func transcript(of asset: Asset) throws(Failure) -> EmbeddedTranscript {
    let size = try SourceFile.size(of: asset.location)
    let request = Request(location: asset.location, stream: asset.streamIndex, spoken: asset)
    guard case .transcript(let found) = try answer(to: request, forBytes: size) else {
      throw misunderstanding(asset.location)
    }
    return found
  }

  private func misunderstanding(_ location: MediaLocation) -> Failure {
    Failure(.reportBug, "its process gave an answer to another question", location: location)
  }

  /// The answer of any process, which may take as long as files of `size` bytes.
  private func answer(to request: Request, forBytes size: Int64) throws(Failure) -> Answer {
    let limit = patience.withLock { $0.limit(forBytes: size, fetched: request.fetches) }
    guard let patience = limit else {
      throw Failure(
        .tryAgain,
        "was not examined: other files had taken \(ProbePatience.mostLost.components.seconds / 60) "
          + "minutes for nothing; leave them out, and run again", location: request.location)
    }
    var request = request
    request.alarm = UInt32(clamping: patience.components.seconds + 5)
    for location in request.locations { try location.requireReadableByOtherProcesses() }
    // A process that was damaged by an earlier file may fail at this one.
    let fetches = request.fetches
    let known = idle.withLock { idle in
      idle.lastIndex { $0.fetches == fetches }.map { idle.remove(at: $0) }
    }
    if let known, let answer = try? ask(known.child, request, patience) { return try answer.get() }
    return try ask(try newChild(fetches: fetches), request, patience).get()
  }

  /// A process's answer to a request.
  ///
  /// - Throws: `Failure` where it gave none.
  private func ask(
    _ child: ChildProcess, _ request: Request, _ patience: Duration
  ) throws(Failure) -> Result<Answer, Failure> {
    child.forgetComplaints()
    var line = (try? JSONEncoder().encode(request)) ?? Data()
    line.append(UInt8(ascii: "\n"))
    guard child.write(Array(line)) else { throw failure(of: child, request.location) }
    let last = ContinuousClock.now.advanced(by: patience)
    while true {
      switch child.readLine(within: ContinuousClock.now.duration(to: last)) {
      case .line(let bytes):
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else {
          throw Failure(
            .reportBug, "its process gave an answer that cannot be read", location: request.location
          )
        }
        idle.withLock { $0.append(Idle(child: child, fetches: request.fetches)) }
        return switch answer {
        case .found, .silences, .pictures, .transcript: .success(answer)
        case .failed(let failure): .failure(failure)
        }
      case .nothing where ContinuousClock.now < last: continue
      case .nothing:
        child.signal(SIGKILL)
        return .failure(failure(of: request, after: patience))
      case .endless:
        child.signal(SIGKILL)
        return .failure(
          Failure(
            .mendInput, "has more than 16 MiB of tags, chapters and words; remove some of them",
            location: request.location))
      case .end: throw failure(of: child, request.location)
      }
    }
  }

  /// The failure of a request that took too long, which counts where a file is to blame.
  private func failure(of request: Request, after patience: Duration) -> Failure {
    let seconds = patience.components.seconds
    guard !request.fetches else {
      return Failure(
        .tryAgain,
        "was not fetched and examined within \(seconds) seconds; try again when its server is faster",
        location: request.location)
    }
    self.patience.withLock { $0.lost += patience }
    return Failure(
      .mendInput,
      "could not be examined within \(seconds) seconds; convert it to another format, or leave it "
        + "out", location: request.location)
  }

  /// Ends the processes that wait, each with the memory of its worst file; later requests start
  /// others.
  package func rest() {
    idle.withLock { $0.removeAll() }
  }

  private func newChild(fetches: Bool) throws(Failure) -> ChildProcess {
    var limits = limits
    if fetches { limits.fileSize = nil }
    do {
      let child = try Isolation.spawn(["isolated-probe"])
      let line = try JSONEncoder().encode(limits) + [UInt8(ascii: "\n")]
      _ = child.write(Array(line))
      return child
    } catch {
      throw Failure(.tryAgain, "cannot start a process for probing: \(error)")
    }
  }

  private func failure(of child: ChildProcess, _ location: MediaLocation) -> Failure {
    let end = child.wait(within: .seconds(1)) ?? .unknown
    let words = Isolation.words(of: child.lastComplaints(200))
    var failure = Isolation.failure(
      of: end, saying: words, memory: limits.memory, peak: child.peakMemory)
    failure.location = location
    return failure
  }
}

/// How long files may take.
struct ProbePatience {
  /// After which files that take too long spoil no further time.
  static let mostLost = Duration.seconds(1800)
  /// After which they have a twelfth of it.
  private static let muchLost = Duration.seconds(600)

  /// For any file; nil: by its size.
  let timeLimit: Duration?
  /// Spent on files that were given up.
  var lost = Duration.zero

  init(timeLimit: Duration? = nil) { self.timeLimit = timeLimit }

  /// How long a file may take; nil: too much is lost.
  ///
  /// A minute, and another for each 100 MB: a file whose header proves nothing is decoded once. What is
  /// fetched for it may come more slowly (`Work.slowestServer`).
  func limit(forBytes size: Int64, fetched: Bool = false) -> Duration? {
    guard lost < Self.mostLost else { return nil }
    let seconds = 60 + size / (fetched ? Work.slowestServer : 1_666_667)
    let usual = Duration.seconds(seconds) / (lost < Self.muchLost ? 1 : 12)
    return min(usual, timeLimit ?? usual)
  }
}

extension ProbeProcesses {
  /// The work of such a process: answers requests until `next` has no further line.
  package static func answer(
    _ next: () -> String?, _ write: (String) -> Void
  ) {
    endWithInput()
    guard let first = next(),
      let limits = try? JSONDecoder().decode(ProcessLimits.self, from: Data(first.utf8))
    else { return }
    limits.apply()
    while let line = next(),
      let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8))
    {
      alarm(request.alarm)
      let answer = Self.answer(request)
      alarm(0)
      guard let bytes = try? JSONEncoder().encode(answer) else { return }
      write(String(decoding: bytes, as: UTF8.self) + "\n")
    }
  }

  /// Ends this process when the other end of its standard input is closed, whatever it is doing.
  private static func endWithInput() {
    _ = try? Thread.spawn(name: "input", stackSize: 1 << 18) {
      while true {
        var input = pollfd(fd: 0, events: 0, revents: 0)
        if poll(&input, 1, -1) > 0, Int32(input.revents) & (POLLHUP | POLLERR) != 0 { _exit(0) }
      }
    }
  }

  private static func answer(_ request: Request) -> Answer {
    // One for each file, so that nothing of a file is kept.
    let library = MediaLibrary()
    do throws(Failure) {
      if let search = request.search { return .silences(try library.silences(search)) }
      if let question = request.pictures {
        return .pictures(try library.keyPictures(of: question.asset, near: question.times))
      }
      if let asset = request.spoken { return .transcript(try library.transcript(of: asset)) }
      return .found(try library.probed(at: request.location, streamIndex: request.stream))
    } catch {
      return .failed(error)
    }
  }
}
