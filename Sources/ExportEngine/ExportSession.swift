import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// Makes an export's files: one decode and one mix for all of its outputs.
///
/// The counterpart of `AVAssetExportSession`. A value that any thread may use. Tasks await
/// `export`; `run` is the same for a thread, which it blocks.
public struct ExportSession: Sendable {
  /// Behind a reference: a hundred thousand sessions are passed from list to list.
  private final class Contents: Sendable {
    let export: Export
    let library: MediaLibrary
    let graph: Result<Graph, Failure>
    let groups: [String: LoudnessGroup]

    init(
      _ export: Export, _ library: MediaLibrary, _ graph: Result<Graph, Failure>,
      _ groups: [String: LoudnessGroup]
    ) {
      (self.export, self.library, self.graph, self.groups) = (export, library, graph, groups)
    }

    init(_ export: Export, _ library: MediaLibrary) {
      self.export = export
      self.library = library
      groups = [:]
      library.compilations.add(1, ordering: .relaxed)
      do throws(Failure) {
        let compiled = try Graph(compiling: export)
        try compiled.requireDescribedFilters()
        graph = .success(compiled)
      } catch {
        graph = .failure(error)
      }
    }
  }

  private let contents: Contents

  /// The groups that its graph names and that other exports have part in, by their names.
  package var groups: [String: LoudnessGroup] { contents.groups }

  /// The same session, some of whose sounds share their gain with those of other exports.
  ///
  /// - Parameter groups: Groups by their names; the session keeps those that its graph names.
  /// - Returns: The session with these groups, in place of those that it had.
  /// - Complexity: O(nodes), however many groups there are
  package func sharing(_ groups: [String: LoudnessGroup]) -> ExportSession {
    var own: [String: LoudnessGroup] = [:]
    if case .success(let graph) = contents.graph {
      for name in graph.groupNames {
        guard let group = groups[name] else { continue }
        own[name] = group
        for inner in group.innerGroups { own[inner] = groups[inner] }
      }
    }
    return ExportSession(Contents(export, library, contents.graph, own))
  }

  /// A session that writes another part of the timeline, with the same sound there.
  package func covering(_ range: TimeRange) -> ExportSession {
    var export = export
    export.timeRange = range
    return ExportSession(export, library: library).sharing(groups)
  }

  /// The same session with a graph whose sounds are measured.
  func solving(by graph: Graph) -> ExportSession {
    ExportSession(Contents(export, library, .success(graph), groups))
  }

  private init(_ contents: Contents) { self.contents = contents }

  /// The export.
  public var export: Export { contents.export }
  /// The media that it reads.
  package var library: MediaLibrary { contents.library }

  /// A session over media that `library` probes once for all sessions. Compiles the export, once,
  /// and opens no file.
  ///
  /// - Complexity: O(segments)
  public init(_ export: Export, library: MediaLibrary) {
    contents = Contents(export, library)
  }

  /// The graph that `run` renders.
  ///
  /// - Throws: As `Graph.init(compiling:)`.
  package func graph() throws(Failure) -> Graph { try contents.graph.get() }

  /// The progress of an export.
  public struct Progress: Sendable, Hashable {
    /// Sound processed so far, 0 … `total`.
    public var completed: Time
    /// Sound to process in all: the outputs' length, and once more where sources are proved by their own
    /// digests, and where sound is measured before or after it is rendered.
    public var total: Time

    /// From 0 to 1; 1 for an export of no length (`Progress.fractionCompleted`).
    public var fractionCompleted: Double {
      total > .zero ? max(0, min(1, completed.seconds / total.seconds)) : 1
    }
  }

  /// Which files at the paths of its outputs an export replaces.
  public enum ReplacedFiles: String, Sendable, Codable {
    /// All.
    case all
    /// Those that are there when it begins, as long as nobody changes them.
    case found
    /// None.
    case none
  }

  /// What an export finds out for its report alone.
  public struct Examination: OptionSet, Sendable, Codable {
    /// As a set.
    public let rawValue: Int
    /// A set of these.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The encoded files are decoded: `WrittenOutput.loudness` and `overview`.
    public static let levels = Examination(rawValue: 1)
    /// The sound around each join is looked at: `WrittenOutput.joins`, and a warning for each flaw.
    public static let joins = Examination(rawValue: 2)
    /// The pictures on both sides of their joins are decoded: `WrittenOutput.pictureJoins`.
    public static let pictures = Examination(rawValue: 4)
  }

  /// The results of an export.
  public struct Report: Sendable, Codable {
    /// In the order of the export's outputs.
    public var outputs: [WrittenOutput]
    /// The outputs' length.
    public var duration: Time
    /// In the order of the export's records.
    package var records: [WrittenRecord] = []
    /// All written files, as each was when it took its place.
    package var files: [WrittenFile] = []
    /// Warnings for the user.
    public var warnings: [Warning]
  }

  /// Renders, encodes and writes all outputs on this thread; each is whole at its path on return.
  ///
  /// - Parameters:
  ///   - budget: Encoders use its idle cores, beside the calling thread, which should hold one of
  ///     them; nil: all cores that the process may use.
  ///   - replaced: Which files at the outputs' paths are replaced; for any other one the export
  ///     fails when all is encoded.
  ///   - examination: What the report is to tell beside what the export asks for.
  ///   - cancellation: Polled for every decoded frame, and ends waits for servers; once set,
  ///     everything written is removed.
  ///   - progress: Called on this thread for every block.
  /// - Returns: The written files.
  /// - Throws: `Failure`, also for an export without outputs; `cancelled` once it is cancelled,
  ///   `mediaChanged` where a source or a picture was changed since it was probed. No output is then
  ///   at its path unless an older one was; only if a finished file cannot be renamed, those before
  ///   it are in place. What a killed process has left beside the outputs stays: see
  ///   `removeLeftovers`.
  @available(*, noasync, message: "it blocks its thread; await export(progress:)")
  package func run(
    budget: CPUBudget? = nil, replacing replaced: ReplacedFiles = .all,
    examining examination: Examination = [],
    cancellation: CancellationFlag = CancellationFlag(),
    progress: (Progress) -> Void = { _ in }
  ) throws(Failure) -> Report {
    try perform(
      budget: budget, replacing: replaced, examining: examination, cancellation: cancellation,
      settling: { true }, progress: progress)
  }

  /// The work of `run`. Before the first file takes its place, `settle` is asked whether the export
  /// is still wanted.
  func perform(
    budget: CPUBudget? = nil, replacing replaced: ReplacedFiles,
    examining examination: Examination, cancellation: CancellationFlag, settling settle: () -> Bool,
    progress: (Progress) -> Void
  ) throws(Failure) -> Report {
    do {
      return try cancellation.endingReads {
        try make(
          budget: budget, replacing: replaced, examining: examination, cancellation: cancellation,
          settling: settle, progress: progress)
      }
    } catch let failure as Failure {
      throw failure
    } catch is CancellationError {
      throw .cancelled.placed(at: export.origin)
    } catch {
      throw Failure(.reportBug, "the export ended with an unexpected error: \(error)")
    }
  }

  private func make(
    budget: CPUBudget?, replacing replaced: ReplacedFiles, examining examination: Examination,
    cancellation: CancellationFlag, settling settle: () -> Bool, progress: (Progress) -> Void
  ) throws -> Report {
    if let failure = noOutputs { throw failure }
    try requireOwnPlaces()
    let graph = try graph()
    for sink in graph.sinks { try requireConformable(sink, in: graph) }
    if export.isStrict { try requireNoDoubt(sourceWarnings) }
    let sources = try SourceList(of: graph)
    let media = try PrefetchedMedia(of: graph)
    defer { withExtendedLifetime(media) {} }
    // What earlier outputs take is not free before they are replaced.
    var rooms = RoomCache { DiskRoom(for: $0) }
    for growth in growth(of: graph, &rooms, replacing: false) {
      if let shortage = growth.shortage { throw shortage }
    }
    // First, so that folders made for records are empty again when the outputs give up.
    let recorder = try RecordWriter(for: export)
    var rendering: Rendering?
    var isCommitting = false
    do {
      var made = try Crew.gather(from: budget, unless: cancellation) { crew in
        try mastered(graph, crew, examining: examination, progress)
      }
      rendering = made
      let records = try finish(recorder, &made, cancellation)
      // Links may have changed since the export began.
      try requireOwnPlaces()
      try sources.requireUnchanged()
      guard !cancellation.isCancelled, settle() else { throw CancellationError() }
      // No file takes its place before all are whole on the disk.
      isCommitting = true
      try commit(made.writers, recorder, replacing: replaced)
      return Report(
        outputs: made.outputs, duration: export.duration, records: records,
        files: (made.writers.flatMap(\.files) + recorder.files).compactMap(WrittenFile.init),
        warnings: warnings(of: made))
    } catch {
      rendering?.abandon()
      recorder.abandon()
      // A report of files that are in place comes before a cancellation.
      if isCommitting { throw error }
      throw cancellation.isCancelled ? CancellationError() : sources.cause(of: error)
    }
  }

  /// One rendering of the export: whole files, none of which is in its place yet.
  struct Rendering {
    var graph: Graph
    var writers: [SoundWriter] = []
    var outputs: [WrittenOutput] = []
    /// Of the encoded files, as their channels are, by the numbers of their sinks.
    var levels: [Int: LoudnessMeasurement] = [:]
    var warnings: [Warning] = []

    /// In reverse, so that folders made for the first are empty again.
    func abandon() { for writer in writers.reversed() { writer.abandon() } }
  }

  /// Puts all files in their places, one after the other.
  ///
  /// - Throws: The system's error where a rename fails; the failure names the files that are in
  ///   place.
  private func commit(
    _ writers: [SoundWriter], _ recorder: RecordWriter, replacing replaced: ReplacedFiles
  ) throws(Failure) {
    do throws(Failure) {
      for writer in writers { try writer.commit(replacing: replaced) }
      try recorder.commit(replacing: replaced)
    } catch {
      var failure = error
      let new = (writers.flatMap(\.files) + recorder.files)
        .filter { $0.identity != nil && .file($0.path) != error.location }
      if let first = new.first {
        let (others, verb) = new.count > 1 ? (" and \(new.count - 1) more", "are") : ("", "is")
        failure.message += "; '\(first.path)'\(others) of the same job \(verb) new already"
        // Another attempt would find them, and take them for another program's.
        if replaced != .all, failure.remedy == .tryAgain { failure.remedy = .mendMachine }
      }
      throw failure
    }
  }

  /// Writes the records, for which every file is read once more.
  private func finish(
    _ recorder: RecordWriter, _ rendering: inout Rendering, _ cancellation: CancellationFlag
  ) throws -> [WrittenRecord] {
    guard recorder.isNeeded else { return [] }
    let digests = try rendering.writers.map { writer in
      try writer.files.map { try $0.digest(unless: cancellation) }
    }
    for index in rendering.outputs.indices {
      rendering.outputs[index].sha256 = digests[index].first
    }
    let told = zip(rendering.outputs, digests).map { ($0, Array($1.dropFirst())) }
    let warnings = sourceWarnings + losses + warnings(of: rendering)
    return try recorder.finish(rendering.graph, told, warnings) { asset in
      try library.digest(of: asset, unless: cancellation)
    }
  }

  var noOutputs: Failure? {
    guard export.outputs.isEmpty else { return nil }
    return Failure(
      .mendJob, "no outputs: the export would write nothing; give it one or more",
      origin: export.origin)
  }

  /// Checks that no file of the export replaces a source or another one, or stands where another one
  /// needs a folder, whatever links lead there. Opens nothing.
  private func requireOwnPlaces() throws(Failure) {
    var registry = PathRegistry()
    for asset in export.composition.readAssets where !asset.isPredicted {
      guard case .file(let path) = asset.location else { continue }
      registry.read(.init(job: 0, path: path), inode: asset.identity.file)
    }
    for (number, file) in ExportFiles(export).files.enumerated() {
      do throws(PathRegistry.Clash) {
        try registry.write(.init(file, job: 0, part: 0, number: number))
      } catch {
        throw error.failure(of: file.path, at: file.origin)
      }
    }
    if let obstacle = registry.obstacles.first { throw obstacle.failure(of: obstacle.below) }
  }

  private func warnings(of rendering: Rendering) -> [Warning] {
    let clipped = zip(rendering.graph.sinks, rendering.outputs).compactMap { sink, output in
      output.clippedSamples > 0
        ? Warning(
          "\(output.clippedSamples) samples are over full scale; lower the gain",
          path: sink.output.path, origin: sink.output.origin) : nil
    }
    var known: Set<JoinKey> = []
    return rendering.warnings + clipped
      + zip(rendering.graph.sinks, rendering.outputs).flatMap { sink, output in
        output.flawWarnings(of: sink, besides: &known)
      }
  }
}

/// A join of a mix, whatever the rates of its outputs.
private struct JoinKey: Hashable {
  var origin: Origin
  var milliseconds: Int64
}

extension WrittenOutput {
  /// Joins whose flaws are named, of each output; the others are counted.
  private static let mostNamedJoins = 20

  /// A warning for each join with flaws that is not known from another output, at the item that begins
  /// there.
  fileprivate func flawWarnings(of sink: Sink, besides known: inout Set<JoinKey>) -> [Warning] {
    let flawed = (joins ?? []).filter { join in
      guard !join.flaws.isEmpty else { return false }
      let time = Time(frames: join.frames.lowerBound, rate: sampleRate)
      return known.insert(
        JoinKey(origin: join.origin, milliseconds: time.frames(atRate: 1000))
      ).inserted
    }
    var found = flawed.prefix(Self.mostNamedJoins).map { join -> Warning in
      let time = Time(frames: join.frames.lowerBound, rate: sampleRate).clockText(decimals: 3)
      let flaws = join.flaws.map(\.description).joined(separator: ", ")
      let remedy = join.flaws.first?.remedy ?? ""
      return Warning(
        "the join at \(time) has \(flaws); \(remedy)", path: path, origin: join.origin)
    }
    if flawed.count > found.count {
      found.append(
        Warning(
          "\(flawed.count - found.count) more joins have flaws", path: path,
          origin: sink.output.origin))
    }
    return found
  }
}
