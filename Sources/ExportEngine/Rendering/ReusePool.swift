import Threads

/// Things that are costly to make, kept for whichever thread needs one next.
///
/// Safe from any thread.
//
// `@unchecked Sendable`: a thing is in the pool, or with the one thread that took it. The monitor's lock
// orders the threads that have it one after the other.
final class ReusePool<Thing>: @unchecked Sendable {
  private let things = Monitor<[Thing]>([])

  /// Takes the one that fits best, or else any other one, or else makes one.
  func take<Problem: Error>(
    where isFitting: (Thing) -> Bool, or make: () throws(Problem) -> Thing
  ) throws(Problem) -> Thing {
    let idle = things.withLock { things in
      let place = things.firstIndex(where: isFitting) ?? things.indices.first
      return place.map { things.remove(at: $0) }
    }
    if let idle { return idle }
    return try make()
  }

  func put(_ thing: Thing) { things.withLock { $0.append(thing) } }

  /// Takes all of them.
  func takeAll() -> [Thing] {
    things.withLock { things in
      defer { things = [] }
      return things
    }
  }
}
