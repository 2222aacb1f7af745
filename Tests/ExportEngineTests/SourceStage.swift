import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestNetwork
import TestSupport

@testable import ExportEngine

/// Media as files and as sources of the program's own.
struct SourceStage {
  let library = MediaLibrary()
  let folder = TestFolder()

  init() throws { try TestNetwork.prepare() }

  /// A file of some seconds of noise, by FFmpeg's arguments.
  func file(_ name: String, seconds: Int = 4, _ arguments: [String]) throws -> String {
    let path = folder.path(name)
    try Tool.encodeNoise(to: path, seconds: seconds, arguments)
    return path
  }

  /// The sound of a medium as it is, by channel.
  func sound(
    at location: MediaLocation, from start: Time = .zero, duration: Time? = nil,
    in library: MediaLibrary? = nil
  ) throws -> [[Float]] {
    let library = library ?? self.library
    let asset = try library.asset(at: location)
    var composition = Composition()
    let range = TimeRange(start: start, duration: duration ?? asset.duration - start)
    try composition.insertTimeRange(range, of: asset, at: .zero)
    let export = Export(
      name: "sound", composition: composition,
      outputs: [Output(path: "sound.wav", format: .wav(.float32))])
    let graph = try ExportSession(export, library: library).graph()
    return try Renderer(graph, library: library).samples(of: graph.sinks[0].node)
  }

  /// The file of a medium's export from a moment on, copied where its packets can be.
  func export(
    _ location: MediaLocation, as request: Output.Request, to name: String,
    from start: Time = .zero
  ) throws -> [UInt8] {
    let asset = try library.asset(at: location)
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: start, duration: asset.duration - start), of: asset, at: .zero)
    var output = Output(path: FilePath(folder.path(name)), request: request)
    if case .copied = request { output.copying = Output.Copying() }
    let export = Export(name: "export", composition: composition, outputs: [output])
    _ = try ExportSession(export, library: library).run()
    return try readFile(output.path.string)
  }
}
