import Diagnosis
import ExportEngine
import JSON
import MediaComposition
import SystemPackage

/// The report for people's eyes: a page that opens anywhere, with the JSON report within it.
enum HTMLReport {
  /// Bytes of data in a page, about: browsers open it in a second or two.
  static let sizeLimit = 18_000_000
  /// Bytes of all graphs in a page together, about.
  private static let graphLimit = 6_000_000
  /// Of a node, about.
  private static let nodeSize = 250
  /// Nodes of a graph that is still a picture.
  private static let mostNodes = 2000

  /// The whole page, which will be at `path`: media are linked from there. O(length).
  static func text(_ report: RunReport, at path: FilePath) -> String {
    let links = PageLinks(from: path)
    let values = JSONReport.json(report)["jobs"]?.elements ?? []
    var jobs: [JSONValue] = []
    for detail in Detail.allCases {
      jobs = zip(report.jobs, values).map { job, value in
        self.job(value, of: job, detail, links)
      }
      if size(of: jobs) < sizeLimit { break }
    }
    let leftOut = cut(&jobs, report)
    if leftOut == 0 { addGraphs(of: report.jobs, to: &jobs) }
    let document = JSONReport.json(report).replacing("jobs", by: .list(jobs))
    let data: JSONValue = [
      "kind": "run", "jobs_left_out": .count(leftOut), "report": document,
    ]
    let name = report.files.first.flatMap { FilePath($0).lastComponent?.string } ?? "run"
    return Page(title: "\(name): \(report.summary)", summary: report.summary, data: data.line).text
  }

  /// How much a page has of each output; less where there are many.
  private enum Detail: Int, CaseIterable {
    case all
    /// Half the columns, no joins but those with flaws, few words, and no pictures.
    case half
    /// A quarter of the columns, few joins, and no words.
    case quarter

    /// Joins of an output, at most.
    var mostJoins: Int { self == .quarter ? 24 : .max }

    /// Cues of an output, at most.
    var mostCues: Int {
      switch self {
      case .all: .max
      case .half: 500
      case .quarter: 0
      }
    }
  }

  private static func size(of jobs: [JSONValue]) -> Int {
    // A job at a time: their text is needed once more.
    jobs.reduce(0) { $0 + $1.line.utf8.count }
  }

  private static func job(
    _ value: JSONValue, of job: RunReport.Job, _ detail: Detail, _ links: PageLinks
  ) -> JSONValue {
    let outputs = zip(job.outputs, value["outputs"]?.elements ?? []).map { output, value in
      self.output(value, of: output, detail, links)
    }
    return value.replacing("outputs", by: .list(outputs))
  }

  private static func output(
    _ value: JSONValue, of output: RunReport.Output, _ detail: Detail, _ links: PageLinks
  ) -> JSONValue {
    var value = value
    if detail != .all, let sound = output.sound {
      if let joins = sound.facts["picture_joins"] {
        value = value.replacing("picture_joins", by: joins.undrawn)
      }
      if let cues = sound.facts["cues"]?.elements {
        value = value.replacing("cues", by: .list(Array(cues.prefix(detail.mostCues))))
      }
      let factor = detail == .half ? 2 : 4
      if let overview = sound.facts["overview"].flatMap(SoundOverview.init) {
        value = value.replacing("overview", by: overview.thinned(by: factor).json)
      }
      if let joins = sound.facts["joins"]?.elements {
        let kept = joins.filter { $0["flaws"]?.elements?.isEmpty == false }.prefix(detail.mostJoins)
        value = value.replacing("joins", by: .list(Array(kept)))
          .with(["joins_left_out": .count(joins.count - kept.count)])
      }
    }
    let cover = output.sound?.facts["cover"]?.text
    return value.with(
      .members([
        "href": .text(links.link(to: output.path)),
        "cover_href": cover.map { .text(links.link(to: FilePath($0))) },
      ]))
  }

  /// Leaves out jobs that need no attention until the page is small enough; gives their number.
  private static func cut(_ jobs: inout [JSONValue], _ report: RunReport) -> Int {
    let sizes = jobs.map { $0.line.utf8.count }
    var excess = sizes.reduce(0, +) - sizeLimit
    guard excess > 0 else { return 0 }
    // Warnings, those of joins among them, need attention, too.
    let needy = { (job: RunReport.Job) in
      ![.done, .upToDate].contains(job.status) || !job.messages.isEmpty
    }
    let order = report.jobs.indices.sorted { one, other in
      let both = (needy(report.jobs[one]) ? 1 : 0, needy(report.jobs[other]) ? 1 : 0)
      return both.0 == both.1 ? one > other : both.0 < both.1
    }
    var removed: Set<Int> = []
    for index in order where excess > 0 {
      removed.insert(index)
      excess -= sizes[index]
    }
    jobs = jobs.indices.filter { !removed.contains($0) }.map { jobs[$0] }
    return removed.count
  }

  /// Adds graphs in the order of the jobs, as many as there is room for.
  private static func addGraphs(of planned: [RunReport.Job], to jobs: inout [JSONValue]) {
    var room = min(graphLimit, sizeLimit - size(of: jobs)) / nodeSize
    for (index, job) in planned.enumerated() {
      guard let graph = job.graph, graph.nodeCount <= mostNodes, graph.nodeCount <= room else {
        continue
      }
      room -= graph.nodeCount
      jobs[index] = jobs[index].with(["graph": graph.nodes()])
    }
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
    return link.components.map { FilePath(root: nil, [$0]).bytes.percentEncoded() }
      .joined(separator: "/")
  }
}
