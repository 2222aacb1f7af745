import Terminal

/// The lines of the preview on a terminal.
enum PreviewScreen {
  /// The lines to show now, none wider than the terminal and no more than fit above its last row.
  ///
  /// In a low window the least important lines are left out first.
  static func lines(for model: PreviewModel, on terminal: TerminalTraits) -> [String] {
    drawn(for: model, on: terminal).lines
  }

  /// A screen with its picture.
  struct Drawn {
    /// As `lines` gives them.
    var lines: [String]
    /// Where there is room for a picture; nil: nowhere.
    var room: TerminalPicture.Cells?
    /// The cells of the picture that is among the lines.
    var picture: TerminalPicture.Cells?
  }

  /// The lines to show now, with the picture between those of the time and those of the tracks.
  static func drawn(for model: PreviewModel, on terminal: TerminalTraits) -> Drawn {
    // The last column stays empty: some terminals break the line after writing into it.
    let width = max(0, terminal.columns - 1)
    let layout = PreviewLayout(
      width: width, isColored: terminal.isColored, characters: terminal.characters)
    let most = max(1, terminal.rows - 1)
    let pane = pane(for: model, layout)
    var (above, below) = self.rows(for: model, pane, layout)
    // Tracks are worth more than the lines around them; lists that scroll need fewer lines.
    while above.count + below.count + pane.leastRows > most {
      if let last = below.lastIndex(where: { $0.place > .pane }) {
        below.remove(at: last)
      } else if let last = above.lastIndex(where: { $0.place > .pane }) {
        above.remove(at: last)
      } else {
        break
      }
    }
    let shown = pane.lines(in: most - above.count - below.count, layout)
    var rows = above + shown.map { (pane.place, $0) } + below
    while rows.count > most {
      let least = rows.map(\.place).max()
      guard let last = rows.lastIndex(where: { $0.place == least }) else { break }
      rows.remove(at: last)
    }
    var drawn = Drawn(lines: rows.map(\.text))
    guard let way = terminal.pictures, pane.kind == .tracks else { return drawn }
    drawn.room = room(for: model, besides: rows.count, of: most, width: width)
    guard let room = drawn.room, let shown = model.picture else { return drawn }
    let cells = shown.picture.cells(in: room)
    drawn.lines.insert(contentsOf: shown.lines(cells, by: way), at: above.count)
    drawn.picture = cells
    return drawn
  }

  /// The fewest columns beside a picture and in it, and the fewest rows of one.
  private static let (leastWidth, leastPictureRows) = (39, 6)

  /// The cells that a picture may have. Two rows are kept for messages, so that a message does not change
  /// it.
  private static func room(
    for model: PreviewModel, besides used: Int, of most: Int, width: Int
  ) -> TerminalPicture.Cells? {
    let messages = (model.notice == nil ? 0 : 1) + (model.message == nil ? 0 : 1)
    let rows = most - used - max(0, 2 - messages)
    guard width >= leastWidth, rows >= leastPictureRows else { return nil }
    return TerminalPicture.Cells(columns: width, rows: rows)
  }

  /// The kind of a line, the most important first.
  enum Place: Int, Comparable {
    case position, title, message, notice, list, channel, loudness, reduction, words, names, pane
    case overview, ruler, device, help

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  typealias Row = (place: Place, text: String)

  /// The lines above the pane and below it.
  private static func rows(
    for model: PreviewModel, _ pane: PreviewPane, _ layout: PreviewLayout
  ) -> (above: [Row], below: [Row]) {
    var above: [Row] = [(.title, layout.title(model)), (.position, layout.position(model))]
    if let overview = layout.overview(model) { above.append((.overview, overview)) }
    if let ruler = layout.ruler(model) { above.append((.ruler, ruler)) }
    var below: [Row] = []
    if pane.kind == .tracks {
      above.append((.names, layout.names(model)))
      if let words = layout.words(model) { above.append((.words, words)) }
      let names = layout.meterNames(model)
      below += model.channels.map { (.channel, layout.channel($0, names)) }
      below += layout.reductions(model).map { (.reduction, $0) }
      below.append((.loudness, layout.loudness(model)))
    }
    below.append((.device, layout.device(model.device)))
    if let message = layout.message(model) { below.append((.message, message)) }
    if let notice = model.notice { below.append((.notice, layout.line(of: notice))) }
    if model.hasKeys { below.append((.help, layout.hint(model))) }
    return (above, below)
  }

  private static func pane(for model: PreviewModel, _ layout: PreviewLayout) -> PreviewPane {
    if let list = model.list {
      return PreviewPane(kind: .list, count: list.count, focus: list.selection) {
        layout.listRow(list[$0], isSelected: $0 == list.selection)
      }
    }
    if let start = model.helpStart {
      let lines = layout.help()
      return PreviewPane(kind: .help, count: lines.count, focus: start) { lines[$0] }
    }
    let names = layout.meterNames(model)
    return PreviewPane(
      kind: .tracks, count: model.tracks.count, focus: model.trackCursor
    ) {
      layout.track(
        model.tracks[$0], number: $0 + 1, names, isSelected: model.trackCursor == $0)
    }
  }
}
