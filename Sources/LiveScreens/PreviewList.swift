import MediaTime

/// A list of what a preview can go to: its entries, with their chapters and marks, or devices.
struct PreviewList {
  /// A line of the list.
  struct Row: Equatable {
    /// What it goes to.
    enum Kind: Equatable {
      case entry
      case chapter
      case mark(PreviewMark)
      /// A sound device of this name.
      case device(String)
    }

    var kind: Kind
    /// The identity of the entry, or the index of the device.
    var entry: Int
    /// That of an entry or a device in the list, from 1; nil: it is a place of an entry.
    var number: Int?
    /// In the entry's time; nil for an entry that is not ready.
    var time: Time?
    /// The name; of an entry with its duration.
    var text: String
  }

  private var rows: [Row]
  /// What rows have in their names; empty: all are shown.
  private var text = ""
  /// Indices of the rows that are shown.
  private var shown: [Int]
  /// Into `shown`.
  private(set) var selection = 0

  /// A list of rows, which has at least one; the row of the present place is chosen.
  ///
  /// - Parameters:
  ///   - rows: In the order of the entries, and of time within an entry.
  ///   - entry: The entry that is heard.
  ///   - time: Its time.
  init(_ rows: [Row], at entry: Int, _ time: Time) {
    self.rows = rows
    shown = Array(rows.indices)
    selection = rows.lastIndex { $0.entry == entry && $0.time ?? .zero <= time } ?? 0
  }

  /// The number of rows that are shown now.
  var count: Int { shown.count }

  /// A row that is shown, from 0.
  subscript(index: Int) -> Row { rows[shown[index]] }

  /// The chosen row; nil if none is shown.
  var selected: Row? { shown.indices.contains(selection) ? rows[shown[selection]] : nil }

  /// Chooses a row that many rows further.
  mutating func move(by step: Int) { choose(selection + step) }

  /// Chooses the first or the last row.
  mutating func moveToEnd(_ isLast: Bool) { choose(isLast ? shown.count - 1 : 0) }

  private mutating func choose(_ index: Int) { selection = max(0, min(shown.count - 1, index)) }

  /// Shows only rows with a text in their names, in small letters or large; a number chooses the
  /// entry or device of that number, and shows all. O(n).
  mutating func find(_ text: String) {
    let chosen = selected
    self.text = Int(text) == nil ? text : ""
    showRows()
    if let number = Int(text), let index = rows.firstIndex(where: { $0.number == number }) {
      return choose(index)
    }
    choose(shown.firstIndex { rows[$0] == chosen } ?? 0)
  }

  private mutating func showRows() {
    let wanted = text.lowercased()
    shown = rows.indices.filter { wanted.isEmpty || rows[$0].text.lowercased().contains(wanted) }
  }

  /// Whether its rows are devices.
  var isOfDevices: Bool {
    if case .device? = rows.first?.kind { true } else { false }
  }

  /// Shows the rows of another version of the entries, with the same search. The row that was chosen
  /// stays so or, if it is gone, its entry is. O(n).
  mutating func take(_ rows: [Row]) {
    let chosen = selected
    self.rows = rows
    showRows()
    guard let chosen else { return choose(selection) }
    let isEntry = chosen.kind == .entry
    let rest = shown.indices.filter { self[$0].entry == chosen.entry }
    let same = rest.first { index in
      let row = self[index]
      return isEntry ? row.kind == .entry : row.kind != .entry && row.text == chosen.text
    }
    choose(same ?? rest.first ?? selection)
  }
}
