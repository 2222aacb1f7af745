import Diagnosis
import ExportEngine
import ExportGraph
import JSON
import MediaComposition
import MediaTime
import RunPlan
import SystemPackage

/// What a run did: a value, whatever format it is written in.
package struct RunReport: Sendable {
  /// A diagnostic with its place.
  package struct Message: Hashable, Sendable {
    var diagnostic: Diagnostic
    var place: Place?
    /// As the screen shows it, without colours.
    var screen: String

    var severity: Diagnostic.Severity { diagnostic.severity }
  }

  /// A file that a job writes, or would have written: unknown facts are nil.
  package struct Output: Hashable, Sendable {
    var path: FilePath
    /// For example `MP3 V2`, `Podlove Simple Chapters`, `JSON record`.
    var format: String
    var bytes: Int64?
    /// Of the sound in it; nil where it has none, or is not written.
    var sound: Sound?
  }

  /// The sound of an output.
  struct Sound: Hashable, Sendable {
    var sampleRate: Int
    var channelCount: Int
    /// The name of the layout of more than two channels; nil where it is not known.
    var layout: String?
    var frameCount: Int64
    /// In decibels below full scale; nil for silence.
    var peak: Double?
    /// Whether there is a peak: not where all is copied.
    var hasPeak = true
    var clippedSamples: Int64 = 0
    var sha256: String?
    /// The members of an output that only documents tell.
    var facts: JSONValue = [:]

    /// The names that `facts` may have.
    static let factNames: Set = [
      "loudness", "normalization", "conformance", "copied", "metadata", "cover", "chapters",
      "joins", "overview", "pictures", "picture_joins", "transcript", "cues",
    ]
  }

  /// A stream of a medium that sounds in a job.
  struct Input: Hashable, Sendable {
    /// Its `path` or `url`, without secrets, as documents have it.
    var place: JSONValue
    var stream: Int?
    var container: String
    var codec: String
    var sampleRate: Int
    var channels: String
    var frameCount: Int64
  }

  /// How a job ended, in the order in which they are counted.
  package enum Status: String, CaseIterable, Sendable {
    case done
    case upToDate = "up_to_date"
    case failed
    case blocked
    case cancelled
    case notStarted = "not_started"

    /// In a list: those first that need attention.
    static let byAttention: [Status] = [
      .failed, .blocked, .cancelled, .notStarted, .done, .upToDate,
    ]

    /// As people read it.
    var words: String { rawValue.replacing("_", with: " ") }
  }

  /// A time in which a job ran.
  struct Try: Sendable, Hashable {
    /// After the start of the run.
    var start: Duration
    var elapsed = Duration.zero
    /// How it ended; nil while it lasts.
    var end: Ending?

    /// How a try ends.
    enum Ending: String, CaseIterable, Sendable {
      case done, failed, cancelled
      /// It failed, and another try follows.
      case retried
      /// Another job needs its room.
      case postponed
      case upToDate = "up_to_date"
    }
  }

  /// The graph of a job: of many jobs it is much, and made when it is asked for.
  struct PlannedGraph: Sendable {
    let nodeCount: Int
    /// The nodes, as a plan has them.
    let nodes: @Sendable () -> JSONValue
  }

  /// A job, or a part of a split one.
  struct Job: Sendable {
    var name: String
    /// The job that it is a part of; its own name where it is whole.
    var job: String
    var order = WorkOrder()
    var place: Place?
    var status = Status.notStarted
    /// The job that it waited for in vain.
    var blockedBy: String?
    /// Why it ran, with `--explain`.
    var reason: String?
    /// After the start of the run; nil for a job that never started.
    var start: Duration?
    var elapsed = Duration.zero
    var attempts = 0
    /// Each time that it ran, in order.
    var tries: [Try] = []
    var inputs: [Input] = []
    var outputs: [Output] = []
    var messages: [Message] = []
    /// Where it is known.
    var graph: PlannedGraph?

    /// How much sound it made.
    var duration: Time? { outputs.lazy.compactMap { $0.sound?.duration }.first }

    /// Of a job that was refused before anything ran: whether another run may find that all is well.
    var mayPass: Bool {
      blockedBy == nil && !messages.isEmpty
        && messages.allSatisfy { $0.severity != .error || $0.diagnostic.remedy == .tryAgain }
    }
  }

  /// Of avjob and the libraries that it is linked with, by name.
  var versions: [(name: String, version: String)]
  /// The operating system and the kind of machine.
  var system: String
  /// How many cores the run could use.
  var cores: Int
  /// As they were named.
  var files: [String]
  /// When the run started.
  var started: Timestamp
  var elapsed: Duration
  /// As a shell sees it.
  var exitStatus: Int32
  /// The share that it is of; nil: it is of all.
  var shard: Shard?
  /// How the work was dealt out (`Preparation.deal`).
  var deal: String?
  /// Of a run whose shards' reports were put together.
  var shards: Shards?
  /// Those that belong to no job.
  var messages: [Message]
  /// In the order of writing.
  var jobs: [Job]
  /// The lists of their files.
  var manifests: [Manifest] = []

  /// The one message of a report that stands in for that of a run under way.
  static let unended = "the run has not ended: it is under way, or was killed; run it again"

  /// Whether it is such a report.
  var hasNotEnded: Bool {
    jobs.isEmpty && messages.contains { $0.diagnostic.message == Self.unended }
  }

  /// Of the jobs that are done.
  var writtenOutputs: [Output] { jobs.filter { $0.status == .done }.flatMap(\.outputs) }

  /// All messages, each with the name of its job.
  var allMessages: [(job: String?, message: Message)] {
    messages.map { (nil, $0) } + jobs.flatMap { job in job.messages.map { (job.name, $0) } }
  }

  func count(_ status: Status) -> Int { jobs.count { $0.status == status } }

  /// `3 of 10 jobs done, 5 up to date, 1 failed, 1 blocked`
  var summary: String {
    let done = "\(count(.done)) of \(jobs.count) \(jobs.count == 1 ? "job" : "jobs") done"
    let others = Status.allCases.dropFirst().compactMap { status in
      let count = count(status)
      return count > 0 ? "\(count) \(status.words)" : nil
    }
    return ([done] + others).joined(separator: ", ")
  }
}

extension RunReport.Message {
  /// `diagnostic` with its place by `map`, and without secrets: no report masks them again.
  init(_ diagnostic: Diagnostic, in map: SourceMap) {
    self.init(
      diagnostic: diagnostic.masked, place: map.place(of: diagnostic.origin),
      screen: diagnostic.render(in: map))
  }
}

extension RunReport.Input {
  init(_ asset: Asset) {
    self.init(
      place: .medium(asset.location, [:]), stream: asset.soundIndex, container: asset.container,
      codec: asset.codec, sampleRate: asset.sampleRate, channels: asset.channelLayout.name,
      frameCount: asset.frameCount)
  }
}

extension RunReport.Sound {
  init(_ written: WrittenOutput, _ sink: Sink? = nil) {
    let layout = sink?.output.channelLayout
    let isKnown = layout?.count == written.channelCount && written.channelCount > 2
    self.init(
      sampleRate: written.sampleRate, channelCount: written.channelCount,
      layout: isKnown ? layout?.name : nil, frameCount: written.frameCount,
      peak: written.peak.flatMap { $0 > 0 ? Gain(factor: Double($0)).decibels : nil },
      hasPeak: written.peak != nil, clippedSamples: written.clippedSamples,
      sha256: written.sha256.map { JSONValue.hexadecimal($0).text ?? "" },
      facts: JSONValue.members([
        "loudness": written.loudness?.json(), "normalization": written.correction?.json,
        "conformance": written.conformances.json, "copied": written.copied?.json,
      ]).with(sink?.reportFacts ?? [:]).with(
        .members([
          // For pages alone, which have an overview: events need no words.
          "cues": written.overview == nil ? nil : sink?.cuesJSON,
          "joins": written.joins?.json(sampleRate: written.sampleRate),
          "overview": written.overview?.json, "pictures": written.pictures?.json,
          "picture_joins": written.pictureJoins.map { .list($0.map(\.json)) },
        ])))
  }

  /// How long it is.
  var duration: Time { Time(frames: frameCount, rate: sampleRate) }
}

extension [RunReport.Output] {
  /// Of all files.
  var bytes: Int64 { reduce(0) { $0 + ($1.bytes ?? 0) } }
  /// Of all sound.
  var duration: Time { reduce(.zero) { $0 + ($1.sound?.duration ?? .zero) } }
}

extension RunReport.Output {
  /// The files that `export` would write.
  static func planned(_ export: Export) -> [RunReport.Output] {
    export.outputs.map { output in
      RunReport.Output(path: output.path, format: output.request.name)
    } + export.records.map { RunReport.Output(path: $0.path, format: recordFormat) }
  }

  /// The files that a session has written.
  static func written(
    _ session: ExportSession, _ report: ExportSession.Report
  ) -> [RunReport.Output] {
    let sinks = (try? session.graph())?.sinks ?? []
    var files: [RunReport.Output] = []
    for (index, (output, written)) in zip(session.export.outputs, report.outputs).enumerated() {
      let sink = sinks.indices.contains(index) ? sinks[index] : nil
      files.append(
        RunReport.Output(
          path: written.path, format: output.request.name, bytes: written.size,
          sound: RunReport.Sound(written, sink)))
      files += written.sidecars.map {
        RunReport.Output(path: $0.path, format: $0.kind.name, bytes: $0.size)
      }
    }
    return files
      + report.records.map {
        RunReport.Output(path: $0.path, format: recordFormat, bytes: $0.size)
      }
  }

  private static let recordFormat = "JSON record"
}

extension Sink {
  /// What its files have of tags, cover, chapters and words, as reports tell it.
  fileprivate var reportFacts: JSONValue {
    let held = capabilities
    let tags = metadata.items.filter { held.holds($0.key) }
    let hasChapters =
      output.chapters.inFile && held.holdsChapters || sidecars.contains(where: \.isOfChapters)
    return .members([
      "metadata": tags.isEmpty
        ? nil : .object(tags.map(\.json)),
      "cover": held.holdsCover ? metadata.cover.map { .text("\($0.location)") } : nil,
      "chapters": hasChapters && !chapters.isEmpty ? .list(chapters.map(\.json)) : nil,
    ]).with(.members(["transcript": wordsJSON]))
  }
}

extension [Join] {
  /// Joins whose waveforms documents have, of each output: those with flaws first.
  private static var mostDrawn: Int { 24 }

  fileprivate func json(sampleRate: Int) -> JSONValue {
    let flawed = indices.filter { !self[$0].flaws.isEmpty }
    let sound = indices.filter { self[$0].flaws.isEmpty }
    let drawn = Set((flawed + sound).prefix(Self.mostDrawn))
    return .list(
      indices.map { self[$0].json(sampleRate: sampleRate, withSamples: drawn.contains($0)) })
  }
}

extension RunReport.Sound {
  /// The levels of the encoded file, and what brought it there: `−16.0 LUFS, −1.3 dBTP (+6.2 dB,
  /// limited)`. Nil where it was not measured.
  var levelText: String? { levelTexts.first }

  /// `levelText`, then shorter forms of it: without what brought the file there, and without its
  /// peaks. Empty where the file was not measured.
  var levelTexts: [String] {
    guard let loudness = facts["loudness"] else { return [] }
    let normalization = facts["normalization"]
    // In the figure that was asked for.
    let target = normalization?["target"]
    let (figure, unit) =
      target?["rms_db"] != nil
      ? ("rms_db", "dB RMS")
      : target?["sample_peak_dbfs"] != nil
        ? ("sample_peak_dbfs", "dBFS") : ("integrated_lufs", "LUFS")
    let level = loudness[figure]?.number.map { "\($0.tenths) \(unit)" }
    let peak = loudness["true_peak_dbtp"]?.number.map { "\($0.tenths) dBTP" }
    let figures = [level, peak].compactMap(\.self)
    guard let first = figures.first else { return ["silent"] }
    var texts = [figures.joined(separator: ", ")]
    if figures.count > 1 { texts.append(first) }
    guard let gain = normalization?["gain_db"]?.number else { return texts }
    let limited = normalization?["limiter_dbtp"] == nil ? "" : ", limited"
    return [texts[0] + " (\(gain.signedTenths) dB\(limited))"] + texts
  }

  /// The specifications that it was checked by.
  var specifications: [String] {
    (facts["conformance"]?.elements ?? []).compactMap { $0["specification"]?.text }
  }

  /// How much of it is copied, as `97 % copied`; nil where nothing was to be.
  var copiedShare: String? {
    guard let parts = facts["copied"]?.elements else { return nil }
    var (all, copied) = (0.0, 0.0)
    for part in parts {
      let count = (part["end_frame"]?.number ?? 0) - (part["first_frame"]?.number ?? 0)
      all += count
      if part["reasons"] == nil { copied += count }
    }
    return copied == all
      ? "copied" : "\(Int(min(100, max(0, copied * 100 / max(1, all))))) % copied"
  }
}
