import Diagnosis
import ExportGraph
import JSON
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Threads
import Transcripts

/// A written record.
package struct WrittenRecord: Sendable, Hashable, Codable {
  /// Its path.
  @CodedPath package var path: FilePath
  /// Bytes.
  package var size: Int64
}

/// Writes the records of an export: JSON about what was read, done and written (`docs/json.md`).
/// They appear after the outputs, when all files are whole.
///
/// The bytes depend on the export, its sources, and the versions of avjob and its libraries: not on
/// a clock, the machine's folders or the number of cores. One thread at a time.
struct RecordWriter {
  /// The document's version: raised where a member changes or goes.
  static let version = 2

  private let export: Export
  let files: [OutputFile]

  /// Starts the files, which are removed with the last reference unless they are committed.
  init(for export: Export) throws(Failure) {
    self.export = export
    var files: [OutputFile] = []
    for record in export.records {
      do throws(Failure) {
        files.append(try OutputFile.create(at: record.path))
      } catch {
        throw error.about(record.path).placed(at: record.origin)
      }
    }
    self.files = files
  }

  var isNeeded: Bool { !files.isEmpty }

  /// Writes and flushes the records.
  ///
  /// - Parameters:
  ///   - graph: The export's graph.
  ///   - outputs: Its outputs, in the order of the graph's sinks, with the digests of each file.
  ///   - warnings: What is doubtful about sources and outputs.
  ///   - digest: Gives the SHA-256 of a source.
  /// - Returns: The written records, in the order of the export's.
  /// - Throws: The system's error, and as `digest`.
  func finish(
    _ graph: Graph, _ outputs: [(written: WrittenOutput, sidecarDigests: [[UInt8]])],
    _ warnings: [Warning], digestOfSource digest: (Asset) throws -> [UInt8]
  ) throws -> [WrittenRecord] {
    let assets = export.composition.readAssets.sorted {
      ($0.location, $0.streamIndex) < ($1.location, $1.streamIndex)
    }
    let sources = try assets.map { (asset: $0, digest: try digest($0)) }
    return try zip(export.records, files).map { record, file in
      let folder = record.path.folder
      let document = JSONValue.members([
        "version": .count(Self.version),
        "job": .text(export.name),
        "versions": .object(Engine.versions.map { .init($0.name, .text($0.version)) }),
        "range": export.timeRange.map { range in
          ["start": .time(range.start), "end": .time(range.end)]
        },
        "sources": .list(sources.map { source($0.asset, $0.digest, from: folder) }),
        "outputs": .list(
          zip(graph.sinks, outputs).map {
            output($0, in: graph, $1.written, $1.sidecarDigests, from: folder)
          }),
        "warnings": .list(warnings.map { json($0, from: folder) }),
      ])
      do throws(Failure) {
        try file.put(Array(document.document().utf8), at: 0)
        try file.flush()
      } catch {
        throw error.about(record.path).placed(at: record.origin)
      }
      return WrittenRecord(path: record.path, size: file.size)
    }
  }

  func commit(replacing replaced: ExportSession.ReplacedFiles) throws(Failure) {
    for (record, file) in zip(export.records, files) {
      do throws(Failure) {
        try file.commit(replacing: replaced)
      } catch {
        throw error.placed(at: record.origin)
      }
    }
  }

  func abandon() { for file in files.reversed() { file.discard() } }

  private func json(_ warning: Warning, from folder: FilePath) -> JSONValue {
    let message: KeyValuePairs<String, JSONValue?> = ["message": .text(warning.message)]
    guard let location = warning.location else { return .members(message) }
    return .medium(location.relative(to: folder), message)
  }

  private func source(_ asset: Asset, _ digest: [UInt8], from folder: FilePath) -> JSONValue {
    .medium(
      asset.location.relative(to: folder),
      [
        "bytes": .integer(asset.identity.size), "sha256": .hexadecimal(digest),
        "stream": asset.soundIndex.map { .count($0) }, "container": .text(asset.container),
        "codec": .text(asset.codec), "sample_rate": .count(asset.sampleRate),
        "channels": .text(asset.channelLayout.name),
        "bit_depth": asset.bitDepth.map { .count($0) }, "frames": .integer(asset.frameCount),
        "duration": .time(asset.duration), "picture": asset.videoCodec.map { .text($0) },
      ])
  }

  /// What the output does not have of its source.
  private func leftOut(of sink: Sink) -> JSONValue? {
    let names =
      sink.staleTags.flatMap(\.names)
      + sink.fields.map(\.key).filter { !sink.capabilities.holds($0) }
      + (export.unread?.parts ?? [])
    return names.isEmpty ? nil : .list(names.map { .text($0) })
  }

  private func output(
    _ sink: Sink, in graph: Graph, _ written: WrittenOutput, _ sidecarDigests: [[UInt8]],
    from folder: FilePath
  ) -> JSONValue {
    let duration = Time(frames: written.frameCount, rate: written.sampleRate)
    let decibels = Gain(factor: Double(written.peak ?? 0)).decibels
    var (chapterFiles, transcriptFiles): ([JSONValue], [JSONValue]) = ([], [])
    var silenceFiles: [JSONValue] = []
    for (sidecar, digest) in zip(written.sidecars, sidecarDigests) {
      let json = sidecar.json(digest, from: folder)
      switch sidecar.kind {
      case .chapters: chapterFiles.append(json)
      case .transcript(let format):
        // What is said is in the language of the sound, unless it says another one.
        let language =
          sink.transcript.language ?? sink.metadata["language"].flatMap(ID3Languages.tag)
        let feed = format.isOfFeeds ? sidecar.feedText(format, language, from: folder) : nil
        transcriptFiles.append(
          json.with(
            .members(["media_type": .text(format.mediaType), "feed": feed.map { .text($0) }])))
      case .silences:
        silenceFiles.append(
          json.with(["silences": .count(sink.output.silences?.found.count ?? 0)]))
      }
    }
    return .file(
      written.path.relative(to: folder),
      [
        "bytes": .integer(written.size),
        "sha256": written.sha256.map { .hexadecimal($0) },
        "codec": .text(sink.format.kind.rawValue),
        "format": .text(sink.formatName),
        "id3": sink.id3Version.map { .text($0.description) },
        "dithered": .boolean(sink.isDithered),
        "sample_rate": .count(written.sampleRate),
        "channels": .text(graph.nodes[sink.node].format.channelLayout.name),
        "frames": .integer(written.frameCount),
        "duration": .time(duration),
        "peak_dbfs": decibels.isFinite ? .number(decibels, decimals: 2) : .null,
        "clipped_samples": .integer(written.clippedSamples),
        "loudness": written.loudness?.json(),
        "normalization": written.correction?.json,
        "conformance": written.conformances.json,
        "copied": written.copied?.json,
        "pictures": written.pictures?.json,
        "metadata": sink.metadata.json,
        "left_out": leftOut(of: sink),
        "chapters": sink.chapters.isEmpty ? nil : .list(sink.chapters.map(\.json)),
        "chapter_files": chapterFiles.isEmpty ? nil : .list(chapterFiles),
        "transcript": sink.wordsJSON,
        "transcript_files": transcriptFiles.isEmpty ? nil : .list(transcriptFiles),
        "silence_files": silenceFiles.isEmpty ? nil : .list(silenceFiles),
      ])
  }
}

extension WrittenSidecar {
  fileprivate func json(_ digest: [UInt8], from folder: FilePath) -> JSONValue {
    .file(
      path.relative(to: folder),
      [
        "format": .text(kind.name), "bytes": .integer(size), "sha256": .hexadecimal(digest),
      ])
  }

  /// The element of a podcast's feed that names the file, by its place beside the record (Podcast
  /// Namespace, "Transcript").
  fileprivate func feedText(
    _ format: TranscriptFormat, _ language: String?, from folder: FilePath
  ) -> String {
    let attributes = [
      ("url", path.reference(from: folder)), ("type", format.mediaType), ("language", language),
    ]
    let written = attributes.compactMap { name, value in
      value.map { " \(name)=\"\(XMLText.escaped($0))\"" }
    }
    return "<podcast:transcript\(written.joined())/>"
  }
}
