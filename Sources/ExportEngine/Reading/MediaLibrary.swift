import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import Threads

/// The media files of a run, each probed once. Safe from any thread; probing happens outside the
/// lock, so files are probed in parallel.
public final class MediaLibrary: Sendable {
  /// The result of an earlier run for a path, a stream and the file's present identity, or nil.
  /// Called from any thread.
  package typealias Recall = @Sendable (MediaLocation, Int?, FileIdentity) -> ProbedAsset?

  /// Probes a stream elsewhere, as in another process. Called from any thread.
  package typealias Probe = @Sendable (MediaLocation, Int?) throws(Failure) -> ProbedAsset

  /// Finds silence elsewhere, as in another process. Called from any thread.
  package typealias Listen = @Sendable (SilenceSearch) throws(Failure) -> SilenceFindings

  /// Gets the file that is read from now on, and nil when that is over. Called from any thread.
  package typealias Watch = @Sendable (MediaLocation?) -> Void

  struct Key: Hashable {
    var location: MediaLocation
    var streamIndex: Int?
    /// What it is, of a file without a header.
    var raw: RawSound?

    /// The best stream of the file.
    var best: Key { Key(location: location, streamIndex: nil, raw: raw) }
  }
  /// The SHA-256 of files for records: many parts may come from one file.
  private let digests = Mutex<[FileIdentity: [UInt8]]>([:])
  /// The sounds that were found to be those of their own digests, or to have none.
  let provenSounds = Mutex<Set<FLACProof.Key>>([])

  /// The number of exports compiled for sessions over this library: tests expect one for each job.
  package let compilations = Atomic<Int>(0)
  /// How many facts were found, by this library or for it, that no earlier run gave.
  package let discoveries = Atomic<Int>(0)

  /// Behind a reference: a table has room for twice as many values as are in it, or three times
  /// while it grows.
  indirect enum KnownStream {
    case probed(ProbedStream)
    /// By an earlier run: enough for a graph, not for reading.
    case recalled(ProbedAsset)
    /// The same by another process.
    case reported(ProbedAsset)

    var found: ProbedAsset {
      switch self {
      case .probed(let stream):
        ProbedAsset(
          stream.asset, warnings: stream.warnings, isLengthAnnounced: stream.isLengthAnnounced)
      case .recalled(let found), .reported(let found): found
      }
    }
  }

  let found = Mutex<[Key: Result<KnownStream, Failure>]>([:])
  private let recall: Recall?
  private let probe: Probe?
  /// Whether other processes read the files, and this one trusts none of them.
  var isConfined: Bool { probe != nil }
  let listen: Listen?
  private let silences = Mutex<[SilenceSearch: Result<SilenceFindings, Failure>]>([:])
  let keyPictureFinder: FindKeyPictures?
  let knownKeyPictures = Mutex<[KeyPicturePlace: Result<Time, Failure>]>([:])
  let transcriptReader: ReadTranscript?
  let knownTranscripts = Mutex<[TranscriptKey: Result<EmbeddedTranscript, Failure>]>([:])
  let watch: Watch?
  /// Those of the pictures that are read.
  let pictureCodecs: PictureCodecs
  /// nil: what analyses find is forgotten.
  let analyses: RememberedAnalyses?
  /// Whether assets come from elsewhere, and may have changed since.
  private let verifiesAssets: Bool
  /// MP3 frames whose places may still be kept: an index takes eight bytes for each, and all of
  /// them 64 MB, some 60 hours. Further files are scanned each time they are opened.
  let framesToKeep = Mutex(8_000_000)
  /// Files that are kept open for whoever holds them.
  let heldFiles = Mutex<[FileIdentity: WeakFile]>([:])

  /// An empty library. The first one readies FFmpeg for the process: its log is silenced (see
  /// `Engine.start()`).
  public convenience init() { self.init(recalling: nil) }

  /// An empty library that spares the probing of files that have not changed since an earlier run;
  /// files that are read are probed all the same.
  package convenience init(recalling recall: Recall?) {
    self.init(recalling: recall, probing: nil, verifiesAssets: recall != nil)
  }

  /// An empty library, of which `Engine.start()` is true as well.
  ///
  /// - Parameters:
  ///   - recall: Spares the probing of files that have not changed since an earlier run.
  ///   - probe: Probes all files; nil: this library does. Files that are read it probes itself.
  ///   - listen: Finds silence in all sounds; nil: this library does.
  ///   - keyPictureFinder: Finds key pictures; nil: this library does.
  ///   - transcriptReader: Reads the words in files; nil: this library does.
  ///   - verifiesAssets: Whether the assets to be read may be others than this library would find.
  ///   - watch: Is told of each call that reads a file.
  ///   - analyses: What outlasts this run of what analyses find.
  package convenience init(
    recalling recall: Recall?, probing probe: Probe?, listening listen: Listen? = nil,
    seeking keyPictureFinder: FindKeyPictures? = nil,
    reading transcriptReader: ReadTranscript? = nil,
    verifiesAssets: Bool, watching watch: Watch? = nil,
    remembering analyses: RememberedAnalyses? = nil
  ) {
    self.init(
      recalling: recall, probing: probe, listening: listen, seeking: keyPictureFinder,
      reading: transcriptReader, verifiesAssets: verifiesAssets, watching: watch,
      remembering: analyses, coding: PictureCodecs())
  }

  /// The same; `pictureCodecs` are those that there are.
  init(
    recalling recall: Recall? = nil, probing probe: Probe? = nil, listening listen: Listen? = nil,
    seeking keyPictureFinder: FindKeyPictures? = nil,
    reading transcriptReader: ReadTranscript? = nil, verifiesAssets: Bool = false,
    watching watch: Watch? = nil, remembering analyses: RememberedAnalyses? = nil,
    coding pictureCodecs: PictureCodecs
  ) {
    self.pictureCodecs = pictureCodecs
    self.listen = listen
    self.keyPictureFinder = keyPictureFinder
    self.transcriptReader = transcriptReader
    self.watch = watch
    self.analyses = analyses
    self.recall = recall
    self.probe = probe
    self.verifiesAssets = verifiesAssets
    // `known` throws it, where it can be handled.
    _ = try? Engine.start()
  }

  /// The facts of a file's stream: FFmpeg's best stream of sound where `streamIndex` is nil. `raw` is
  /// what a file without a header holds, which neither it nor its name says.
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`), the same at each call for a file, or
  ///   `tryAgain`.
  @available(*, noasync, message: "it blocks its thread; await loadAsset(at:)")
  package func asset(
    at location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) throws(Failure) -> Asset {
    try probed(at: location, streamIndex: streamIndex, raw: raw).asset
  }

  /// The facts of a file's stream as `asset(at:streamIndex:raw:)` gives them, with all else that
  /// probing found.
  package func probed(
    at location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) throws(Failure) -> ProbedAsset {
    try known(Key(location: location, streamIndex: streamIndex, raw: raw)).found
  }

  /// The facts of a local file's stream: `asset(at:streamIndex:raw:)` of its location.
  @available(*, noasync, message: "it blocks its thread; await loadAsset(at:)")
  package func asset(
    at path: FilePath, streamIndex: Int? = nil, raw: RawSound? = nil
  ) throws(Failure) -> Asset {
    try asset(at: .file(path), streamIndex: streamIndex, raw: raw)
  }

  /// The facts of a file as it is now: probed again where another file is at its path, as one that
  /// an export has written since.
  ///
  /// - Throws: As `asset`.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  package func currentAsset(
    at location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) throws(Failure) -> Asset {
    let key = Key(location: location, streamIndex: streamIndex, raw: raw)
    if case .success(let known)? = entry(key),
      try SourceFile.identify(location) == known.found.asset.identity
    {
      return known.found.asset
    }
    found.withLock { ($0[key], $0[key.best]) = (nil, nil) }
    return try known(key).found.asset
  }

  /// Oddities of a file that can be read all the same.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  package func warnings(
    for location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) -> [Warning] {
    (try? known(Key(location: location, streamIndex: streamIndex, raw: raw)).found.warnings) ?? []
  }

  /// The facts of a stream so far, by this library or an earlier run, and which of the two; nil
  /// where it was not probed or cannot be read. Touches no file.
  package func probedAsset(
    at location: MediaLocation, streamIndex: Int? = nil, raw: RawSound? = nil
  ) -> (found: ProbedAsset, isRecalled: Bool)? {
    let key = Key(location: location, streamIndex: streamIndex, raw: raw)
    guard case .success(let known)? = entry(key) else {
      return nil
    }
    if case .recalled(let found) = known { return (found, true) }
    return (known.found, false)
  }

  private func known(_ key: Key) throws(Failure) -> KnownStream {
    try Engine.start()
    if let known = entry(key), !isInDoubt(known, key) { return try known.get() }
    let result: Result<KnownStream, Failure>
    do throws(Failure) {
      if let recalled = try recalled(key) {
        result = .success(recalled)
      } else {
        result = .success(try probed(key))
        discoveries.add(1, ordering: .relaxed)
      }
    } catch {
      result = .failure(error)
    }
    try CancellationFlag.requireWanted(at: key.location)
    if case .failure(let failure) = result, failure.remedy == .tryAgain { throw failure }
    found.withLock { $0[key] = result }
    return try result.get()
  }

  /// Whether the length is one that turned out to be wrong since.
  private func isInDoubt(_ result: Result<KnownStream, Failure>, _ key: Key) -> Bool {
    guard case .success(let known) = result, known.found.isLengthAnnounced else { return false }
    return DoubtfulHeads.contain(key.location)
  }

  private func recalled(_ key: Key) throws(Failure) -> KnownStream? {
    // The facts of headerless sound are its size alone.
    guard let recall, key.raw == nil else { return nil }
    let identity = try SourceFile.settle(key.location)
    return recall(key.location, key.streamIndex, identity).map { .recalled($0) }
  }

  private func probed(_ key: Key) throws(Failure) -> KnownStream {
    guard let probe, key.raw == nil else { return .probed(try stream(key)) }
    return .reported(try probe(key.location, key.streamIndex))
  }

  private func stream(_ key: Key) throws(Failure) -> ProbedStream {
    keeping(try Prober.probe(key.location, stream: key.streamIndex, raw: key.raw))
  }

  /// The result for a stream, also where it was probed as the best one and is opened by its number.
  private func entry(_ key: Key) -> Result<KnownStream, Failure>? {
    found.withLock { found in
      if let own = found[key] { return own }
      guard case .success(let best)? = found[key.best],
        best.found.asset.streamIndex == key.streamIndex
      else { return nil }
      return .success(best)
    }
  }

  /// The facts for reading, which neither an earlier run nor another process can give.
  ///
  /// - Throws: `tryAgain` where what they gave is wrong; it is corrected.
  func facts(of asset: Asset) throws(Failure) -> StreamFacts {
    let key = Key(location: asset.location, streamIndex: asset.streamIndex, raw: asset.raw)
    let known = try known(key)
    if case .probed(let stream) = known {
      try verify(asset, is: stream.asset)
      return stream.facts
    }
    let stream = try stream(key)
    replace(known, by: .probed(stream), at: key)
    try verify(asset, is: stream.asset)
    return stream.facts
  }

  /// Checks the facts of an asset that an earlier run gave, before an export is made of it. Reading
  /// checks them too; tags and covers are taken without reading.
  ///
  /// - Throws: `tryAgain` where they are wrong, and as probing does.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  package func confirm(_ asset: Asset) throws(Failure) {
    let key = Key(location: asset.location, streamIndex: asset.streamIndex, raw: asset.raw)
    guard probe != nil else { return _ = try facts(of: asset) }
    let known = try known(key)
    // What another process has reported in this run, the one that reads it verifies.
    guard case .recalled = known else { return }
    let found = try probed(key)
    replace(known, by: found, at: key)
    try verify(asset, is: found.found.asset)
  }

  private func replace(_ known: KnownStream, by found: KnownStream, at key: Key) {
    if found.found != known.found { discoveries.add(1, ordering: .relaxed) }
    self.found.withLock { all in
      for key in [key, key.best] {
        guard case .success(let other)? = all[key], other.found == known.found else { continue }
        all[key] = .success(found)
      }
    }
  }

  private func verify(_ asset: Asset, is found: Asset) throws(Failure) {
    // Loops that a job gives are no facts of the file.
    var probed = asset
    probed.marks?.givenLoops = nil
    if probed.marks?.isEmpty == true { probed.marks = nil }
    guard !verifiesAssets || found == probed else {
      throw Failure(
        .tryAgain, "has changed since it was probed; run the job again", location: asset.location,
        code: .mediaChanged)
    }
  }

  /// Whether going back in an asset decodes it from its first packet.
  func startsAnew(_ asset: Asset) throws(Failure) -> Bool {
    try facts(of: asset).reader.startsAnew
  }

  /// The SHA-256 of an asset's medium, in hexadecimal digits, as `sha256sum` prints it.
  ///
  /// - Throws: `Failure` where it cannot be read, or is not the probed one any more.
  /// - Complexity: O(size) the first time; some 0.3 s for 100 MB.
  package func digest(of asset: Asset) throws(Failure) -> String {
    do {
      return try digest(of: asset, unless: CancellationFlag()).hexadecimal
    } catch {
      throw error as? Failure ?? Failure(.tryAgain, "\(error)", location: asset.location)
    }
  }

  /// The SHA-256 of an asset's file, if it is still the probed one. A file is read once.
  ///
  /// - Throws: `Failure`, or `CancellationError`.
  /// - Complexity: O(size) the first time; some 0.3 s for 100 MB.
  func digest(of asset: Asset, unless cancellation: CancellationFlag) throws -> [UInt8] {
    if let known = digests.withLock({ $0[asset.identity] }) { return known }
    let digest = try mediumDigest(asset.location, unless: cancellation)
    try SourceFile.requireUnchanged(asset.location, asset.identity)
    digests.withLock { $0[asset.identity] = digest }
    return digest
  }

  /// The silences of a sound, which is rendered once.
  ///
  /// - Parameters:
  ///   - search: What is sought.
  ///   - budget: Whose idle cores help; nil: all.
  /// - Returns: What was found now, or before.
  /// - Throws: The failure of a source, the same at each call, or `tryAgain`.
  /// - Complexity: As `SoundAnalyst.silences`
  package func silences(
    _ search: SilenceSearch, budget: CPUBudget? = nil
  ) throws(Failure) -> SilenceFindings {
    if let known = silences.withLock({ $0[search] }) { return try known.get() }
    let result: Result<SilenceFindings, Failure>
    do {
      result = .success(try SoundAnalyst(library: self, budget: budget).silences(search))
    } catch let failure as Failure {
      result = .failure(failure)
    } catch {
      result = .failure(Failure(.tryAgain, "was not analysed: \(error)"))
    }
    try CancellationFlag.requireWanted()
    if case .failure(let failure) = result, failure.remedy == .tryAgain { throw failure }
    silences.withLock { $0[search] = result }
    return try result.get()
  }

  /// What `silences` has found before; nil where it was not called, or may find otherwise.
  package func knownSilences(_ search: SilenceSearch) throws(Failure) -> SilenceFindings? {
    try silences.withLock { $0[search] }?.get()
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
}
