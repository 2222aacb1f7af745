import Diagnosis
import ExportEngine
import Glibc
import JSON
import MediaComposition
import MediaTime
import RunPlan
import SystemPackage

/// Why a document is none of avjob's reports or events.
struct ForeignDocument: Error {
  /// The member that is missing or of another kind.
  let member: String
}

extension RunReport {
  /// A report as `JSONReport` has written it; members that are new since then are left out.
  ///
  /// - Throws: For a document that is no report.
  /// - Complexity: O(length)
  init(_ document: JSONValue) throws(ForeignDocument) {
    guard try document.required("version", \.integer) <= Int64(JSONReport.version) else {
      throw ForeignDocument(member: "version")
    }
    let machine = try document.required("machine") { $0 }
    versions = try document.required("versions") { $0.members }
      .map { ($0.name, $0.value.text ?? "") }
    system = try machine.required("system", \.text)
    cores = Int(try machine.required("cores", \.integer))
    files = try document.required("files", \.elements).compactMap(\.text)
    started = try document.required("started") { $0.text.flatMap(Timestamp.init) }
    elapsed = try document.required("elapsed", \.elapsed)
    exitStatus = Int32(clamping: try document.required("exit_status", \.integer))
    if let value = document["shard"] {
      let number = (try value.count("number"), try value.count("count"))
      guard let known = try? Shard("\(number.0)/\(number.1)") else {
        throw ForeignDocument(member: "shard")
      }
      (shard, deal) = (known, value["deal"]?.text)
    }
    if let value = document["shards"] {
      let count = try value.count("count")
      guard 1...Shard.largestCount ~= count else { throw ForeignDocument(member: "shards") }
      shards = Shards(
        count: count,
        missing: try value.required("missing", \.elements).compactMap { $0.integer.map { Int($0) } }
      )
    }
    messages = try document.list("messages", Message.init)
    jobs = try document.list("jobs", Job.init)
    if document["manifests"] != nil {
      manifests = try document.list("manifests", Manifest.init)
    }
  }
}

extension RunReport.Job {
  init(_ value: JSONValue) throws(ForeignDocument) {
    let name = try value.required("name", \.text)
    self.init(name: name, job: value["job"]?.text ?? name, place: Place(value))
    if let number = value["number"]?.integer {
      order = WorkOrder(job: Int(number), part: Int(value["part"]?.integer ?? 1))
    }
    status = try value.required("status") { $0.text.flatMap(RunReport.Status.init) }
    (blockedBy, reason) = (value["blocked_by"]?.text, value["reason"]?.text)
    attempts = try value.count("attempts")
    start = value["start"]?.elapsed
    elapsed = start.flatMap { _ in value["elapsed"]?.elapsed } ?? .zero
    if value["tries"] != nil { tries = try value.list("tries", RunReport.Try.init) }
    inputs = try value.list("inputs", RunReport.Input.init)
    outputs = try value.list("outputs", RunReport.Output.init)
    messages = try value.list("messages", RunReport.Message.init)
  }
}

extension RunReport.Try {
  init(_ value: JSONValue) throws(ForeignDocument) {
    self.init(
      start: try value.required("start", \.elapsed),
      elapsed: try value.required("elapsed", \.elapsed),
      end: value["end"]?.text.flatMap(Ending.init))
  }
}

extension RunReport.Input {
  init(_ value: JSONValue) throws(ForeignDocument) {
    self.init(
      place: .object(value.members.filter { ["path", "path_hex", "url"].contains($0.name) }),
      stream: value["stream"] == nil ? nil : try value.count("stream"),
      container: try value.required("container", \.text),
      codec: try value.required("codec", \.text), sampleRate: try value.count("sample_rate"),
      channels: try value.required("channels", \.text),
      frameCount: try value.required("frames", \.integer))
  }
}

extension RunReport.Output {
  init(_ value: JSONValue) throws(ForeignDocument) {
    self.init(
      path: try value.path(), format: try value.required("format", \.text),
      bytes: value["bytes"]?.integer)
    guard let frames = value["frames"]?.integer else { return }
    sound = RunReport.Sound(
      sampleRate: try value.count("sample_rate"), channelCount: try value.count("channel_count"),
      layout: value["channels"]?.text, frameCount: frames,
      peak: value["peak_dbfs"]?.number, hasPeak: value["peak_dbfs"] != nil,
      clippedSamples: try value.required("clipped_samples", \.integer),
      sha256: value["sha256"]?.text,
      facts: .object(value.members.filter { RunReport.Sound.factNames.contains($0.name) }))
  }
}

extension RunReport.Message {
  init(_ value: JSONValue) throws(ForeignDocument) {
    let severity = try value.required("severity") {
      $0.text.flatMap(Diagnostic.Severity.init)
    }
    let message = try value.required("message", \.text)
    var diagnostic = Diagnostic(severity, message, at: .unknown)
    diagnostic.remedy =
      Failure.Remedy.allCases.first { $0.className == value["class"]?.text } ?? .mendJob
    diagnostic.help = value["help"]?.text
    let place = Place(value)
    if place == nil { diagnostic.file = value["file"]?.text }
    self.init(diagnostic: diagnostic, place: place, screen: "")
    screen = screen(excerpt: value["excerpt"]?.text)
  }

  /// The lines of the screen below the first one; nil where there are none.
  var excerpt: String? {
    screen.firstIndex(of: "\n").map { String(screen[$0...].dropFirst()) }
  }

  /// The screen where the message names its job: many may stand at one place.
  func screen(of job: String) -> String {
    var copy = self
    copy.diagnostic.message = "'\(job)': \(diagnostic.message)"
    return copy.screen(excerpt: excerpt)
  }

  private func screen(excerpt: String?) -> String {
    var headline = diagnostic
    headline.help = nil
    let lines = [(place?.prefix ?? "") + headline.render(in: SourceMap()), excerpt]
    return lines.compactMap(\.self).joined(separator: "\n")
  }
}

extension Place {
  fileprivate init?(_ value: JSONValue) {
    guard let file = value["file"]?.text, let line = value["line"]?.integer,
      let column = value["column"]?.integer
    else { return nil }
    self.init(file: file, line: Int(line), column: Int(column))
  }
}

extension Timestamp {
  /// A moment as `text` has it; nil for any other text.
  init?(_ text: String) {
    let numbers = text.split { "-T:.Z".contains($0) }.compactMap { Int32($0) }
    guard numbers.count == 7 else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    self.init(seconds: Int64(timegm(&parts)), milliseconds: Int(numbers[6]))
    guard self.text == text else { return nil }
  }
}

extension JSONValue {
  /// Seconds of work, up to some centuries.
  var elapsed: Duration? {
    number.flatMap { abs($0) < 1e10 ? .milliseconds(Int64(($0 * 1000).rounded())) : nil }
  }

  /// A member that must be there.
  func required<Value>(
    _ name: String, _ read: (JSONValue) -> Value?
  ) throws(ForeignDocument) -> Value {
    guard let value = self[name].flatMap(read) else { throw ForeignDocument(member: name) }
    return value
  }

  /// A number of things.
  func count(_ name: String) throws(ForeignDocument) -> Int {
    try required(name) { $0.integer.flatMap { Int32(exactly: $0) }.map { Int($0) } }
  }

  /// The elements of a list that must be there.
  func list<Element>(
    _ name: String, _ read: (JSONValue) throws(ForeignDocument) -> Element
  ) throws(ForeignDocument) -> [Element] {
    var elements: [Element] = []
    for value in try required(name, \.elements) { elements.append(try read(value)) }
    return elements
  }

  /// The path of an object that begins with one (`JSONValue.file`).
  func path() throws(ForeignDocument) -> FilePath {
    guard let digits = self["path_hex"]?.text else {
      return FilePath(try required("path", \.text))
    }
    let nibbles = digits.compactMap { $0.isASCII ? $0.hexDigitValue.map { UInt8($0) } : nil }
    guard nibbles.count == digits.count, nibbles.count % 2 == 0 else {
      throw ForeignDocument(member: "path_hex")
    }
    return FilePath(
      bytes: stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] })
  }
}
