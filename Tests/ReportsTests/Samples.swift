import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import WorkerPool

@testable import ExportEngine
@testable import Reports
@testable import RunPlan

extension Work {
  /// A job without sound.
  static func sample(
    _ name: String, outputs: [Output] = [], estimate: Duration = .zero, origin: Origin = .unknown
  ) -> Work {
    var export = Export(
      name: name, composition: Composition(tracks: []), outputs: outputs, origin: origin)
    export.records = [ExportRecord(path: "a.json")]
    return Work(
      session: ExportSession(export, library: MediaLibrary()), job: name, estimate: estimate,
      timeLimit: .seconds(600), retries: 0, resources: ResourceRequest())
  }
}

/// An event as a pool has it.
typealias PoolEvent = JobEvent<WorkResult>

extension RunEvent {
  /// An event of one of `work`.
  init(
    job: Int, _ kind: PoolEvent.Kind, at instant: ContinuousClock.Instant, of work: [Work],
    in map: SourceMap = SourceMap()
  ) {
    self.init(PoolEvent(job: job, kind, at: instant), of: work[job], in: map)
  }
}

extension PoolEvent.Kind {
  static var upToDate: Self { .finished(.upToDate) }

  /// The end of a job that has written these files.
  static func finished(
    _ outputs: [WrittenOutput], records: [WrittenRecord] = [], reason: String?
  ) -> Self {
    let report = ExportSession.Report(
      outputs: outputs, duration: .zero, records: records, warnings: [])
    return .finished(.written(report, reason: reason))
  }
}

extension WrittenOutput {
  /// A file of sound, two channels at 44.1 kHz unless told otherwise.
  static func sample(
    _ path: FilePath, bytes: Int64 = 0, frames: Int64, rate: Int = 44_100, channels: Int = 2,
    peak: Float = 0, clipped: Int64 = 0, sha256: [UInt8]? = nil
  ) -> WrittenOutput {
    WrittenOutput(
      path: path, size: bytes, frameCount: frames, sampleRate: rate, channelCount: channels,
      clippedSamples: clipped, peak: peak, sha256: sha256)
  }
}
