import Terminal

/// A command of the preview's keyboard.
enum PreviewCommand: Hashable {
  case playOrPause
  /// Seconds forward, or back if negative.
  case seek(by: Int)
  /// The same in milliseconds.
  case step(milliseconds: Int)
  /// Frames of the entry forward, or back if negative, in a pause.
  case frame(by: Int)
  /// Go to the start.
  case start
  /// Go to a time, as it was typed.
  case go(to: String)
  /// Go to the next or previous chapter, segment or entry.
  case next, previous
  /// So many entries, items or joins further, or back if negative.
  case entry(by: Int), item(by: Int), join(by: Int)
  /// Play some seconds around each join, or end that.
  case tour
  /// Decibels louder.
  case volume(by: Int)
  /// Hundredths to the right.
  case pan(by: Int)
  /// Hundredths faster.
  case rate(by: Int)
  /// Tracks are counted from 0.
  case mute(Int), solo(Int)
  case track(TrackCommand)
  case loopStart, loopEnd, noLoop
  /// Mark the place, or the loop; remove the last mark, or name it.
  case mark, markLoop, unmark, nameMark(String)
  case list(ListCommand)
  /// Go over from the mix to the encoded output, or back.
  case encoded
  /// Clears the OVER marks.
  case clear
  /// Escape: end what is under way.
  case leave
  case quit

  /// What is done with the cursor of the tracks.
  enum TrackCommand: Hashable {
    case choose, leave
    case move(by: Int)
    /// To a track, counted from 1.
    case go(to: Int)
    case first, last
    /// At the cursor.
    case mute, solo
  }

  /// What is done with the list of entries, chapters and marks.
  enum ListCommand: Hashable {
    case open, close
    /// Opens the list of sound devices instead.
    case openDevices
    case move(by: Int)
    case first, last
    /// Shows only rows with a text, or goes to the entry of a number.
    case find(String)
    /// Goes to the place of the chosen row, and closes the list.
    case choose
    /// Removes the chosen mark.
    case remove
  }
}

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
  mutating func command(for key: Key) -> PreviewCommand? {
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

  private mutating func command(of key: Key) -> PreviewCommand? {
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

  private mutating func solo(_ key: Key) -> PreviewCommand? {
    mode = .commands
    if case .character(let digit) = key, let track = Self.numbers.firstIndex(of: digit) {
      return .solo(track)
    }
    return key == .escape ? nil : command(of: key)
  }

  /// Handles a key of a line that is typed.
  private mutating func entry(
    _ key: Key, after text: String, _ command: (String) -> PreviewCommand,
    in mode: (String) -> Mode
  ) -> PreviewCommand? {
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

  private mutating func trackCommand(of key: Key, after digits: String) -> PreviewCommand? {
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

  private mutating func list(_ command: PreviewCommand.ListCommand) -> PreviewCommand {
    mode = .list("")
    return .list(command)
  }

  private mutating func listCommand(of key: Key, after text: String) -> PreviewCommand? {
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

  private mutating func find(_ text: String) -> PreviewCommand {
    mode = .list(text)
    return .list(.find(text))
  }

  private mutating func closeList() -> PreviewCommand {
    mode = .commands
    return .list(.close)
  }

  // MARK: Tables

  private static let numbers = Array("123456789")
  /// Shift and a digit on keyboards for English; `s` and a digit works on all.
  private static let shiftedNumbers = Array("!@#$%^&*(")
  private static let moves: [Key: PreviewCommand] = [
    .right: .seek(by: 5), .left: .seek(by: -5), .up: .seek(by: 60), .down: .seek(by: -60),
    .pageUp: .seek(by: 60), .pageDown: .seek(by: -60), .home: .start,
    .modified(.shift, .right): .seek(by: 1), .modified(.shift, .left): .seek(by: -1),
    .modified(.alt, .right): .step(milliseconds: 100),
    .modified(.alt, .left): .step(milliseconds: -100),
    .modified(.control, .right): .frame(by: 1), .modified(.control, .left): .frame(by: -1),
  ]
  private static let commands: [Character: PreviewCommand] = [
    " ": .playOrPause, "n": .next, "p": .previous,
    "f": .seek(by: 1), "b": .seek(by: -1),
    "'": .step(milliseconds: 100), ";": .step(milliseconds: -100),
    "\"": .frame(by: 1), ":": .frame(by: -1),
    "N": .entry(by: 1), "P": .entry(by: -1), "i": .item(by: 1), "I": .item(by: -1),
    "j": .join(by: 1), "J": .join(by: -1), "r": .tour,
    "+": .volume(by: 1), "=": .volume(by: 1), "-": .volume(by: -1), "_": .volume(by: -1),
    "{": .pan(by: -10), "}": .pan(by: 10), ",": .pan(by: -10), ".": .pan(by: 10),
    "<": .rate(by: -10), ">": .rate(by: 10),
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
