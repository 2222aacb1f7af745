import MediaComposition
import MediaTime

/// A track as the sound of each of its seconds: slow, and too simple to be wrong.
struct SlowTrack {
  /// What begins with a second, and how much of the source passes during it; backwards it is less
  /// than nothing. In 1/5040 s, which twos, threes and sevens divide.
  struct Cell: Equatable {
    var asset: Asset
    var start: Int64
    var step: Int64
  }

  static let ticks: Int64 = 5040
  private(set) var cells: [Cell?] = []

  /// A range of an asset, forwards or backwards.
  init(_ asset: Asset, from start: Int, lasting duration: Int, isReversed: Bool = false) {
    cells = (0..<duration).map { index in
      isReversed
        ? Cell(asset: asset, start: Int64(start + duration - index) * Self.ticks, step: -Self.ticks)
        : Cell(asset: asset, start: Int64(start + index) * Self.ticks, step: Self.ticks)
    }
  }

  init(_ cells: [Cell?] = []) { self.cells = cells }

  mutating func insert(_ other: SlowTrack, at index: Int) {
    while cells.count < index { cells.append(nil) }
    cells.insert(contentsOf: other.cells, at: index)
  }

  mutating func remove(_ range: Range<Int>) {
    cells.removeSubrange(range.clamped(to: cells.startIndex..<cells.endIndex))
  }

  /// Whether `slow(_:by:)` keeps whole ticks.
  func canSlow(_ range: Range<Int>, by factor: Int64) -> Bool {
    cells[range].allSatisfy { ($0?.step ?? 0) % factor == 0 }
  }

  /// Each cell becomes `factor` cells.
  mutating func slow(_ range: Range<Int>, by factor: Int64) {
    let slowed = cells[range].flatMap { cell in
      (0..<factor).map { part in
        cell.map {
          Cell(asset: $0.asset, start: $0.start + $0.step / factor * part, step: $0.step / factor)
        }
      }
    }
    cells.replaceSubrange(range, with: slowed)
  }
}

extension SlowTrack {
  /// What a composition's only track plays.
  init(_ composition: Composition) {
    let end = composition.duration.frames(atRate: 1)
    cells = (0..<end).map { second in
      let half = Time(value: second * 2 + 1, timescale: 2)
      guard let start = composition.sources(at: Time(value: second, timescale: 1)).first,
        let middle = composition.sources(at: half).first
      else { return nil }
      func ticks(_ time: Time) -> Int64 { time.frames(atRate: Int(Self.ticks)) }
      return Cell(
        asset: start.asset, start: ticks(start.time),
        step: 2 * (ticks(middle.time) - ticks(start.time)))
    }
  }
}
