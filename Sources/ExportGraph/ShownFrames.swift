import MediaComposition
import MediaTime

/// A picture of a source, where an output shows it.
package struct ShownFrame: Sendable, Hashable {
  /// Counted from 0 in its source, as `frame 1234` of a job is.
  package var number: Int64
  /// Which of the plan's sources it is of.
  package var asset: Int
  /// When it is shown in its source.
  package var source: Time
  /// From when on it is shown in the output.
  package var start: Time
  /// Which of the plan's parts shows it.
  fileprivate var part: Int
}

extension PicturePlan {
  /// What is shown of its sources, also where all of the only one is copied; empty for stills.
  package var parts: [PictureSpan] {
    guard spans.isEmpty, stills.isEmpty, let asset = assets.first else { return spans }
    let whole = TimeRange(start: .zero, duration: asset.duration)
    return [PictureSpan(asset: 0, source: whole, target: whole)]
  }

  /// The part that is shown at a moment of the output; nil before the first. O(log n).
  package func part(at time: Time) -> Int? {
    let next = parts.partitioningIndex { $0.target.start > time }
    return next > 0 ? next - 1 : nil
  }

  /// The picture that is shown at a moment of the output; nil where there is none, and of a source whose
  /// pictures have no known times. O(log n).
  package func frame(at time: Time) -> ShownFrame? {
    guard let place = part(at: time) else { return nil }
    let part = parts[place]
    guard let grid = assets[part.asset].pictureGrid else { return nil }
    let numbers = part.numbers(on: grid)
    let shown = grid.number(shownAt: part.target.map(time, to: part.source))
    return frame(max(numbers.lowerBound, min(numbers.upperBound, shown)), of: place)
  }

  /// The picture before another one or behind it, also of the part before or behind; nil at the ends, and
  /// where the times of that part's pictures are not known.
  package func neighbour(of frame: ShownFrame, isNext: Bool) -> ShownFrame? {
    guard let grid = assets[frame.asset].pictureGrid else { return nil }
    let number = frame.number + (isNext ? 1 : -1)
    if parts[frame.part].numbers(on: grid).contains(number) {
      return self.frame(number, of: frame.part)
    }
    let place = frame.part + (isNext ? 1 : -1)
    guard parts.indices.contains(place), let other = assets[parts[place].asset].pictureGrid else {
      return nil
    }
    let numbers = parts[place].numbers(on: other)
    return self.frame(isNext ? numbers.lowerBound : numbers.upperBound, of: place)
  }

  private func frame(_ number: Int64, of place: Int) -> ShownFrame? {
    let part = parts[place]
    guard let grid = assets[part.asset].pictureGrid else { return nil }
    let source = grid.start(of: number)
    // The first one of a part is shown from its very start.
    let isFirst = number == part.numbers(on: grid).lowerBound
    return ShownFrame(
      number: number, asset: part.asset, source: source,
      start: isFirst ? part.target.start : part.source.map(source, to: part.target), part: place)
  }
}

extension PictureSpan {
  /// The numbers of its pictures, as its documentation says which it has.
  fileprivate func numbers(on grid: PictureGrid) -> ClosedRange<Int64> {
    let first = max(0, grid.number(nearest: source.start))
    return first...max(first, grid.number(nearest: source.end) - 1)
  }
}
