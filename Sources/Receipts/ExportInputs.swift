import Diagnosis
import MediaComposition
import SystemPackage

/// The outputs of an export and what they are made from, to be compared with an earlier run's.
package struct ExportInputs: Sendable, Hashable {
  /// An output, and the files that appear with it.
  package struct Output: Sendable, Hashable {
    /// The output itself.
    package var path: FilePath
    /// Files beside it, which must be there as well.
    package var companions: [FilePath]

    /// An output with its companions.
    package init(_ path: FilePath, companions: [FilePath] = []) {
      self.path = path
      self.companions = companions
    }

    var files: [FilePath] { [path] + companions }
  }

  /// A medium that is read.
  package struct Source: Sendable, Hashable {
    /// Where it is.
    package var location: MediaLocation
    /// Its identity when it was probed.
    package var identity: FileIdentity

    /// The medium at `location`, which had this `identity` when it was probed.
    package init(_ location: MediaLocation, _ identity: FileIdentity) {
      self.location = location
      self.identity = identity
    }
  }

  /// The outputs, each once. They are made together: if one has to be made, all are.
  package var outputs: [Output]
  /// Digests of the job's meaning, by aspect, the most informative first.
  package var digests: [(aspect: String, digest: String)] {
    get { aspects.map { ($0, byAspect[$0] ?? "") } }
    set {
      aspects = newValue.map(\.aspect)
      byAspect = Dictionary(newValue.map { ($0.aspect, $0.digest) }, uniquingKeysWith: { $1 })
    }
  }
  /// What makes them: avjob, its libraries and the processor.
  package var tools: [String: String]
  /// What they are made from, each once.
  package var sources: [Source]
  /// Texts that the job was read from, each once, in order. What they say is in `digests`, so that one with
  /// other bytes that say the same makes no difference.
  package var texts: [Source] = []

  private var aspects: [String] = []
  private(set) var byAspect: [String: String] = [:]

  /// Inputs of an export to `outputs`.
  package init(
    outputs: [Output], digests: [(aspect: String, digest: String)], tools: [String: String],
    sources: [Source]
  ) {
    self.outputs = outputs
    self.tools = tools
    self.sources = sources
    self.digests = digests
  }
}

/// The reason why an export is made, for people.
package enum Reason: Sendable, Hashable, CustomStringConvertible {
  /// The user has asked for it, whatever the receipts say.
  case forced
  /// No earlier run made the output, or its receipt is gone or cannot be read.
  case noReceipt(FilePath)
  case missing(FilePath)
  /// An output is not what the earlier run left; it differs in these respects.
  case outputChanged(FilePath, [String])
  case sourceChanged(MediaLocation, [String])
  /// The bytes of a source differ from those that the output was made of, and its size and its time
  /// of modification do not: SHA-256 in hexadecimal digits. Nothing should be made of it.
  case sourceDecayed(MediaLocation, was: String, now: String)
  /// The job reads other files.
  case otherSources
  /// The job's meaning has changed in these aspects.
  case jobChanged([String])
  /// A tool, such as `ffmpeg`, has another version.
  case toolChanged(String, from: String, to: String)

  /// The reason as it stands after the word `because`.
  package var description: String {
    switch self {
    case .forced: "--force was given"
    case .noReceipt(let path): "'\(path)' has no receipt of an earlier run"
    case .missing(let path): "'\(path)' is not there"
    case .outputChanged(let path, let what):
      "'\(path)' is not as it was written (\(what.joined(separator: ", ")))"
    case .sourceChanged(let source, let what):
      "the source '\(source)' has changed (\(what.joined(separator: ", ")))"
    case .sourceDecayed(let source, let was, let now):
      "the source '\(source)' has SHA-256 \(now), and had \(was) at the same size and time"
    case .otherSources: "the job reads other files than before"
    case .jobChanged(let aspects) where aspects.isEmpty: "the job has changed"
    case .jobChanged(let aspects): "the job has changed (\(aspects.joined(separator: ", ")))"
    case .toolChanged(let name, let from, let to): "\(name) is \(to), and was \(from)"
    }
  }
}
