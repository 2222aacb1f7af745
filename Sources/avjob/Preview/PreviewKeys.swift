import Terminal

/// What a key of the preview asks for.
enum PreviewCommand: Hashable {
  case playOrPause
  /// So many seconds on, or back.
  case seek(by: Int)
  /// To the start.
  case start
  /// To a time, as it was typed.
  case go(to: String)
  /// To the next chapter, segment or entry, or back.
  case next, previous
  /// By so many decibels.
  case volume(by: Int)
  /// By so many hundredths, to the right.
  case pan(by: Int)
  /// By so many hundredths.
  case rate(by: Int)
  /// Tracks are counted from 0.
  case mute(Int), solo(Int)
  case loopStart, loopEnd, noLoop
  /// Takes the marks of what was over full scale away.
  case clear
  case help
  case quit
}

/// Gives keys their meaning: most have one by themselves; `g` and `s` take what follows.
struct PreviewKeys {
  /// What was typed after `g` so far; nil where nothing is being typed.
  private(set) var typed: String?
  /// Whether the next number is that of a track to be heard alone.
  private(set) var takesSolo = false

  /// Nobody writes a longer time.
  private static let longestTime = 32

  /// What a key asks for, with those before it; nil for nothing.
  mutating func command(for key: Key) -> PreviewCommand? {
    if let typed { return entry(key, after: typed) }
    let isForSolo = takesSolo
    takesSolo = false
    switch key {
    case .right: return .seek(by: 5)
    case .left: return .seek(by: -5)
    case .up, .pageUp: return .seek(by: 60)
    case .down, .pageDown: return .seek(by: -60)
    case .home: return .start
    case .enter, .backspace, .escape: return nil
    case .character("g"): typed = ""
    case .character("s"): takesSolo = true
    case .character(let character):
      if let track = Self.numbers.firstIndex(of: character) {
        return isForSolo ? .solo(track) : .mute(track)
      }
      if let track = Self.shiftedNumbers.firstIndex(of: character) { return .solo(track) }
      return Self.commands[character]
    }
    return nil
  }

  /// A key of the time that is typed after `g`.
  private mutating func entry(_ key: Key, after text: String) -> PreviewCommand? {
    switch key {
    case .enter:
      typed = nil
      let time = String(text.drop { $0 == " " })
      return time.isEmpty ? nil : .go(to: time)
    case .escape: typed = nil
    case .backspace: typed = text.isEmpty ? nil : String(text.dropLast())
    case .character(let character) where text.count < Self.longestTime:
      typed = text + String(character)
    default: break
    }
    return nil
  }

  private static let numbers = Array("123456789")
  /// Where keyboards for English have them; `s` and a number does everywhere.
  private static let shiftedNumbers = Array("!@#$%^&*(")
  private static let commands: [Character: PreviewCommand] = [
    " ": .playOrPause, "n": .next, "p": .previous,
    "+": .volume(by: 1), "=": .volume(by: 1), "-": .volume(by: -1), "_": .volume(by: -1),
    "{": .pan(by: -10), "}": .pan(by: 10), ",": .pan(by: -10), ".": .pan(by: 10),
    "<": .rate(by: -10), ">": .rate(by: 10),
    "[": .loopStart, "]": .loopEnd, "\\": .noLoop,
    "c": .clear, "?": .help, "q": .quit,
  ]

  /// What the keys do, in lines of two columns.
  static let help: [(keys: String, meaning: String)] = [
    ("space", "play or pause"),
    ("left right", "5 seconds back, on"),
    ("down up", "a minute back, on; so do the page keys"),
    ("home", "to the start"),
    ("g 1:23 Enter", "to a time: 83s, 1:23, end-10s"),
    ("n p", "the next, the previous chapter, or else segment; then entry"),
    ("+ -", "louder, softer"),
    (", .", "to the left, to the right"),
    ("< >", "slower, faster"),
    ("1 … 9", "mute a track, or not"),
    ("s 1 … 9", "hear a track alone, or not; so does Shift and the number"),
    ("[ ] \\", "loop from here, to here; no loop"),
    ("c", "clear the marks of what was over full scale"),
    ("? q", "this help; the end"),
  ]
}
