import Diagnosis
import JobFile
import MediaComposition
import Threads

/// Where the words of this process's command line stand, so that a message can point at them.
struct ArgumentPlaces {
  private let words: [String]
  private let origins: [Origin]

  init(_ words: [String] = ProcessArguments.words, in map: SourceMap) {
    // The command as it is typed, wherever it is installed.
    self.words = ["avjob"] + words.dropFirst()
    origins = map.add(arguments: self.words)
  }

  /// The whole command.
  var command: Origin { origins.first ?? .unknown }

  /// Where a word stands.
  func place(of word: String) -> Origin { words.lastIndex(of: word).map { origins[$0] } ?? command }

  /// An argument without an option.
  func node(_ word: String) -> ArgumentNode { .text(word, place(of: word)) }

  /// A text that stands for an argument without an option.
  func node(_ text: String, at word: String) -> ArgumentNode { .text(text, place(of: word)) }

  /// The value of one of an option's spellings, beside it or after `=`.
  func node(_ value: String, of options: String...) -> ArgumentNode {
    node(value, in: options, value)
  }

  /// A value that stands in the word `word` of an option, beside it or after `=`.
  func node(_ value: String, in option: String, _ word: String) -> ArgumentNode {
    node(value, in: [option], word)
  }

  private func node(_ value: String, in options: [String], _ word: String) -> ArgumentNode {
    for index in words.indices.dropFirst() {
      let isBeside = words[index] == word && options.contains(words[index - 1])
      if isBeside || options.contains(where: { words[index] == "\($0)=\(word)" }) {
        return .text(value, origins[index])
      }
    }
    return .text(value, command)
  }

  /// The values that are given of options that have the names of keys: `fade_in` is `--fade-in`.
  func entries(
    _ values: [(key: String, value: String?)]
  ) -> [(key: String, value: ArgumentNode)] {
    values.compactMap { key, value in
      value.map { (key, node($0, of: "--" + key.replacing("_", with: "-"))) }
    }
  }
}
