import Glibc
import Synchronization
import Threads

/// `Tests/Servers/fault_server.py`, whose head lists the faults; it ends with this object.
public final class FaultServer: Sendable {
  /// On the loopback.
  public let port: Int
  /// Kept as long as it is served.
  private let folder: TestFolder?
  private let process: Mutex<ChildProcess>

  /// A server of a folder's files, with TLS if there are a certificate and a key.
  ///
  /// - Throws: `ToolFailure`, `ChildProcess.SystemError`
  public convenience init(of folder: TestFolder, tls: [String] = []) throws {
    try self.init(folder: folder.root, kept: folder, tls: tls)
  }

  /// A server of the files in `Fixtures`.
  ///
  /// - Throws: `ToolFailure`, `ChildProcess.SystemError`
  public static func ofFixtures() throws -> FaultServer {
    try FaultServer(folder: Fixture.path(""), kept: nil, tls: [])
  }

  private init(folder: String, kept: TestFolder?, tls: [String]) throws {
    let script = Fixture.path("../Tests/Servers/fault_server.py")
    let arguments = [script, folder, "--until-eof"] + (tls.isEmpty ? [] : ["--tls"] + tls)
    let child = try ChildProcess.spawn("/usr/bin/python3", arguments: arguments)
    guard case .line(let line) = child.readLine(within: .seconds(60)),
      let port = Int(String(decoding: line, as: UTF8.self))
    else { throw ToolFailure(description: "no server: \(child.lastComplaints(5))") }
    (self.port, self.folder) = (port, kept)
    process = Mutex(child)
  }

  /// The requests whose path ends in `name`, in their order: the fields of their records.
  ///
  /// - Throws: `ToolFailure` where the server does not answer.
  public func requests(for name: String) throws -> [[String: String]] {
    try requests().filter { $0["path"]?.hasSuffix(name) == true }
  }

  /// All requests, in their order: the fields of their records.
  ///
  /// - Throws: `ToolFailure` where the server does not answer.
  public func requests() throws -> [[String: String]] { Self.records(try get("/_counts")) }

  /// Ends the faults of a path, which begins with a slash.
  ///
  /// - Throws: `ToolFailure` where the server does not answer.
  public func heal(_ path: String) throws { _ = try get("/_heal" + path) }

  /// Sends what is held back.
  ///
  /// - Throws: `ToolFailure` where the server does not answer.
  public func release() throws { _ = try get("/_release") }

  /// What the server answers, its head included; it is asked without TLS.
  private func get(_ path: String) throws -> [UInt8] {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
    }
    let request = Array(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard status == 0, send(socket, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else {
      throw ToolFailure(description: "the server does not answer")
    }
    var answer: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = recv(socket, &block, block.count, 0), count > 0 {
      answer += block[..<count]
    }
    return answer
  }

  /// A list of objects whose values are texts and numbers, as Python writes it, behind a head without
  /// a bracket.
  private static func records(_ json: [UInt8]) -> [[String: String]] {
    var records: [[String: String]] = []
    var words: [String] = []
    var word = ""
    var (isText, isEscaped) = (false, false)
    for character in String(decoding: json.drop { $0 != UInt8(ascii: "[") }, as: UTF8.self) {
      if isEscaped {
        word.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isText.toggle()
      } else if isText {
        word.append(character)
      } else if character == "}" {
        words.append(word)
        var record: [String: String] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) {
          record[words[index]] = words[index + 1]
        }
        records.append(record)
        (words, word) = ([], "")
      } else if character == ":" || character == ",", !word.isEmpty {
        words.append(word)
        word = ""
      } else if character.isLetter || character.isNumber || character == "-" {
        word.append(character)
      }
    }
    return records
  }
}
