import Diagnosis
import JobFile
import MediaComposition

/// Where the words of this process's command line stand, so that a message can point at them.
struct ArgumentPlaces {
  private let words: [String]
  private let origins: [Origin]

  init(_ words: [String] = CommandLine.arguments, in map: SourceMap) {
    // The command as it is typed, wherever it is installed.
    self.words = ["avjob"] + words.dropFirst()
    origins = map.add(arguments: self.words)
  }

  /// The whole command.
  var command: Origin { origins.first ?? .unknown }

  /// An argument without an option.
  func node(_ word: String) -> ArgumentNode {
    .text(word, words.lastIndex(of: word).map { origins[$0] } ?? command)
  }

  /// The value of one of an option's spellings, beside it or after `=`.
  func node(_ value: String, of options: String...) -> ArgumentNode {
    for index in words.indices.dropFirst() {
      let isBeside = words[index] == value && options.contains(words[index - 1])
      if isBeside || options.contains(where: { words[index] == "\($0)=\(value)" }) {
        return .text(value, origins[index])
      }
    }
    return .text(value, command)
  }
}
