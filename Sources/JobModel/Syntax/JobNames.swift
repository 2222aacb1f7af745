import Diagnosis
import MediaComposition

/// The jobs of a run by their names and groups.
package struct JobNames: Sendable {
  private struct Name: Hashable {
    var file: Int
    var text: String
  }
  private var indices: [Name: [Int]] = [:]

  /// The names of `jobs`; `files` has the file of each.
  package init(_ jobs: [Job], of files: [Int]) {
    for (index, job) in jobs.enumerated() {
      indices[Name(file: files[index], text: job.name), default: []].append(index)
      guard job.group != job.name else { continue }
      indices[Name(file: files[index], text: job.group), default: []].append(index)
    }
  }

  /// The jobs of a file that a name means: one, or all of a group.
  package func jobs(called name: String, in file: Int) -> [Int] {
    indices[Name(file: file, text: name)] ?? []
  }

  /// A help for an unknown name: the nearest one, or some of all.
  ///
  /// - Complexity: O(n · log n)
  package func help(for name: String) -> String {
    Self.help(for: name, among: Set(indices.keys.map(\.text)).sorted())
  }

  package static func help(for name: String, among names: [String]) -> String {
    if let help = Spelling.help(for: name, among: names) { return help }
    let shown = names.prefix(10).quoted
    return names.count == 1
      ? "the only one is \(shown)" : "there are \(shown)\(names.count > 10 ? " …" : "")"
  }
}

extension Job {
  /// Whether `text` is its name or group, or a pattern of one: `*` stands for any characters.
  package func isCalled(_ text: String) -> Bool {
    name == text || group == text || text.contains("*") && (fits(name, text) || fits(group, text))
  }

  private func fits(_ name: String, _ pattern: String) -> Bool {
    let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = pieces.first, let last = pieces.last, name.hasPrefix(first) else {
      return false
    }
    // The earliest match of each piece leaves most to the next.
    var rest = name.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let range = rest.firstRange(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.count >= last.count && rest.hasSuffix(last)
  }
}
