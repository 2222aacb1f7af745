import Diagnosis
import Glibc
import MediaComposition
import Threads

/// The frames on their way to a sink: converted once, in pieces of at most a slot, and written as
/// soon as the sink is to have them.
///
/// Allocates nothing after `init`. Belongs to the writing thread.
struct DevicePacket {
  enum Step: Hashable {
    case again
    case wait
    /// The sink holds as much as it is to hold; go on after so many milliseconds.
    case hold(milliseconds: Int32)
    /// Wait for the ring to be filled.
    case starved
    /// Everything up to the last slot was heard.
    case finished
    /// The sink has lost the frames that it held.
    case interrupted
    case gone
  }

  private let ring: SlotRing
  private let sink: any AudioSink
  private let counts: Counts
  private let format: SinkFormat
  private let converter: DeviceSampleConverter
  private let buffer: Buffer
  private let fade: CrossFade
  /// What the sink held when it was looked at before the present write; nil: it was not.
  private var delayBefore: Int?
  /// When a sink that is to hold little gets the next piece, in nanoseconds of the monotonic clock;
  /// nil: when it holds so little.
  private var due: Int64?
  /// Frames in `buffer`, and those that the sink took of them.
  private var converted = 0
  private var taken = 0
  /// Frames of the played lane's first slot that were converted.
  private var offset = 0
  /// The index of the frame that the sink gets next.
  private var index: Int64
  private var isDraining = false
  /// Whether the sink plays to its end, although more sound follows.
  private var isPlayingOut = false
  /// Frames that the sink has taken since it was opened or dropped.
  private var held: Int64 = 0
  /// By how much the sink holds more than it is asked to: doubled by each xrun.
  private var patience = 1
  private let clock: @Sendable () -> Int64
  /// The silence before the sound; nil: none was asked for, or it is over.
  private var leadIn: LeadIn?
  /// The start that was waited for last.
  private var begun: Int64?
  /// Whether `buffer` has silence of the lead-in.
  private var isLeading = false
  /// Frames of `held` that were silence of the lead-in.
  private var silent: Int64 = 0

  init(
    _ ring: SlotRing, _ sink: any AudioSink, _ counts: Counts,
    _ clock: @escaping @Sendable () -> Int64 = { monotonicNanoseconds() }
  ) {
    self.clock = clock
    self.ring = ring
    self.sink = sink
    self.counts = counts
    format = sink.format
    converter = DeviceSampleConverter(sink.format, capacity: ring.slotFrames)
    buffer = Buffer(byteCount: ring.slotFrames * sink.format.frameSize)
    // 10 ms.
    fade = CrossFade(
      channelCount: sink.format.channelCount,
      capacity: max(1, min(ring.slotFrames, sink.format.sampleRate / 100)))
    index = counts.progress.written
  }

  /// Stops the sound at once, empties the ring, and publishes how far it was heard.
  mutating func flush() {
    let delay = sink.delay
    sink.drop()
    forget(delay)
  }

  /// Empties the ring after the sink has lost its frames, which were not heard. Calls only `delay`
  /// of the sink: the server of a sink that is gone may hang.
  mutating func lose() { forget(sink.delay) }

  /// Forgets everything, of which `delay` frames were written and not heard.
  private mutating func forget(_ delay: Int) {
    note(delay)
    // What leads in is no sound.
    let sounding = silent > 0 ? min(Int64(delay), held - silent) : Int64(delay)
    index -= min(index, sounding)
    counts.publish(written: index, delay: 0, isHeard: false)
    ring.removeAll()
    fade.clear()
    (converted, taken, offset, held) = (0, 0, 0, 0)
    (isDraining, isPlayingOut, due) = (false, false, nil)
    (leadIn, isLeading, silent) = (nil, false, 0)
  }

  private func publish(delay: Int) {
    counts.publish(written: index, delay: delay, isHeard: isHeard(delay))
    note(delay)
  }

  /// Records whether any sound was heard.
  private func note(_ delay: Int) {
    if isHeard(delay) { counts.hasPlayed.store(true, ordering: .releasing) }
  }

  private func isHeard(_ delay: Int) -> Bool { held > Int64(delay) }

  /// Writes the next piece, or the rest of one.
  ///
  /// - Parameters:
  ///   - levels: Those of the next piece.
  ///   - most: Frames that the sink is to hold at most while it plays; nil: as many as it takes.
  ///   - start: When the first frame after a silence is to be heard, in nanoseconds of the clock; nil:
  ///     soon.
  /// - Returns: What is to be done next.
  /// - Throws: The sink's error; its frames are lost then, and the ring is empty.
  mutating func step(
    _ levels: DeviceSampleConverter.Levels, holding most: Int? = nil, startingAt start: Int64? = nil
  ) throws(Failure) -> Step {
    do throws(Failure) {
      return try handOver(levels, most, start)
    } catch {
      lose()
      throw error
    }
  }

  private mutating func handOver(
    _ levels: DeviceSampleConverter.Levels, _ most: Int?, _ start: Int64?
  ) throws(Failure) -> Step {
    // Slots after the last one wait: a draining device takes nothing.
    if isDraining { return try drain() }
    if isPlayingOut { return try drainToGoOn() }
    if taken == converted {
      if ring.isOffered { goOver() }
      if let start, start != begun {
        if let pause = leads(to: start) { return .hold(milliseconds: pause) }
      }
      if !isLeading {
        if let pause = pause(holding: most) { return .hold(milliseconds: pause) }
        let isThere = convert(levels)
        // The time was for a whole slot.
        if converted < ring.slotFrames { due = nil }
        guard isThere else { return .starved }
      }
    }
    if taken < converted {
      defer { delayBefore = nil }
      switch try sink.write(buffer.bytes + taken * format.frameSize, count: converted - taken) {
      case .wrote(let count):
        taken += count
        held += Int64(count)
        if isLeading { silent += Int64(count) } else { index += Int64(count) }
        publish(delay: delayBefore.map { $0 + count } ?? sink.delay)
      case .full:
        publish(delay: sink.delay)
        return .wait
      case .ranDry:
        if isLeading {
          // The silence begins anew.
          (leadIn, converted, taken, isLeading) = (nil, 0, 0, false)
        } else {
          counts.xruns.wrappingAdd(1, ordering: .relaxed)
          note(0)
          patience = min(patience * 2, 1 << 10)
        }
        (held, silent, due) = (0, 0, nil)
      case .interrupted: return .interrupted
      case .gone: return .gone
      }
    }
    if taken == converted { removeHeardSlot() }
    return .again
  }

  /// Takes a step towards a start.
  ///
  /// - Returns: Milliseconds in which nothing is to be done; nil: `buffer` has silence, if
  ///   `isLeading`, or the sound begins.
  private mutating func leads(to start: Int64) -> Int32? {
    if leadIn?.start != start { leadIn = LeadIn(to: start) }
    let (now, fill) = momentaryFill()
    let isPlaying = fill.isPlaying && isHeard(fill.delay)
    switch leadIn?.step(
      at: now, delay: isPlaying ? fill.delay : nil, sampleRate: format.sampleRate,
      takesAll: sink.isFixed)
    {
    case .hold(let milliseconds):
      publish(delay: fill.delay)
      return milliseconds
    case .silence(let frames):
      let count = min(frames, ring.slotFrames)
      memset(buffer.bytes, 0, count * format.frameSize)
      (converted, taken, isLeading) = (count, 0, true)
    case .begin, nil: (leadIn, begun) = (nil, start)
    }
    return nil
  }

  /// What the sink holds, and the time of that: of a few looks the quickest one.
  private func momentaryFill() -> (now: Int64, fill: SinkFill) {
    var (best, found) = (Int64.max, (now: clock(), fill: sink.fill))
    for _ in 0..<4 where best > 20_000 {
      let before = clock()
      let fill = sink.fill
      let took = clock() - before
      if took < best { (best, found) = (took, (before + took / 2, fill)) }
    }
    return found
  }

  /// Converts the next piece: of a cross-fade between two lanes, or of the played lane.
  ///
  /// - Returns: Whether there was one.
  private mutating func convert(_ levels: DeviceSampleConverter.Levels) -> Bool {
    if let slot = fade.sound {
      converter.convert(
        slot, planeCapacity: fade.capacity, from: 0, count: slot.frameCount, levels: levels,
        to: buffer.bytes)
      (converted, taken) = (slot.frameCount, 0)
      fade.clear()
      return true
    }
    guard let slot = firstSlot() else { return false }
    let count = slot.frameCount - offset
    converter.convert(
      slot, planeCapacity: ring.slotFrames, from: offset, count: count, levels: levels,
      to: buffer.bytes)
    (converted, taken) = (count, 0)
    index = slot.index + Int64(offset)
    offset += count
    return true
  }

  /// The played lane's first slot, without frames that were written: a lane that replaces another
  /// begins before the place of the change.
  private mutating func firstSlot() -> SlotRing.Slot? {
    while let slot = ring.played.slots.first {
      guard slot.index + Int64(offset) < index else { return slot }
      guard slot.end <= index, !slot.isLast else {
        offset = Int(min(index - slot.index, Int64(slot.frameCount)))
        return slot
      }
      offset = 0
      ring.played.slots.removeFirst()
    }
    return nil
  }

  /// Removes the played lane's first slot after all of it was written.
  private mutating func removeHeardSlot() {
    (converted, taken) = (0, 0)
    guard !isLeading else { return isLeading = false }
    guard let slot = ring.played.slots.first, offset == slot.frameCount, offset > 0 || slot.isLast
    else { return }
    isDraining = slot.isLast
    offset = 0
    ring.played.slots.removeFirst()
  }

  /// Goes over to the other lane at the next frame, if that has come so far.
  private mutating func goOver() {
    let start = fade.mix(
      (ring.played, offset), into: ring.next, at: index, planeCapacity: ring.slotFrames)
    guard let start else { return }
    offset = start
    ring.takeReplacement()
  }

  /// Milliseconds until the sink is to get more; nil: now.
  ///
  /// A look at the sink says when the next piece is due. A server tells what it has taken only with
  /// its next request: when the time has come, the piece is written although the sink seems to hold up
  /// to a request too much.
  private mutating func pause(holding most: Int?) -> Int32? {
    delayBefore = nil
    guard let most, held > 0 else { return nil }
    let now = monotonicNanoseconds()
    if let due, due > now { return milliseconds(to: due, from: now) }
    let fill = sink.fill
    let slack = due == nil ? 0 : min(format.periodFrames, ring.slotFrames / 2)
    (delayBefore, due) = (fill.delay, nil)
    // Until it plays, it takes what it needs to start; and a write finds that it ran dry.
    guard fill.isPlaying, isHeard(fill.delay) else { return nil }
    let surplus = fill.buffered + ring.slotFrames - most * patience
    if surplus > slack {
      let next = time(of: surplus, after: now)
      due = next
      publish(delay: fill.delay)
      return milliseconds(to: next, from: now)
    }
    due = time(of: surplus + ring.slotFrames, after: now)
    return nil
  }

  private func time(of frames: Int, after now: Int64) -> Int64 {
    now + Int64(max(0, frames)) * 1_000_000_000 / Int64(format.sampleRate)
  }

  private func milliseconds(to due: Int64, from now: Int64) -> Int32 {
    Int32(clamping: (due - now) / 1_000_000 + 1)
  }

  /// Milliseconds until the sink holds two periods of sound; 0 if it holds less, and 200 at most. A
  /// sink that holds nothing has no such time: 200.
  var millisecondsUntilLow: Int32 {
    let delay = sink.delay
    counts.publish(written: index, delay: delay, isHeard: isHeard(delay))
    guard held > 0, delay > 0 else { return 200 }
    let surplus = max(0, delay - 2 * format.periodFrames)
    return Int32(min(200, surplus * 1000 / format.sampleRate))
  }

  /// Has the sink play all that it holds: it does not run dry then, and less than it starts with is
  /// heard, too. Sound that comes meanwhile is written afterwards.
  mutating func playOut() { isPlayingOut = true }

  private mutating func drainToGoOn() throws(Failure) -> Step {
    let isDone = try sink.drain()
    publish(delay: isDone ? 0 : sink.delay)
    guard isDone else { return .wait }
    // Ready for sound again.
    sink.drop()
    (isPlayingOut, held, due) = (false, 0, nil)
    return .again
  }

  private mutating func drain() throws(Failure) -> Step {
    let isDone = try sink.drain()
    publish(delay: isDone ? 0 : sink.delay)
    guard isDone else { return .wait }
    (isDraining, held, due) = (false, 0, nil)
    counts.finished.store(index, ordering: .releasing)
    return ring.played.slots.first == nil ? .finished : .again
  }

  /// Memory for one slot in the sink's format.
  private final class Buffer {
    let bytes: UnsafeMutableRawPointer

    init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 16) }

    deinit { bytes.deallocate() }
  }
}
