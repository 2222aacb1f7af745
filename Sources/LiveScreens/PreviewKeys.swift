import Terminal

/// Turns keys into commands; some keys give other ones another meaning.
struct PreviewKeys {
  /// What the next keys are for.
  enum Mode: Equatable {
    case commands
    /// A time that is typed after `g`.
    case time(String)
    /// The name of the last mark, which is typed after Enter.
    case name(String)
    /// The number of a track to be heard alone.
    case solo
    /// The cursor of the tracks, and the digits that were typed for it.
    case tracks(String)
    /// The list, and the text that is searched for in it.
    case list(String)
  }

  private(set) var mode = Mode.commands
  /// The first line of the help that is shown; nil: it is hidden.
  private(set) var helpStart: Int?

  /// Times and names are shorter.
  private static let longestText = 64
  /// What the page keys skip in lists.
  static let page = 10

  /// The command of a key, with the keys before it; nil for none.
  mutating func command(for key: Key) -> PlayerCommand? {
    switch mode {
    case .commands: command(of: key)
    case .time(let text):
      entry(key, after: text) {
        .go(to: $0)
      } in: {
        .time($0)
      }
    case .name(let text):
      entry(key, after: text) {
        .nameMark($0)
      } in: {
        .name($0)
      }
    case .solo: solo(key)
    case .tracks(let digits): trackCommand(of: key, after: digits)
    case .list(let text): listCommand(of: key, after: text)
    }
  }

  private mutating func command(of key: Key) -> PlayerCommand? {
    if let start = helpStart, scrollsHelp(key, from: start) { return nil }
    switch key {
    case .right, .left, .up, .down, .pageUp, .pageDown, .home: return Self.moves[key]
    case .modified(_, let plain): return Self.moves[key] ?? command(of: plain)
    case .end, .backspace, .delete: return nil
    case .escape: return .leave
    case .enter: mode = .name("")
    case .tab, .character("l"): return list(.open)
    case .character("d"): return list(.openDevices)
    case .character("g"): mode = .time("")
    case .character("s"): mode = .solo
    case .character("t"):
      mode = .tracks("")
      return .track(.choose)
    case .character("?"): helpStart = helpStart == nil ? 0 : nil
    case .character(let character):
      if let track = Self.numbers.firstIndex(of: character) { return .mute(track) }
      if let track = Self.shiftedNumbers.firstIndex(of: character) { return .solo(track) }
      return Self.commands[character]
    }
    return nil
  }

  /// Scrolls the help, or hides it.
  ///
  /// - Returns: Whether the key is for that.
  private mutating func scrollsHelp(_ key: Key, from start: Int) -> Bool {
    let next: Int
    switch key {
    case .escape:
      helpStart = nil
      return true
    case .up: next = start - 1
    case .down: next = start + 1
    case .pageUp: next = start - Self.page
    case .pageDown: next = start + Self.page
    default: return false
    }
    helpStart = max(0, min(next, PreviewHelp.keys.count - 1))
    return true
  }

  private mutating func solo(_ key: Key) -> PlayerCommand? {
    mode = .commands
    if case .character(let digit) = key, let track = Self.numbers.firstIndex(of: digit) {
      return .solo(track)
    }
    return key == .escape ? nil : command(of: key)
  }

  /// Handles a key of a line that is typed.
  private mutating func entry(
    _ key: Key, after text: String, _ command: (String) -> PlayerCommand,
    in mode: (String) -> Mode
  ) -> PlayerCommand? {
    switch key {
    case .enter:
      self.mode = .commands
      let text = String(text.drop { $0 == " " })
      return text.isEmpty ? nil : command(text)
    case .escape: self.mode = .commands
    case .backspace: self.mode = text.isEmpty ? .commands : mode(String(text.dropLast()))
    case .character(let character) where text.count < Self.longestText:
      self.mode = mode(text + String(character))
    default: break
    }
    return nil
  }

  // MARK: Tracks

  private mutating func trackCommand(of key: Key, after digits: String) -> PlayerCommand? {
    mode = .tracks("")
    switch key {
    case .up: return .track(.move(by: -1))
    case .down: return .track(.move(by: 1))
    case .pageUp: return .track(.move(by: -Self.page))
    case .pageDown: return .track(.move(by: Self.page))
    case .home: return .track(.first)
    case .end: return .track(.last)
    case .enter, .character("m"): return .track(.mute)
    case .character("s"): return .track(.solo)
    case .escape, .character("t"):
      mode = .commands
      return .track(.leave)
    case .character(let digit) where ("0"..."9").contains(digit):
      let digits = String((digits + String(digit)).suffix(4))
      mode = .tracks(digits)
      return .track(.go(to: Int(digits) ?? 0))
    default:
      let command = command(of: key)
      // Keys that ask for more end the choice of tracks.
      if mode == .tracks("") { return command }
      return command ?? .track(.leave)
    }
  }

  // MARK: The list

  private mutating func list(_ command: PlayerCommand.ListCommand) -> PlayerCommand {
    mode = .list("")
    return .list(command)
  }

  private mutating func listCommand(of key: Key, after text: String) -> PlayerCommand? {
    switch key {
    case .up: return .list(.move(by: -1))
    case .down: return .list(.move(by: 1))
    case .pageUp: return .list(.move(by: -Self.page))
    case .pageDown: return .list(.move(by: Self.page))
    case .home: return .list(.first)
    case .end: return .list(.last)
    case .delete: return .list(.remove)
    case .enter:
      mode = .commands
      return .list(.choose)
    case .escape, .tab: return closeList()
    case .backspace:
      if text.isEmpty { return closeList() }
      return find(String(text.dropLast()))
    case .character(let character) where text.count < Self.longestText:
      return find(text + String(character))
    case .character, .left, .right, .modified: return nil
    }
  }

  private mutating func find(_ text: String) -> PlayerCommand {
    mode = .list(text)
    return .list(.find(text))
  }

  private mutating func closeList() -> PlayerCommand {
    mode = .commands
    return .list(.close)
  }

  // MARK: Tables

  private static let numbers = Array("123456789")
  /// Shift and a digit on keyboards for English; `s` and a digit works on all.
  private static let shiftedNumbers = Array("!@#$%^&*(")
  private static let moves: [Key: PlayerCommand] = [
    .right: .step(milliseconds: 5000), .left: .step(milliseconds: -5000),
    .up: .step(milliseconds: 60000), .down: .step(milliseconds: -60000),
    .pageUp: .step(milliseconds: 60000), .pageDown: .step(milliseconds: -60000),
    .home: .seek(.to(.zero)),
    .modified(.shift, .right): .step(milliseconds: 1000),
    .modified(.shift, .left): .step(milliseconds: -1000),
    .modified(.alt, .right): .step(milliseconds: 100),
    .modified(.alt, .left): .step(milliseconds: -100),
    .modified(.control, .right): .frame(by: 1), .modified(.control, .left): .frame(by: -1),
  ]
  private static let commands: [Character: PlayerCommand] = [
    " ": .playOrPause, "n": .next(.chaptersOrItems), "p": .previous(.chaptersOrItems),
    "f": .step(milliseconds: 1000), "b": .step(milliseconds: -1000),
    "'": .step(milliseconds: 100), ";": .step(milliseconds: -100),
    "\"": .frame(by: 1), ":": .frame(by: -1),
    "N": .entry(.by(1)), "P": .entry(.by(-1)), "i": .item(by: 1), "I": .item(by: -1),
    "j": .join(by: 1), "J": .join(by: -1), "r": .tour,
    "+": .volume(.by(1)), "=": .volume(.by(1)), "-": .volume(.by(-1)), "_": .volume(.by(-1)),
    "{": .pan(by: -10), "}": .pan(by: 10), ",": .pan(by: -10), ".": .pan(by: 10),
    "<": .rate(.by(-10)), ">": .rate(.by(10)),
    "[": .loopStart, "]": .loopEnd, "\\": .noLoop,
    "m": .mark, "M": .markLoop, "u": .unmark,
    "c": .clear, "e": .encoded, "q": .quit,
  ]
}

/// The keys and their actions, as the screen shows them.
enum PreviewHelp {
  static let keys: [(keys: String, meaning: String)] = [
    ("space", "play or pause"),
    ("left right", "5 s back, forward"),
    ("Shift, b f", "1 s"),
    ("Alt, ; '", "0.1 s"),
    ("Ctrl, : \"", "one sample, and pause"),
    ("down up", "a minute back, forward"),
    ("home", "go to the start"),
    ("g 1:23", "go to 1:23, 83s, end-10s"),
    ("n p", "next, previous chapter/item"),
    ("N P", "next, previous entry"),
    ("i I", "next, previous item"),
    ("j J", "next, previous join"),
    ("r", "play 3 s around each join"),
    ("l", "list: type, Enter goes"),
    ("[ ] \\", "start, end a loop; no loop"),
    ("m M", "mark the place, the loop"),
    ("Enter u", "name, remove the last mark"),
    ("1 … 9", "mute or unmute a track"),
    ("s 1 … 9", "hear a track alone, or all"),
    ("t", "choose a track: m, s"),
    ("+ -", "louder, softer"),
    (", .", "pan to the left, right"),
    ("< >", "slower, faster"),
    ("c", "clear the OVER marks"),
    ("d", "go over to another device"),
    ("e", "the encoded output, the mix"),
    ("? q", "show or hide this; quit"),
  ]
}
