import Synchronization

/// The slots of a ring between two threads: one fills them in order, the other empties them.
///
/// Neither thread waits, locks or allocates. All memory is allocated at the start.
//
// `@unchecked Sendable`: two counters, which only grow, give the owner of a slot. Slot number n, at
// n modulo the number of slots, is the filling thread's until that has raised `filled` above n, and
// then the emptying thread's until that has raised `emptied` above n. Each counter is stored by one
// thread, with release, after all its work on the slot, and loaded by the other one, with acquire,
// before any work on it: so writes of the one are seen by the other, and slots in use are not
// overwritten. A thread loads its own counter in any order.
struct RingSlots<Slot>: ~Copyable, @unchecked Sendable {
  private let slots: UnsafeMutableBufferPointer<Slot>
  private let memory: UnsafeMutableRawPointer
  private let filled = Atomic<Int>(0)
  private let emptied = Atomic<Int>(0)

  /// Empty slots. O(bytes of all).
  ///
  /// - Parameters:
  ///   - count: The number of slots, above 0.
  ///   - size: Bytes of a slot.
  ///   - make: Makes a slot of its bytes, which are zero and live as long as the ring.
  init(count: Int, bytesPerSlot size: Int, _ make: (UnsafeMutableRawPointer) -> Slot) {
    memory = .allocate(byteCount: count * size, alignment: 16)
    // Touched, so that no page is missing for a thread that must run in time.
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count * size)
    slots = .allocate(capacity: count)
    for index in 0..<count { slots.initializeElement(at: index, to: make(memory + index * size)) }
  }

  deinit {
    slots.deinitialize()
    slots.deallocate()
    memory.deallocate()
  }

  // MARK: The filling thread

  var room: Int {
    slots.count - (filled.load(ordering: .relaxed) - emptied.load(ordering: .acquiring))
  }

  /// The slot that is filled next; nil if all are full.
  var next: Slot? {
    room > 0 ? slots[filled.load(ordering: .relaxed) % slots.count] : nil
  }

  /// Fills the next slot, which must be free, and hands it over.
  func fill(_ body: (inout Slot) -> Void) {
    let number = filled.load(ordering: .relaxed)
    // A copy: to ThreadSanitizer, a change through a property is a change of the property.
    let slots = slots
    body(&slots[number % slots.count])
    filled.store(number + 1, ordering: .releasing)
  }

  // MARK: The emptying thread

  /// The oldest filled slot; nil if there is none.
  var first: Slot? {
    let number = emptied.load(ordering: .relaxed)
    guard number < filled.load(ordering: .acquiring) else { return nil }
    return slots[number % slots.count]
  }

  func removeFirst() {
    emptied.store(emptied.load(ordering: .relaxed) + 1, ordering: .releasing)
  }

  func removeAll() {
    emptied.store(filled.load(ordering: .acquiring), ordering: .releasing)
  }
}
