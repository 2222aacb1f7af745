import ExportEngine
import JSON
import MediaComposition
import SystemPackage

/// The report for people's eyes: a page that opens anywhere, with the JSON report within it.
enum HTMLReport {
  /// Bytes that a page takes, about: browsers open it in a second or two.
  static let sizeLimit = 18_000_000

  /// The whole page, which will be at `path`: media are linked from there. O(length).
  static func text(_ report: RunReport, at path: FilePath) -> String {
    let document = JSONReport.json(report)
    var data = ""
    for detail in Detail.allCases {
      data = json(report, document, detail, PageLinks(from: path)).line
      if data.utf8.count < sizeLimit { break }
    }
    let name = report.files.first.flatMap { FilePath($0).lastComponent?.string } ?? "run"
    return Page(title: "\(name): \(report.summary)", summary: report.summary, data: data).text
  }

  /// How much a page has of each job; less where there are many.
  private enum Detail: Int, CaseIterable {
    case all
    /// No graphs.
    case drawings
    /// Waveforms by half the columns, and no joins but those with flaws.
    case sketches
    /// A quarter of the columns.
    case outlines
  }

  private static func json(
    _ report: RunReport, _ document: JSONValue, _ detail: Detail, _ links: PageLinks
  ) -> JSONValue {
    let jobs = zip(report.jobs, document["jobs"]?.elements ?? []).map { job, value in
      let outputs = zip(job.outputs, value["outputs"]?.elements ?? []).map { output, value in
        self.output(value, of: output, detail, links)
      }
      let graph = detail == .all ? job.graph() : nil
      return value.replacing("outputs", by: .list(outputs)).with(.members(["graph": graph]))
    }
    return ["kind": "run", "report": document.replacing("jobs", by: .list(jobs))]
  }

  private static func output(
    _ value: JSONValue, of output: RunReport.Output, _ detail: Detail, _ links: PageLinks
  ) -> JSONValue {
    var value = value
    if detail.rawValue >= Detail.sketches.rawValue, let sound = output.sound {
      let factor = detail == .sketches ? 2 : 4
      if let overview = sound.overview.flatMap(SoundOverview.init) {
        value = value.replacing("overview", by: overview.thinned(by: factor).json)
      }
      if let joins = sound.joins?.elements {
        let flawed = joins.filter { $0["flaws"]?.elements?.isEmpty == false }
        value = value.replacing("joins", by: .list(flawed))
          .with(["joins_left_out": .count(joins.count - flawed.count)])
      }
    }
    let cover = output.sound?.cover?.text
    return value.with(
      .members([
        "href": .text(links.link(to: output.path)),
        "cover_href": cover.map { .text(links.link(to: FilePath($0))) },
      ]))
  }
}

extension JSONValue {
  /// This object with another value for one of its members, which stays where it is.
  fileprivate func replacing(_ name: String, by value: JSONValue) -> JSONValue {
    .object(members.map { $0.name == name ? Member(name, value) : $0 })
  }
}

/// Addresses of files as a page has them that lies in a folder: relative, so that both can move.
struct PageLinks {
  private let folder: FilePath

  /// Links from a page at `path`.
  init(from path: FilePath) { folder = path.removingLastComponent() }

  /// The address of a file (RFC 3986, §4.2).
  func link(to path: FilePath) -> String {
    let link = path.relative(to: folder, in: .current)
    return link.components.map { Self.escaped($0.string) }.joined(separator: "/")
  }

  private static func escaped(_ name: String) -> String {
    name.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
