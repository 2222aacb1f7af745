import Terminal

/// Turns keys into commands; some keys give other ones another meaning.
struct PreviewKeys {
  /// What the next keys are for.
  enum Mode: Equatable {
    case commands
    /// A time that is typed after `g`.
    case time(String)
    /// The words that are typed after `/`.
    case words(String)
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

  /// Times, words and names are shorter.
  private static let longestText = 64

  /// The command of a key, with the keys before it; nil for none.
  mutating func command(for key: Key) -> PlayerCommand? {
    switch mode {
    case .commands: command(of: key)
    case .time(let text): entry(key, after: text, PlayerCommand.go(to:), in: Mode.time)
    case .words(let text):
      entry(key, after: text, { .words(.find($0)) }, in: Mode.words)
    case .name(let text): entry(key, after: text, PlayerCommand.nameMark, in: Mode.name)
    case .solo: solo(key)
    case .tracks(let digits): trackCommand(of: key, after: digits)
    case .list(let text): listCommand(of: key, after: text)
    }
  }

  private mutating func command(of key: Key) -> PlayerCommand? {
    if key == .escape { return leave() }
    if let start = helpStart, let step = KeyBinding.steps[key] {
      helpStart = max(0, min(start + step, KeyBinding.all.count - 1))
      return nil
    }
    if let action = KeyBinding.actions[key] { return perform(action) }
    // A modifier without a meaning changes none.
    if case .modified(_, let plain) = key { return command(of: plain) }
    return nil
  }

  private mutating func perform(_ action: KeyBinding.Action) -> PlayerCommand? {
    switch action {
    case .perform(let command): return command
    case .ask(let mode, let command):
      self.mode = mode
      return command
    case .toggleHelp:
      helpStart = helpStart == nil ? 0 : nil
      return nil
    }
  }

  /// Hides the help, or ends what is under way.
  private mutating func leave() -> PlayerCommand? {
    guard helpStart != nil else { return .leave }
    helpStart = nil
    return nil
  }

  private mutating func solo(_ key: Key) -> PlayerCommand? {
    mode = .commands
    if case .perform(.mute(let track)) = KeyBinding.actions[key] { return .solo(track) }
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
    if let action = KeyBinding.trackActions[key] { return perform(action) }
    if case .character(let digit) = key, ("0"..."9").contains(digit) {
      let digits = String((digits + String(digit)).suffix(4))
      mode = .tracks(digits)
      return .track(.go(to: Int(digits) ?? 0))
    }
    let command = command(of: key)
    // Keys that ask for more end the choice of tracks.
    return mode == .tracks("") ? command : command ?? .track(.leave)
  }

  // MARK: The list

  private mutating func listCommand(of key: Key, after text: String) -> PlayerCommand? {
    if let action = KeyBinding.listActions[key] { return perform(action) }
    switch key {
    case .backspace:
      return text.isEmpty ? listCommand(of: .escape, after: text) : find(String(text.dropLast()))
    case .character(let character) where text.count < Self.longestText:
      return find(text + String(character))
    default: return nil
    }
  }

  private mutating func find(_ text: String) -> PlayerCommand {
    mode = .list(text)
    return .list(.find(text))
  }
}
