import Terminal

/// Keys of the preview that belong together, and what they do: a row of the help and of the page
/// about the preview, or of the keys of a list, of the tracks or of a tour.
struct KeyBinding {
  /// What a key does.
  enum Action {
    case perform(PlayerCommand)
    /// Gives the next keys another meaning.
    case ask(PreviewKeys.Mode, PlayerCommand? = nil)
    case toggleHelp
  }

  /// The keys as the help shows them.
  let keys: String
  let help: String
  /// What the last line of the screen says of them.
  let hints: [String]
  let actions: [Key: Action]

  private init(
    _ keys: String, _ help: String, hints: [String] = [], _ commands: [Key: PlayerCommand] = [:],
    actions: [Key: Action] = [:]
  ) {
    (self.keys, self.help, self.hints) = (keys, help, hints)
    self.actions = actions.merging(commands.mapValues { .perform($0) }) { $1 }
  }

  /// Keys of a list or of the tracks, whose row is what the last line of the screen says of them.
  private init(
    hinted keys: String, _ help: String, _ commands: [Key: PlayerCommand] = [:],
    actions: [Key: Action] = [:]
  ) {
    self.init(
      keys, help, hints: [help.isEmpty ? keys : "\(keys) \(help)"], commands, actions: actions)
  }

  /// Keys of `all` that do what they always do, by other words.
  private init(of keys: String, _ help: String) {
    let known = keys.split(separator: " ").map { Key.character(Character(String($0))) }
    self.init(hinted: keys, help, actions: Self.actions.filter { known.contains($0.key) })
  }

  /// What keys do outside of lists and of lines that are typed. A key in two rows is a mistake in the
  /// table, and stops the first test that presses any key.
  static let actions = actions(of: all)
  /// What keys do in a list, beside those of its text, and at the cursor of the tracks.
  static let listActions = actions(of: inList)
  static let trackActions = actions(of: inTracks)

  private static func actions(of bindings: [KeyBinding]) -> [Key: Action] {
    Dictionary(uniqueKeysWithValues: bindings.flatMap(\.actions))
  }

  /// How far keys go in lists and in the help.
  static let steps: [Key: Int] = [.up: -1, .down: 1, .pageUp: -10, .pageDown: 10]

  /// The keys of the first tracks.
  private static func tracks(
    _ keys: String, _ command: (Int) -> PlayerCommand
  ) -> [Key: PlayerCommand] {
    zip(keys, 0...).reduce(into: [:]) { $0[.character($1.0)] = command($1.1) }
  }

  /// In the order of the help.
  static let all = [
    KeyBinding("space", "play or pause", hints: ["space pause"], [" ": .playOrPause]),
    KeyBinding(
      "left right", "5 s back, forward", hints: ["arrows 5 s"],
      [.left: .step(milliseconds: -5000), .right: .step(milliseconds: 5000)]),
    KeyBinding(
      "Shift, b f", "1 s",
      [
        .modified(.shift, .left): .step(milliseconds: -1000), "b": .step(milliseconds: -1000),
        .modified(.shift, .right): .step(milliseconds: 1000), "f": .step(milliseconds: 1000),
      ]),
    KeyBinding(
      "Alt, ; '", "0.1 s",
      [
        .modified(.alt, .left): .step(milliseconds: -100), ";": .step(milliseconds: -100),
        .modified(.alt, .right): .step(milliseconds: 100), "'": .step(milliseconds: 100),
      ]),
    KeyBinding(
      "Ctrl, : \"", "one sample, and pause",
      [
        .modified(.control, .left): .frame(by: -1), ":": .frame(by: -1),
        .modified(.control, .right): .frame(by: 1), "\"": .frame(by: 1),
      ]),
    KeyBinding("v V", "next, previous picture", ["v": .nextPicture, "V": .previousPicture]),
    KeyBinding(
      "down up", "a minute back, forward",
      [
        .down: .step(milliseconds: -60_000), .pageDown: .step(milliseconds: -60_000),
        .up: .step(milliseconds: 60_000), .pageUp: .step(milliseconds: 60_000),
      ]),
    KeyBinding("home", "go to the start", [.home: .seek(.to(.zero))]),
    KeyBinding(
      "g 1:23", "go to 1:23, 83s, end-10s", hints: ["g 1:23"], actions: ["g": .ask(.time(""))]),
    KeyBinding(
      "/ a A", "find words; again, back",
      ["a": .words(.findAgain(by: 1)), "A": .words(.findAgain(by: -1))],
      actions: ["/": .ask(.words(""))]),
    KeyBinding(
      "n p", "next, previous chapter/item", hints: ["n p items"],
      ["n": .next(.chaptersOrItems), "p": .previous(.chaptersOrItems)]),
    KeyBinding("N P", "next, previous entry", ["N": .entry(.by(1)), "P": .entry(.by(-1))]),
    KeyBinding("i I", "next, previous item", ["i": .item(by: 1), "I": .item(by: -1)]),
    KeyBinding(
      "w W", "next, previous cue", ["w": .words(.cue(by: 1)), "W": .words(.cue(by: -1))]),
    KeyBinding("j J", "next, previous join", ["j": .join(by: 1), "J": .join(by: -1)]),
    KeyBinding("r", "play 3 s around each join", ["r": .tour]),
    KeyBinding(
      "l", "list: type, Enter goes",
      actions: ["l": .ask(.list(""), .list(.open)), .tab: .ask(.list(""), .list(.open))]),
    KeyBinding(
      "[ ] \\", "start, end a loop; no loop", ["[": .loopStart, "]": .loopEnd, "\\": .noLoop]),
    KeyBinding("m M", "mark the place, the loop", ["m": .mark, "M": .markLoop]),
    KeyBinding("k", "mark the words, the cue", ["k": .words(.markFound)]),
    KeyBinding(
      "Enter u", "name, remove the last mark", ["u": .unmark],
      actions: [.enter: .ask(.name(""))]),
    KeyBinding("1 … 9", "mute or unmute a track", tracks("123456789") { .mute($0) }),
    // Shift and a digit on keyboards for English; `s` and a digit works on all.
    KeyBinding(
      "s 1 … 9", "hear a track alone, or all",
      tracks("!@#$%^&*(") { .solo($0) }, actions: ["s": .ask(.solo)]),
    KeyBinding(
      "t", "choose a track: m, s", actions: ["t": .ask(.tracks(""), .track(.choose))]),
    KeyBinding(
      "+ -", "louder, softer", hints: ["+ - volume"],
      [
        "+": .volume(.by(1)), "=": .volume(.by(1)), "-": .volume(.by(-1)), "_": .volume(.by(-1)),
      ]),
    KeyBinding(
      ", .", "pan to the left, right",
      [",": .pan(by: -10), "{": .pan(by: -10), ".": .pan(by: 10), "}": .pan(by: 10)]),
    KeyBinding("< >", "slower, faster", ["<": .rate(.by(-10)), ">": .rate(.by(10))]),
    KeyBinding("c", "clear the OVER marks", ["c": .clear]),
    KeyBinding(
      "d", "go over to another device", actions: ["d": .ask(.list(""), .list(.openDevices))]),
    KeyBinding("e", "the encoded output, the mix", ["e": .encoded]),
    KeyBinding(
      "? q", "show or hide this; quit", hints: ["? help", "q quit"], ["q": .quit],
      actions: ["?": .toggleHelp]),
  ]

  /// In the order of the last line of the screen, as those below.
  static let inList = [
    KeyBinding(hinted: "up down", "choose", steps.mapValues { .list(.move(by: $0)) }),
    KeyBinding(hinted: "Home End", "", [.home: .list(.first), .end: .list(.last)]),
    KeyBinding(hinted: "Del", "remove mark", [.delete: .list(.remove)]),
    KeyBinding(hinted: "Enter", "go", actions: [.enter: .ask(.commands, .list(.choose))]),
    KeyBinding(
      hinted: "Esc", "close",
      actions: [.escape: .ask(.commands, .list(.close)), .tab: .ask(.commands, .list(.close))]),
  ]

  static let inTracks = [
    KeyBinding(
      hinted: "up down, 12", "choose",
      steps.mapValues { .track(.move(by: $0)) }
        .merging([.home: .track(.first), .end: .track(.last)]) { $1 }),
    KeyBinding(hinted: "m", "mute", ["m": .track(.mute), .enter: .track(.mute)]),
    KeyBinding(hinted: "s", "alone", ["s": .track(.solo)]),
    KeyBinding(of: "?", "help"),
    KeyBinding(
      hinted: "Esc", "back",
      actions: [.escape: .ask(.commands, .track(.leave)), "t": .ask(.commands, .track(.leave))]),
  ]

  static let inTour = [
    KeyBinding(of: "m", "mark"), KeyBinding(of: "j J", "next, previous join"),
    KeyBinding(of: "?", "help"), KeyBinding(of: "r", "end"),
  ]
}
