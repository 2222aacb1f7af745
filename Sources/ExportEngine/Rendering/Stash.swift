import Threads

/// Things that are costly to make, kept for whichever thread needs one next.
///
/// Safe from any thread.
final class Stash<Thing>: Sendable {
  private let things = Monitor<[Thing]>([])

  /// Takes the one that fits best, or else any other one; nil where there is none.
  func take(where isFitting: (Thing) -> Bool) -> Thing? {
    things.withLock { things in
      let place = things.firstIndex(where: isFitting) ?? things.indices.first
      return place.map { things.remove(at: $0) }
    }
  }

  /// All that are not taken.
  var all: [Thing] { things.withLock { $0 } }

  func put(_ thing: Thing) { things.withLock { $0.append(thing) } }
}
