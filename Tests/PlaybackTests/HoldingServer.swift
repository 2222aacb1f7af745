import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import Synchronization
import SystemPackage
import TestNetwork
import TestSupport
import Threads

@testable import Playback

/// `Tests/Servers/fault_server.py` with one WAV, some bytes of which it holds back until it is told.
final class HoldingServer: Sendable {
  /// The sound: 48 kHz, stereo, 16 bits of noise.
  let file: FilePath
  let size: Int
  let library = MediaLibrary()
  private let folder = TestFolder()
  private let process: Mutex<ChildProcess>
  private let port: Int

  /// A server of some seconds of sound.
  init(seconds: Int) throws {
    try TestNetwork.prepare()
    var dice = Dice(UInt64(seconds))
    let count = seconds * 48_000 * 4
    var bytes = [UInt8]("RIFF".utf8) + Self.number(count + 36) + [UInt8]("WAVEfmt ".utf8)
    bytes += Self.number(16) + [1, 0, 2, 0] + Self.number(48_000) + Self.number(192_000)
    bytes += [4, 0, 16, 0] + [UInt8]("data".utf8) + Self.number(count)
    bytes += dice.bytes(count)
    (size, file) = (bytes.count, FilePath(folder.path("noise.wav")))
    try writeFile(file.string, bytes)
    let script = Fixture.path("../Tests/Servers/fault_server.py")
    let child = try ChildProcess.spawn(
      "/usr/bin/python3", arguments: [script, folder.root, "--until-eof"])
    guard case .line(let line) = child.readLine(within: .seconds(60)),
      let port = Int(String(decoding: line, as: UTF8.self))
    else { throw ToolFailure(description: "no server: \(child.lastComplaints(5))") }
    self.port = port
    process = Mutex(child)
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The sound's address with a fault.
  ///
  /// No other server has it: a later one may get the port of one that has ended, and the cache would
  /// still have that one's sound, of which nothing is held back.
  func url(_ fault: String) throws -> MediaURL {
    try MediaURL("http://127.0.0.1:\(port)/\(fault)\(file)")
  }

  /// An item of it.
  func item(_ fault: String) throws -> PlayerItem {
    try PlayerItem(contentsOf: .remote(try url(fault)), library: library)
  }

  /// An item of which all whole blocks before a byte are loaded: a busy machine stalls nowhere before it.
  func item(_ fault: String, loadedTo end: Int) throws -> PlayerItem {
    let (item, location) = (try item(fault), MediaLocation.remote(try url(fault)))
    let download = library.download(location)
    try wait(until: "the blocks before byte \(end) are loaded") {
      try library.loadedRanges(of: location).first?.upperBound ?? 0 >= end / 16_384 * 16_384
    }
    withExtendedLifetime(download) {}
    return item
  }

  /// The same sound as a file.
  func exported() throws -> [Float] {
    try PlayerItem(contentsOf: file, library: library).exported()
  }

  /// Sends what is held back; up to a byte, if there is one.
  func release(upTo limit: Int? = nil) throws {
    try ask(limit.map { "_release/\($0)" } ?? "_release")
  }

  /// Sends nothing any more.
  func breakOff() throws { try ask("_break") }

  private func ask(_ path: String) throws {
    let script = "import sys, urllib.request as r; r.urlopen(sys.argv[1]).read()"
    let result = try Tool.run([
      "/usr/bin/python3", "-c", script, "http://127.0.0.1:\(port)/\(path)",
    ])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
  }
}
