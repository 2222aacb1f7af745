import MediaTime

/// The lines of an entry's time: the position, the overview of the sound, and what lies where.
extension PreviewLayout {
  /// The columns of the time line, and of what stands before and behind it; nil if it has no room.
  private func timeline(_ model: PreviewModel) -> (time: String, duration: String, room: Int)? {
    let duration = Self.clock(model.duration)
    // As wide as the duration, so that the bar does not move.
    let time = Self.clock(min(model.time, model.duration)).aligned(to: duration.columns)
    let room = width - time.columns - duration.columns - 4
    return room >= 4 ? (time, duration, room) : nil
  }

  /// Columns of the time line before the place.
  private func filled(_ model: PreviewModel, of room: Int) -> Int {
    Int(Double(room) * model.share(of: model.time))
  }

  /// `0:12.3  ━━━━━━────────··········  0:58.0`; the dots are not fetched yet.
  func position(_ model: PreviewModel) -> String {
    guard let (time, duration, room) = timeline(model) else {
      let duration = Self.clock(model.duration)
      let time = Self.clock(min(model.time, model.duration)).aligned(to: duration.columns)
      return fitted("\(time) \(duration)", to: width)
    }
    return "\(time)  \(loaded(filled(model, of: room), of: room, model))  \(duration)"
  }

  /// The time line behind the position: a column is a line if all of its time is here, else a dot.
  /// O(columns + loaded parts).
  private func loaded(_ filled: Int, of room: Int, _ model: PreviewModel) -> String {
    guard let loaded = model.loaded else { return bar(filled, of: room) }
    func time(_ column: Int) -> Time {
      model.duration.multiplied(by: Int64(column), over: Int64(room))
    }
    var parts = loaded[...]
    let (left, missing) = (characters.bar.left, isUnicode ? Character("·") : ".")
    let rest = (filled..<room).map { column -> Character in
      let end = time(column + 1)
      while let part = parts.first, part.end < end { parts.removeFirst() }
      return parts.first.map { $0.start <= time(column) } == true ? left : missing
    }
    return bar(filled, of: filled) + faint(String(rest))
  }

  // MARK: The overview

  /// From −48 dB in steps of 6 dB.
  private static let blocks = Array("▁▂▃▄▅▆▇█")
  private static let signs = Array(" .:-=+*#")

  /// The peaks below the time line, one column for each of its columns; columns that are not known yet
  /// are dots, or question marks in ASCII. Nil without a picture, or without room.
  func overview(_ model: PreviewModel) -> String? {
    guard let overview = model.overview, let (time, _, room) = timeline(model) else { return nil }
    let levels = isUnicode ? Self.blocks : Self.signs
    let filled = filled(model, of: room)
    var line = String(repeating: " ", count: time.columns + 2)
    var run = (text: "", style: Style.heard)
    for column in 0..<room {
      let peak = overview.peak(
        from: Double(column) / Double(room), to: Double(column + 1) / Double(room))
      let style: Style =
        peak.map { $0 > 0 ? .over : column < filled ? .heard : .coming } ?? .unknown
      if style != run.style {
        line += styled(run.text, run.style)
        run = ("", style)
      }
      let level = peak.map { max(0, min(7, Int((max(-60, $0) + 48) / 6))) }
      run.text.append(level.map { levels[$0] } ?? (isUnicode ? "·" : "?"))
    }
    return line + styled(run.text, run.style)
  }

  /// How a column of the overview is shown.
  private enum Style { case heard, coming, over, unknown }

  private func styled(_ text: String, _ style: Style) -> String {
    guard !text.isEmpty else { return "" }
    return switch style {
    case .heard: colored(text, .cyan)
    case .coming: text
    case .over: colored(text, .red)
    case .unknown: faint(text)
    }
  }

  /// Chapters, marks and the loop below the overview: `╵   [────]   ▲`; nil if there are none, or no
  /// room.
  func ruler(_ model: PreviewModel) -> String? {
    guard model.loop != nil || !model.chapterPlaces.isEmpty || !model.marks.isEmpty,
      let (time, _, room) = timeline(model)
    else { return nil }
    var cells = Array(repeating: Character(" "), count: room)
    func column(_ place: Double) -> Int { min(room - 1, Int(place * Double(room))) }
    func column(_ time: Time) -> Int { column(model.share(of: time)) }
    if let loop = model.loop, let end = loop.end {
      for index in column(loop.start)...max(column(loop.start), column(end)) {
        cells[index] = characters.bar.left
      }
    }
    for chapter in model.chapterPlaces { cells[column(chapter)] = isUnicode ? "╵" : "'" }
    if let loop = model.loop {
      if let end = loop.end { cells[column(end)] = "]" }
      cells[column(loop.start)] = "["
    }
    for mark in model.marks {
      let sign: Character = isUnicode ? "▲" : "^"
      cells[column(mark.lowerBound)] = sign
      cells[column(mark.upperBound)] = sign
    }
    return String(repeating: " ", count: time.columns + 2) + String(cells)
  }
}
