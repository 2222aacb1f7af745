import Diagnosis
import ExportEngine
import MediaComposition
import RunPlan
import SystemPackage

/// A run that is dealt out among machines: what its engine is to start, and how much of a machine each
/// shard takes.
package struct ShardedRun: Sendable {
  /// For people, of letters, digits and hyphens: `avjob-podcast`.
  package var name: String
  /// The words behind `avjob run`: options and job files, as they were given.
  package var words: [String]
  /// How many there are, from 1.
  package var shards: Int
  /// Of each shard's machine.
  package var cores: Int
  /// Bytes that each shard takes, at most.
  package var memory: Int
  /// Where outputs are: folders, or files where these are in no folder. Of many, the outermost
  /// folders.
  package var outputs: [String]
  /// What is found out for reports alone.
  package var examination: ExportSession.Examination = []

  /// Bytes of a process that runs nothing.
  private static let base = 128 << 20

  /// A run of `work` that is dealt out among `shards` machines of `cores` cores, where as many pieces
  /// run at once as there are cores.
  ///
  /// - Parameters:
  ///   - work: What is going to run, each piece with its shard.
  ///   - file: The first job file, by which it is called.
  ///   - words: The words behind `avjob run`.
  ///   - shards: How many machines there are.
  ///   - cores: Of each.
  /// - Complexity: O(n log n)
  package init(_ work: [Work], of file: String, words: [String], shards: Int, cores: Int) {
    name = Self.name(of: file)
    (self.words, self.shards, self.cores) = (words, shards, cores)
    outputs = Self.places(of: work)
    let most = Dictionary(grouping: work, by: \.shard).values.map { pieces in
      pieces.map(\.resources.memory).sorted(by: >).prefix(cores).reduce(0, +)
    }.max()
    memory = Self.base + (most ?? 0)
  }

  private static func places(of work: [Work]) -> [String] {
    let paths = work.flatMap { $0.export.outputs.map(\.path) }.map { path in
      path.components.count > 1 ? path.removingLastComponent() : path
    }
    let all = Set(paths.map { $0.lexicallyNormalized().string })
    guard all.count > 20 else { return all.sorted() }
    return Set(
      all.map {
        ($0.startsWithScalars("/") ? "/" : "") + ($0.splitScalars(at: "/").first ?? "")
      }
    ).sorted()
  }

  /// In whole steps of 256 MiB, as engines are asked for it.
  package var mebibytes: Int { (memory + (256 << 20) - 1) / (256 << 20) * 256 }

  /// `avjob-podcast` for `jobs/Podcast.yaml`: a label of DNS (RFC 1123), which all engines take.
  private static func name(of file: String) -> String {
    let stem = file.split(separator: "/").last?.split(separator: ".").first ?? ""
    let words = stem.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return (["avjob"] + words).joined(separator: "-").prefix(50)
      .trimmingSuffix { $0 == "-" }
  }

  /// The command by which a shell runs a shard. All that is given here are words of the shell.
  func command(
    _ program: String = "avjob", shard: String, reports: [String], options: [String] = []
  ) -> String {
    let options =
      ["run", "--shard", shard] + reports.flatMap { ["--report", $0] } + options
    return ([program] + options + words.map(EngineText.shellWord)).joined(separator: " ")
  }

  /// The command by which a shell checks the jobs, which may be a stranger's: below the folder that it
  /// is run in, unless they were given another one. There is none for jobs with variables of the
  /// environment: a confined check refuses these, and another one would let a stranger read them.
  func check(options: [String] = []) -> String? {
    guard !hasOption("--env") else { return nil }
    let kept = words.without(options: ["--retry"], flags: ["--keep-going", "--fail-fast"])
    let options = ["check"] + (hasOption("--root") ? [] : ["--root", "."]) + options
    return (["avjob"] + options + kept.map(EngineText.shellWord)).joined(separator: " ")
  }

  private func hasOption(_ name: String) -> Bool {
    words.contains { $0 == name || $0.startsWithScalars(name + "=") }
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return String(text)
  }
}

extension [String] {
  /// The words of a command line without some options.
  ///
  /// - Parameters:
  ///   - options: The options' names, as `--shards`.
  ///   - flags: Names of those that have no value.
  /// - Returns: The other words.
  /// - Complexity: O(n)
  package func without(options: Set<String>, flags: Set<String> = []) -> [String] {
    var kept: [String] = []
    var rest = self[...]
    while let word = rest.popFirst() {
      if word == "--" { return kept + [word] + rest }
      if flags.contains(word) { continue }
      if options.contains(word) {
        rest = rest.dropFirst()
      } else if let name = word.splitScalars(at: "=").first, options.contains(String(name)),
        word.containsScalars("=")
      {
        continue
      } else {
        kept.append(word)
      }
    }
    return kept
  }
}
