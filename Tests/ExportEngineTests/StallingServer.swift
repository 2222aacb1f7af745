import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestNetwork
import TestSupport
import Testing

/// A server with one WAV of noise, which answers as long, or as little, as a test wants.
///
/// No other server has its addresses: a later one may get the port of one that has ended, and the cache
/// would still have that one's sound.
final class StallingServer: Sendable {
  /// The sound: 48 kHz, mono, 16 bits.
  let file: FilePath
  let bytes: [UInt8]
  let library = MediaLibrary()
  /// Where exports write to.
  let outputs = TestFolder()
  /// The cache of this process's tests.
  let cache: TestFolder
  private let folder = TestFolder()
  /// No other server's.
  private let name: String
  private let server: FaultServer

  init(seconds: Int = 12) throws {
    cache = try TestNetwork.prepare()
    let count = seconds * 96_000
    func number(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("RIFF".utf8) + number(count + 36) + Array("WAVEfmt ".utf8) + number(16)
    bytes += [1, 0, 1, 0] + number(48_000) + number(96_000) + [2, 0, 16, 0] + Array("data".utf8)
    bytes += number(count)
    var dice = Dice(46)
    bytes += dice.bytes(count)
    name = "noise-\(folder.root.suffix(6)).wav"
    (self.bytes, file) = (bytes, FilePath(folder.path(name)))
    try writeFile(file.string, bytes)
    server = try FaultServer(of: folder)
  }

  /// The sound's address with a fault of `Tests/Servers/fault_server.py`.
  func url(_ fault: String) throws(Failure) -> MediaURL {
    let text = "http://127.0.0.1:\(server.port)/\(fault)/\(name)"
    do throws(MediaURLError) {
      return try MediaURL(text)
    } catch {
      throw Failure(.reportBug, error.fault)
    }
  }

  func location(_ fault: String) throws(Failure) -> MediaLocation { .remote(try url(fault)) }

  /// Ends a fault for later requests.
  func heal(_ fault: String) throws { try server.heal("/\(fault)/\(name)") }

  /// How often the server was asked for the sound with a fault.
  func requestCount(_ fault: String) throws -> Int {
    try server.requests(for: "/\(fault)/\(name)").count
  }

  /// Waits until the server was asked for the sound with a fault.
  func waitForRequest(_ fault: String) async throws {
    while try requestCount(fault) == 0 { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// A session that writes the asset at an address.
  func session(_ fault: String, loudness: LoudnessTarget? = nil) async throws(Failure)
    -> ExportSession
  {
    let asset = try await library.loadAsset(at: location(fault))
    do throws(EditError) {
      var export = Export(
        name: "noise", composition: try Composition(asset),
        outputs: [Output(path: FilePath(outputs.path("out.wav")), format: .wav(.int16))])
      export.loudness = loudness
      return ExportSession(export, library: library)
    } catch {
      throw Failure(.reportBug, "\(error)")
    }
  }
}
