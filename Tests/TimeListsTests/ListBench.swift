import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

@testable import JobModel
@testable import TimeLists

/// Lists to try, without a job around them.
enum ListBench {
  /// A list's entries, one a line: `start..end number title key=value …`.
  static func entries(_ bytes: [UInt8], named name: String = "list.txt") -> [String] {
    let map = SourceMap()
    let result = TimeList.read(bytes, path: FilePath(name), named: .unknown, in: map)
    guard result.sink.diagnostics.errors.isEmpty else {
      return [result.sink.diagnostics.render(in: map)]
    }
    return result.list.entries.map(text)
  }

  static func entries(_ text: String, named name: String = "list.txt") -> [String] {
    entries(Array(text.utf8), named: name)
  }

  static func list(_ text: String, named name: String = "list.cue") -> TimeList {
    TimeList.read(Array(text.utf8), path: FilePath(name), named: .unknown, in: SourceMap()).list
  }

  /// What is said of a list, as a terminal shows it.
  static func screen(_ bytes: [UInt8], named name: String = "list.txt") -> String {
    let map = SourceMap()
    let named = map.add(arguments: ["split:", name])[1]
    return TimeList.read(bytes, path: FilePath(name), named: named, in: map)
      .sink.diagnostics.render(in: map)
  }

  static func screen(_ text: String, named name: String = "list.txt") -> String {
    screen(Array(text.utf8), named: name)
  }

  private static func text(_ entry: TimeList.Entry) -> String {
    func text(_ moment: Moment) -> String {
      switch moment {
      case .start: "start"
      case .end: "end"
      default: (moment.anchor == .end ? "end-" : "") + moment.offset.description
      }
    }
    var words = [text(entry.start.value)]
    switch entry.end {
    case .moment(let moment): words[0] += "..\(text(moment.value))"
    case .duration(let length): words[0] += "..+\(length.value)"
    case nil: break
    }
    if let number = entry.number { words.append("#\(number)") }
    if let title = entry.title { words.append(title) }
    return (words + entry.tags.items.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
  }
}
