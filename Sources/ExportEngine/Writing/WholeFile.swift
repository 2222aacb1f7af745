import Diagnosis
import ExportGraph
import Files
import MediaComposition
import SystemPackage

/// A file whose bytes are all known before it is written.
package enum WholeFile {
  /// Checks a file before work starts, without changing the disk.
  ///
  /// - Throws: As `OutputFile.requireWritable`, and where the file is hidden and none may be.
  package static func requireWritable(
    _ path: FilePath, seeing folders: inout FolderCache
  ) throws(Failure) {
    // Git, shells and CI systems do what hidden files say.
    if Confinement.hidesName(of: path) { throw .hidden(path) }
    try OutputFile.requireWritable(path, seeing: &folders)
  }

  /// Writes a file that is whole at any time.
  ///
  /// - Parameters:
  ///   - bytes: All of it.
  ///   - path: Where it will be; missing folders are made.
  ///   - replaced: Which file there is replaced.
  /// - Returns: What it is on the disk.
  /// - Throws: The system's error, and where a file there is not to be replaced.
  package static func write(
    _ bytes: [UInt8], to path: FilePath, replacing replaced: ExportSession.ReplacedFiles
  ) throws(Failure) -> FileIdentity? {
    let file = try OutputFile.create(at: path)
    do throws(Failure) {
      try file.put(bytes, at: 0)
      try file.flush()
      try file.commit(replacing: replaced)
    } catch {
      throw error.about(path)
    }
    return file.identity
  }
}

extension ExportSession {
  /// The line of one of its outputs in a list of files. O(1) once the graph is compiled.
  ///
  /// - Throws: Why there is no graph.
  package func line(
    ofOutput output: Int, saying utterance: Utterance
  ) throws(Failure) -> DataSetManifest.Line {
    let graph = try graph()
    let sink = graph.sinks[output]
    return DataSetManifest.Line(
      path: sink.output.path, frameCount: Int64(sink.frames.count),
      sampleRate: graph.nodes[sink.node].format.sampleRate, utterance: utterance)
  }
}
