import Terminal

/// A command of the preview's keyboard.
enum PreviewCommand: Hashable {
  case playOrPause
  /// Seconds forward, or back if negative.
  case seek(by: Int)
  /// Go to the start.
  case start
  /// Go to a time, as it was typed.
  case go(to: String)
  /// Go to the next or previous chapter, segment or entry.
  case next, previous
  /// Decibels louder.
  case volume(by: Int)
  /// Hundredths to the right.
  case pan(by: Int)
  /// Hundredths faster.
  case rate(by: Int)
  /// Tracks are counted from 0.
  case mute(Int), solo(Int)
  case loopStart, loopEnd, noLoop
  /// Clears the OVER marks.
  case clear
  case help
  case quit
}

/// Turns keys into commands; `g` and `s` need the keys after them.
struct PreviewKeys {
  /// The text that was typed after `g`; nil outside such an entry.
  private(set) var typed: String?
  /// Whether the next digit is the number of a track to be heard alone.
  private(set) var takesSolo = false

  /// Times are shorter.
  private static let longestTime = 32

  /// The command of a key, with the keys before it; nil for none.
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

  /// Handles a key of the time after `g`.
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
  /// Shift and a digit on keyboards for English; `s` and a digit works on all.
  private static let shiftedNumbers = Array("!@#$%^&*(")
  private static let commands: [Character: PreviewCommand] = [
    " ": .playOrPause, "n": .next, "p": .previous,
    "+": .volume(by: 1), "=": .volume(by: 1), "-": .volume(by: -1), "_": .volume(by: -1),
    "{": .pan(by: -10), "}": .pan(by: 10), ",": .pan(by: -10), ".": .pan(by: 10),
    "<": .rate(by: -10), ">": .rate(by: 10),
    "[": .loopStart, "]": .loopEnd, "\\": .noLoop,
    "c": .clear, "?": .help, "q": .quit,
  ]

  /// The keys and their actions.
  static let help: [(keys: String, meaning: String)] = [
    ("space", "play or pause"),
    ("left right", "5 seconds back, forward"),
    ("down up", "a minute back, forward; also the page keys"),
    ("home", "go to the start"),
    ("g 1:23 Enter", "go to a time: 83s, 1:23, end-10s"),
    ("n p", "next, previous chapter or segment; then entry"),
    ("+ -", "louder, softer"),
    (", .", "pan to the left, to the right"),
    ("< >", "slower, faster"),
    ("1 … 9", "mute or unmute a track"),
    ("s 1 … 9", "hear a track alone, or all; also Shift and the number"),
    ("[ ] \\", "start a loop, end it; no loop"),
    ("c", "clear the OVER marks"),
    ("? q", "show or hide the keys; quit"),
  ]
}
