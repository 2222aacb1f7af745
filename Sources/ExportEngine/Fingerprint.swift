import Diagnosis
import ExportGraph
import FDKAAC
import Glibc
import LAME
import LibAV
import MediaComposition
import SystemPackage

/// Everything that an export's files depend on, as digests and file identities: with equal
/// fingerprints and sources of the same content, the files have the same bytes.
///
/// It does not depend on where a job is written, on names of jobs, or on its folder's place in the
/// file system. Sources are compared by identity, not by path.
package struct Fingerprint: Sendable, Hashable {
  /// The subject of a digest, in the order in which changes are reported.
  package enum Aspect: String, Sendable, Hashable, CaseIterable {
    /// Sounds, their times and their levels.
    case timeline
    /// The files' places and formats.
    case settings
    /// Tags, covers and marks.
    case tags
    case chapters
    /// Words, of outputs that have a place for them.
    case transcript
    /// Records of the export, with all their content.
    case records
  }

  /// A source.
  package struct Source: Sendable, Hashable {
    /// As the export has it.
    package var location: MediaLocation
    /// Its identity when the export was made.
    package var identity: FileIdentity
  }

  /// The versions of tools, by name: `Engine.tools`, and libraries that only some exports use.
  package var tools: [String: String]
  /// SHA-256 of each aspect, as 64 hexadecimal digits.
  package var digests: [Aspect: String]
  /// Media and pictures, each once, in the order of their first use.
  package var sources: [Source]
  /// For each output the files that appear with it, itself first; records stand with the first.
  package var files: [[FilePath]]
}

extension Engine {
  /// Everything besides the job and its sources that decides the bytes of outputs: avjob and its
  /// sound, the libraries, and the processor, by which they choose their code.
  package static let tools: [String: String] = Library.codecVersions.merging([
    "avjob": "\(version), sound \(soundRevision)",
    "ffmpeg": Library.versions,
    "lame": LAMELibrary.version + Library.build(of: "libmp3lame.so.0"),
    "processor": String(Library.processorFeatures, radix: 16),
  ]) { $1 }

  private static let filterTools: String = Library.filterVersions
  private static let fdkTools: String =
    (FDKLibrary.shared?.version ?? "") + Library.build(of: FDKLibrary.name)

  /// `tools`, and libraries that only some graphs use.
  static func tools(for graphs: some Sequence<Graph>) -> [String: String] {
    var tools = tools
    if graphs.contains(where: { $0.nodes.contains(where: \.needsFilters) }) {
      tools["filters"] = filterTools
    }
    if graphs.contains(where: { $0.sinks.contains { $0.format.isByFDK } }) {
      tools["fdk-aac"] = fdkTools
    }
    return tools
  }
}

extension ExportSession {
  /// The fingerprint of this export; `name` gives the path of an output as it enters the digests.
  ///
  /// Examines the disk for the pictures that it names, but opens nothing.
  ///
  /// - Throws: `Failure` where the export has no graph, or a picture is missing.
  /// - Complexity: O(graph)
  package func fingerprint(
    naming name: @escaping (MediaLocation) -> [UInt8]
  ) throws(Failure) -> Fingerprint {
    let graph = try graph()
    let sources = try SourceList(of: graph)
    let numbers = sources.numbers
    let digests = try digests(of: graph) { location in
      // Sources and outputs count by their numbers, not by their names.
      numbers[location].map { Array("source \($0)".utf8) } ?? Array("path ".utf8) + name(location)
    } naming: {
      Array("path ".utf8) + name($0)
    }
    var files = graph.sinks.map { sink in
      [sink.output.path] + sink.sidecars.map(sink.output.path.sidecar)
    }
    if !files.isEmpty { files[0] += export.records.map(\.path) }
    return Fingerprint(
      tools: Engine.tools(for: [graph] + sortedGroups.flatMap(\.sounds)), digests: digests,
      sources: sources.list, files: files)
  }

  /// The groups on whose sounds gains of this export depend, in the order of their names.
  private var sortedGroups: [LoudnessGroup] {
    groups.sorted { $0.key < $1.key }.map(\.value)
  }

  /// `digest`, and with it the sounds of other exports on which a gain depends.
  private func groupDigest(over digest: String) throws -> String {
    let others = try sortedGroups.map { try $0.digest() }
    return others.isEmpty ? digest : try canonicalDigest(of: [digest] + others) { $0.bytes }
  }

  private func digests(
    of graph: Graph, numbering number: @escaping (MediaLocation) -> [UInt8],
    naming name: @escaping (MediaLocation) -> [UInt8]
  ) throws(Failure) -> [Fingerprint.Aspect: String] {
    let timeline = Timeline(
      nodes: graph.nodes,
      sinks: graph.sinks.map {
        Timeline.Sink(node: $0.node, frames: $0.frames, picture: $0.picture)
      })
    let settings = graph.sinks.map { sink in
      // Its tags stand in the sink, on top of the export's.
      var output = sink.output
      output.metadata = Metadata()
      return Settings(output: output, isDithered: sink.isDithered)
    }
    // Words have an aspect of their own: those that no output has a place for change nothing.
    var recorded = export
    recorded.transcript = nil
    do {
      return [
        .timeline: try canonicalDigest(of: timeline, number),
        .settings: try groupDigest(over: canonicalDigest(of: settings, name)),
        .tags: try canonicalDigest(
          of: graph.sinks.map { Tags(metadata: $0.metadata, marks: $0.marks) }, number),
        .chapters: try canonicalDigest(of: graph.sinks.map(\.chapters), number),
        .transcript: try canonicalDigest(of: graph.sinks.map(\.transcript.content), number),
        // A record may contain anything of the export.
        .records: try canonicalDigest(of: export.records.isEmpty ? nil : recorded, name),
      ]
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.reportBug, "the export has no fingerprint: \(error)", origin: export.origin)
    }
  }
}

extension Node {
  fileprivate var needsFilters: Bool {
    if case .process(let process, _) = kind { process.needsFilters } else { false }
  }
}

extension SoundProcess {
  fileprivate var needsFilters: Bool {
    switch self {
    case .stretch, .filter, .reverb: true
    case .reverse, .varispeed, .delay, .leveler, .limiter, .normalize, .custom: false
    }
  }
}

private struct Timeline: Encodable {
  struct Sink: Encodable {
    var node: Node.ID
    var frames: Range<Int64>
    /// It does not follow from the nodes, which have no silent items, and not what fades do to it.
    var picture: PicturePlan?
  }

  var nodes: [Node]
  var sinks: [Sink]
}

private struct Tags: Encodable {
  var metadata: Metadata
  var marks: SinkMarks
}

private struct Settings: Encodable {
  var output: Output
  var isDithered: Bool
}

/// SHA-256 of a value's canonical bytes, as 64 hexadecimal digits; `name` gives paths.
func canonicalDigest(
  of value: some Encodable, _ name: @escaping (MediaLocation) -> [UInt8]
) throws -> String {
  let hash = Hash(try allocated { () throws(LibAVError) in try SHA256() })
  try CanonicalEncoder(naming: name) { hash.update($0) }.encode(value)
  return hash.finish().hexadecimal
}

/// A digest that a closure may hold.
private final class Hash {
  private var hash: SHA256?

  init(_ hash: consuming SHA256) { self.hash = consume hash }

  func update(_ bytes: UnsafeRawBufferPointer) { hash?.update(bytes) }

  func finish() -> [UInt8] { hash.take()?.finish() ?? [] }
}

private func allocated<T: ~Copyable>(
  _ make: () throws(LibAVError) -> T
) throws(Failure) -> T {
  do throws(LibAVError) {
    return try make()
  } catch {
    throw Failure(.mendMachine, error.message)
  }
}
