import Diagnosis
import JobModel
import MediaComposition
import SystemPackage

/// Which jobs of a run must be done before which: because one writes what another reads, or because
/// a job says so with `needs`.
///
/// Paths are compared as text, made absolute and freed of `.` and `..`. What a split job writes, and
/// what only links show to be one file, is added when it is known.
public struct JobDependencies: Sendable {
  /// Why a job waits for another one.
  public struct Edge: Sendable, Hashable {
    /// What makes it wait.
    public enum Reason: Sendable, Hashable {
      /// The other one writes this file, as the reader calls it.
      case reads(FilePath)
      /// `needs` says so, by this name or group.
      case named(String)
    }
    /// The job that is needed: an index into the run's jobs.
    public var job: Int
    /// What makes it wait.
    public var reason: Reason
    /// Where the file, or the job, is named.
    public var origin: Origin
  }

  /// A source that a job of the run writes.
  public struct Producer: Sendable, Hashable {
    /// The job: an index into the run's jobs.
    public var job: Int
    /// The output, as that job calls it.
    public var output: FilePath

    /// An output of job number `job`.
    public init(job: Int, output: FilePath) {
      self.job = job
      self.output = output
    }
  }

  /// What each job waits for, in the order of the jobs.
  public private(set) var edges: [[Edge]]
  private let currentDirectory: FilePath
  private var readers: [FilePath: [Reader]] = [:]
  private var producers: [FilePath: Producer] = [:]
  private var readOutputs: Set<Producer> = []

  private struct Reader {
    var job: Int
    var path: FilePath
    var origin: Origin
  }

  /// What the jobs themselves show.
  ///
  /// - Parameters:
  ///   - jobs: All jobs of a run.
  ///   - files: The job file that each is of, as any number; `needs` looks for names in its own.
  ///   - currentDirectory: Absolute; relative paths count from it.
  /// - Complexity: O(number of items, outputs and needs of all jobs)
  public init(among jobs: [Job], of files: [Int], currentDirectory: FilePath) {
    self.currentDirectory = currentDirectory
    edges = Array(repeating: [], count: jobs.count)
    var keys: [FilePath: FilePath] = [:]
    for (index, job) in jobs.enumerated() {
      job.forEachMedium { path, origin in
        let known = keys[path] ?? key(path)
        keys[path] = known
        readers[known, default: []].append(Reader(job: index, path: path, origin: origin))
      }
    }
    for (index, job) in jobs.enumerated() where job.split == nil {
      add(job.outputs.map(\.path), of: index)
    }
    guard jobs.contains(where: { !$0.needs.isEmpty }) else { return }
    let names = JobNames(jobs, of: files)
    for (index, job) in jobs.enumerated() {
      for need in job.needs {
        for other in names.jobs(called: need.value, in: files[index]) {
          edges[index].append(Edge(job: other, reason: .named(need.value), origin: need.origin))
        }
      }
    }
  }

  private func key(_ path: FilePath) -> FilePath {
    path.normalized(in: currentDirectory)
  }

  /// Says that job number `job` writes `outputs`.
  ///
  /// - Returns: The jobs that are now known to wait for it, and were not before.
  @discardableResult
  public mutating func add(_ outputs: [FilePath], of job: Int) -> Set<Int> {
    var found: Set<Int> = []
    for output in outputs {
      found.formUnion(add(key(output), Producer(job: job, output: output)))
    }
    return found
  }

  /// Says that the sources called `source` are an output of job number `job`, by whatever links.
  ///
  /// - Returns: As `add`.
  public mutating func add(
    _ source: FilePath, linkedTo output: FilePath, of job: Int
  ) -> Set<Int> {
    add(key(source), Producer(job: job, output: output))
  }

  private mutating func add(_ key: FilePath, _ producer: Producer) -> Set<Int> {
    guard let readers = readers[key], producers[key] == nil else { return [] }
    var found: Set<Int> = []
    producers[key] = producer
    // A job that writes what it reads itself is refused: see `Job.conflicts`.
    for reader in readers where reader.job != producer.job && found.insert(reader.job).inserted {
      edges[reader.job].append(
        Edge(job: producer.job, reason: .reads(reader.path), origin: reader.origin))
    }
    if !found.isEmpty { readOutputs.insert(producer) }
    return found
  }

  /// Who writes what job number `job` reads at `path`; nil where nobody else of this run does.
  public func producer(of path: FilePath, readBy job: Int) -> Producer? {
    guard !producers.isEmpty, let producer = producers[key(path)], producer.job != job else {
      return nil
    }
    return producer
  }

  /// Whether a job of the run writes what others read at `path`.
  public func isWritten(_ path: FilePath) -> Bool {
    !producers.isEmpty && producers[key(path)] != nil
  }

  /// Whether another job reads what job number `job` writes to `output`.
  public func isRead(_ output: FilePath, of job: Int) -> Bool {
    readOutputs.contains(Producer(job: job, output: output))
  }
}

// MARK: - Order

extension JobDependencies {
  /// The jobs in an order in which each comes after those that it waits for, and what is wrong where
  /// there is none. Without needs it is the order of the list.
  ///
  /// - Parameter jobs: Those of `init`, for their names.
  /// - Returns: All jobs; of those in a circle one comes first, and an error tells the circle whole.
  /// - Complexity: O(jobs + edges)
  public func order(of jobs: [Job]) -> (order: [Int], circles: [Diagnostic]) {
    guard edges.contains(where: { !$0.isEmpty }) else { return (Array(jobs.indices), []) }
    var order: [Int] = []
    order.reserveCapacity(jobs.count)
    var circles: [Diagnostic] = []
    var isDone = [Bool](repeating: false, count: jobs.count)
    /// How deep in the path to the current job each one is.
    var depth = [Int?](repeating: nil, count: jobs.count)
    for root in jobs.indices where !isDone[root] {
      // Chains may be as long as the list: no recursion.
      var path = [(job: root, next: 0)]
      depth[root] = 0
      while let (job, next) = path.last {
        guard next < edges[job].count else {
          path.removeLast()
          depth[job] = nil
          isDone[job] = true
          order.append(job)
          continue
        }
        path[path.count - 1].next += 1
        let needed = edges[job][next].job
        if let start = depth[needed] {
          circles.append(circle(path[start...].map { ($0.job, edges[$0.job][$0.next - 1]) }, jobs))
        } else if !isDone[needed] {
          depth[needed] = path.count
          path.append((needed, 0))
        }
      }
    }
    return (order, circles)
  }

  /// Each job of a circle with the edge to the next one.
  private func circle(_ steps: [(job: Int, edge: Edge)], _ jobs: [Job]) -> Diagnostic {
    let first = steps.indices.min { steps[$0].job < steps[$1].job } ?? 0
    let steps = steps[first...] + steps[..<first]
    var names = steps.prefix(8).map { "'\(jobs[$0.edge.job].name)'" }
    if steps.count > 8 {
      names += ["… (\(steps.count - 8) more)", "'\(jobs[steps[first].job].name)'"]
    }
    let rest = names.dropFirst().map { ", which needs \($0)" }.joined()
    let notes = steps.dropFirst().map { step in
      let what =
        switch step.edge.reason {
        case .reads(let path): "reads '\(path)', which '\(jobs[step.edge.job].name)' writes,"
        case .named(let name): "needs '\(name)'"
        }
      return Diagnostic.Note("'\(jobs[step.job].name)' \(what) here", at: step.edge.origin)
    }
    guard let start = steps.first else { return Diagnostic("a circle of jobs", at: .unknown) }
    return Diagnostic(
      "no job can be the first: '\(jobs[start.job].name)' needs \(names[0])\(rest)",
      at: start.edge.origin, help: "let one of them read something else, or need nothing",
      notes: notes)
  }
}

// MARK: - Names

/// The jobs of a run by their names, and by the groups that they are of.
public struct JobNames: Sendable {
  private struct Name: Hashable {
    var file: Int
    var text: String
  }
  private var indices: [Name: [Int]] = [:]

  /// The names of `jobs`; `files` says which file each is of.
  public init(_ jobs: [Job], of files: [Int]) {
    for (index, job) in jobs.enumerated() {
      indices[Name(file: files[index], text: job.name), default: []].append(index)
      guard job.group != job.name else { continue }
      indices[Name(file: files[index], text: job.group), default: []].append(index)
    }
  }

  /// The jobs of a file that a name means: one, or all of a group.
  public func jobs(called name: String, in file: Int) -> [Int] {
    indices[Name(file: file, text: name)] ?? []
  }

  /// Every name and group, in no order.
  var all: Set<String> { Set(indices.keys.map(\.text)) }

  /// What was perhaps meant by a name that there is not, as a help: the nearest one, or some of
  /// all.
  ///
  /// - Complexity: O(n · log n)
  public func help(for name: String) -> String {
    Self.help(for: name, among: all.sorted())
  }

  static func help(for name: String, among names: [String]) -> String {
    if let nearest = Spelling.nearest(to: name, among: names) {
      return "did you mean '\(nearest)'?"
    }
    let shown = names.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
    return names.count == 1
      ? "the only one is \(shown)" : "there are \(shown)\(names.count > 10 ? " …" : "")"
  }
}

extension Job {
  /// Whether `text` is its name or its group, or a pattern of one: `*` stands for any characters.
  public func isCalled(_ text: String) -> Bool {
    name == text || group == text || text.contains("*") && (fits(name, text) || fits(group, text))
  }

  private func fits(_ name: String, _ pattern: String) -> Bool {
    let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = pieces.first, let last = pieces.last, name.hasPrefix(first) else {
      return false
    }
    // Each piece as early as it can be leaves most to the next.
    var rest = name.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let range = rest.firstRange(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.count >= last.count && rest.hasSuffix(last)
  }
}
