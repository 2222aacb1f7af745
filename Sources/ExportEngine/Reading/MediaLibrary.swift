import MediaComposition
import Synchronization
import SystemPackage

/// The media files of a run, each probed once however often it is used.
///
/// Safe from any thread; probing happens outside the lock, so files are probed in parallel.
public final class MediaLibrary: Sendable {
  private struct Key: Hashable {
    var path: FilePath
    var streamIndex: Int?
  }
  private let found = Mutex<[Key: Result<ProbedStream, Failure>]>([:])
  /// How many more MP3 frames' places may be kept: an index takes eight bytes for each, and all that
  /// are kept 64 MB, which is some 60 hours. Files beyond that are scanned each time they are opened.
  private let framesToKeep = Mutex(8_000_000)

  /// A library that has probed nothing yet. The first one readies FFmpeg for the process: its log
  /// is silenced (see `Engine.start()`).
  public init() {
    // What it throws is thrown where something can be done about it: see `probed`.
    _ = try? Engine.start()
  }

  /// The facts of a file's stream: FFmpeg's best stream of sound where `streamIndex` is nil.
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`), the same at each call for a file, or
  ///   `tryAgain`, which the next call does.
  public func asset(at path: FilePath, streamIndex: Int? = nil) throws(Failure) -> Asset {
    try probed(path, streamIndex).asset
  }

  /// What is odd about a file that can be read all the same.
  public func warnings(for path: FilePath, streamIndex: Int? = nil) -> [Warning] {
    (try? probed(path, streamIndex).warnings) ?? []
  }

  private func probed(_ path: FilePath, _ streamIndex: Int?) throws(Failure) -> ProbedStream {
    try Engine.start()
    let key = Key(path: path, streamIndex: streamIndex)
    if let known = found.withLock({ $0[key] }) { return try known.get() }
    let result: Result<ProbedStream, Failure>
    do throws(Failure) {
      result = .success(keeping(try Prober.probe(path, stream: streamIndex)))
    } catch {
      result = .failure(error)
    }
    if case .failure(let failure) = result, failure.remedy == .tryAgain { throw failure }
    found.withLock { found in
      found[key] = result
      // Under its number too: by that the stream is opened.
      if case .success(let stream) = result {
        found[Key(path: path, streamIndex: stream.asset.streamIndex)] = result
      }
    }
    return try result.get()
  }

  /// Whether going back in an asset means to decode it from its first packet.
  func startsAnew(_ asset: Asset) throws(Failure) -> Bool {
    switch try probed(asset.path, asset.streamIndex).facts.reader {
    case .demuxer, .mpegAudio: false
    case .counted(let index): index.anchors.isEmpty
    }
  }

  private func keeping(_ stream: ProbedStream) -> ProbedStream {
    guard case .mpegAudio(let index?, let note) = stream.facts.reader else { return stream }
    let isKept = framesToKeep.withLock { rest in
      guard index.count <= rest else { return false }
      rest -= index.count
      return true
    }
    if isKept { return stream }
    var stream = stream
    stream.facts.reader = .mpegAudio(nil, note)
    return stream
  }

  /// Opens an asset for reading, if its file is still the one that was probed.
  func open(_ asset: Asset, noting damage: Damage) throws(Failure) -> any FrameSource {
    guard try SourceFile.identify(asset.path) == asset.identity else {
      throw Failure(
        .tryAgain, "was changed while avjob was working; run the job again", path: asset.path)
    }
    let facts = try probed(asset.path, asset.streamIndex).facts
    return switch facts.reader {
    case .mpegAudio(let index, let note): try MPEGStream.open(facts, index, note, damage)
    case .demuxer: try DemuxedStream.open(facts, damage)
    case .counted(let index): try CountedStream.open(facts, index, damage)
    }
  }
}
