import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Synchronization
import Threads

/// Lets the sound that a recorder reads be heard, with a short delay (as an AVAudioEngine whose
/// `inputNode` is connected to its mixer).
///
/// The recording never waits for it: sound for which the monitor has no room is lost to the monitor
/// alone. Where the clocks of the two devices differ, a few milliseconds are left out or repeated
/// now and then, with a cross-fade, so that the delay stays. Of one recorder; safe from any thread.
public final class RecordingMonitor: Sendable {
  private struct State {
    var latency: Time?
    var failure: Failure?
    var volume: Float = 1
  }

  private let opener: SinkOpener
  private let state = Mutex(State())
  private let lost = Atomic<Int64>(0)
  private let dry = Atomic<Int>(0)
  private let isEnding = Atomic<Bool>(false)
  private let endRequested: WakeUp
  private static let retryMilliseconds: Int32 = 500

  /// A monitor that plays through a device, which is opened when the recorder has opened its own.
  ///
  /// - Parameter opener: Opens the device; again, from time to time, if it is gone.
  /// - Throws: `tryAgain` if the process gets no descriptor.
  public init(opening opener: @escaping SinkOpener) throws(Failure) {
    self.opener = opener
    do {
      endRequested = try WakeUp()
    } catch {
      throw Failure(.tryAgain, "the monitor cannot start: \(error)")
    }
  }

  /// The time from the recorder's read to the ear, as far as the device gives its delay; nil while
  /// no device plays.
  public var latency: Time? { state.withLock { $0.latency } }

  /// Why the device cannot be opened; nil while it plays, and before the first attempt.
  public var failure: Failure? { state.withLock { $0.failure } }

  /// Frames that were recorded and not heard, since the device was slow or gone.
  public var lostFrames: Int64 { lost.load(ordering: .relaxed) }

  /// How often the device ran out of sound.
  package var xruns: Int { dry.load(ordering: .relaxed) }

  /// The volume as a factor from 0 to 4; a change is a ramp of 10 ms.
  public var volume: Float {
    get { state.withLock { $0.volume } }
    set { state.withLock { $0.volume = newValue.isFinite ? max(0, min(4, newValue)) : 1 } }
  }

  // MARK: The thread

  func end(_ reader: DeviceReader) {
    isEnding.store(true, ordering: .releasing)
    endRequested.signal()
    reader.soundArrived.signal()
  }

  private var isOver: Bool { isEnding.load(ordering: .acquiring) }

  /// Plays until the end.
  func run(_ reader: DeviceReader) {
    while !isOver, reader.current.opened == nil { reader.soundArrived.wait(milliseconds: -1) }
    guard let opened = reader.current.opened else { return }
    let (format, ring) = (opened.format, opened.monitored)
    reader.isMonitored.store(true, ordering: .releasing)
    defer { reader.isMonitored.store(false, ordering: .releasing) }
    while !isOver {
      do throws(Failure) {
        let sink = try opener(
          SinkRequest(sampleRate: format.sampleRate, channelCount: format.channelCount))
        try requireRate(of: sink.format, format)
        drop(ring)
        state.withLock { $0.failure = nil }
        try play(ring, format, to: sink, reader)
        // Before the device is closed, which may take as long as its server hangs.
        withExtendedLifetime(sink) { state.withLock { $0.latency = nil } }
      } catch {
        state.withLock { ($0.latency, $0.failure) = (nil, error) }
      }
      lost.wrappingAdd(reader.unmonitoredFrames.exchange(0, ordering: .relaxed), ordering: .relaxed)
      if !isOver { endRequested.wait(milliseconds: Self.retryMilliseconds) }
    }
  }

  private func requireRate(of sink: SinkFormat, _ source: SourceFormat) throws(Failure) {
    guard sink.sampleRate != source.sampleRate else { return }
    throw Failure(
      .mendMachine,
      "the monitor's device plays \(sink.sampleRate) Hz, and \(source.sampleRate) Hz are recorded; "
        + "choose another device, or record at that rate")
  }

  /// Drops sound that came while no device was open.
  private func drop(_ ring: CaptureRing) {
    while let slot = ring.slots.first {
      lost.wrappingAdd(Int64(slot.frameCount), ordering: .relaxed)
      ring.slots.removeFirst()
    }
  }

  /// Plays until the sink is gone, or the monitor ends.
  private func play(
    _ ring: CaptureRing, _ format: SourceFormat, to sink: any AudioSink, _ reader: DeviceReader
  ) throws(Failure) {
    let packet = MonitorPacket(from: format, to: sink)
    let block = AudioBuffer(channelCount: format.channelCount, capacity: ring.slotFrames)
    while !isOver {
      while let slot = ring.slots.first {
        SampleReader.convert(slot, to: block)
        ring.slots.removeFirst()
        lost.wrappingAdd(Int64(packet.add(block)), ordering: .relaxed)
      }
      lost.wrappingAdd(reader.unmonitoredFrames.exchange(0, ordering: .relaxed), ordering: .relaxed)
      let (latency, volume) = (packet.latency, self.volume)
      state.withLock { $0.latency = latency }
      switch try packet.write(volume: volume) {
      case .done: reader.soundArrived.wait(milliseconds: 200)
      case .full:
        sink.wait(or: reader.soundArrived.descriptor, milliseconds: 200)
        reader.soundArrived.clear()
      case .dry: dry.wrappingAdd(1, ordering: .relaxed)
      case .gone: return
      }
    }
  }
}

/// Sound between the monitor's queue and its sink. Of the monitor's thread.
private final class MonitorPacket {
  enum Outcome { case done, full, dry, gone }

  private let sink: any AudioSink
  private let converter: DeviceSampleConverter
  private var queue: MonitorQueue
  private var pacer: MonitorPacer
  private let sampleRate: Int
  private let channelCount: Int
  /// Frames that are converted at once.
  private let capacity: Int
  private let planes: AudioBuffer
  /// Converted bytes, and the frames of them that are still to be written.
  private let bytes: UnsafeMutableRawPointer
  private var pending = 0..<0
  /// Whether sound is collected before the device starts, or starts again.
  private var isFilling = true

  init(from source: SourceFormat, to sink: any AudioSink) {
    self.sink = sink
    let format = sink.format
    sampleRate = format.sampleRate
    capacity = max(64, min(format.periodFrames, 4096))
    // Mono is heard on both sides.
    channelCount = min(format.channelCount, max(2, source.channelCount))
    converter = DeviceSampleConverter(format, capacity: capacity)
    queue = MonitorQueue(channelCount: source.channelCount, sampleRate: sampleRate)
    pacer = MonitorPacer(
      sourcePeriod: source.periodFrames, sinkPeriod: format.periodFrames, sampleRate: sampleRate)
    planes = AudioBuffer(channelCount: 1, capacity: capacity * channelCount)
    bytes = .allocate(byteCount: capacity * format.frameSize, alignment: 16)
  }

  deinit { bytes.deallocate() }

  private var held: Int { queue.count + pending.count + sink.delay }

  var latency: Time { Time(frames: Int64(held), rate: sampleRate) }

  /// Appends a block, correcting drift.
  ///
  /// - Returns: The frames that are lost.
  func add(_ block: AudioBuffer) -> Int {
    let lost = queue.append(block)
    guard !isFilling else {
      isFilling = held < pacer.target
      return lost
    }
    let correction = pacer.correction(after: block.frameCount, held: held)
    if correction < 0 { _ = queue.playTwice(-correction) }
    return lost + (correction > 0 ? queue.leaveOut(correction) : 0)
  }

  /// Writes what there is.
  func write(volume: Float) throws(Failure) -> Outcome {
    guard !isFilling else { return .done }
    while true {
      if pending.isEmpty, !fill(volume) { return .done }
      let frameSize = sink.format.frameSize
      switch try sink.write(bytes + pending.lowerBound * frameSize, count: pending.count) {
      case .wrote(let count): pending = (pending.lowerBound + count)..<pending.upperBound
      case .full: return .full
      case .ranDry:
        isFilling = true
        pacer.restart()
        return .dry
      case .interrupted: sink.drop()
      case .gone: return .gone
      }
    }
  }

  /// Converts the next frames; false if there are none.
  private func fill(_ volume: Float) -> Bool {
    let samples = planes.planes[0]
    let count = queue.take(
      capacity, into: samples, channels: channelCount, planeCapacity: capacity)
    guard count > 0 else { return false }
    var slot = SlotRing.Slot(samples: samples)
    (slot.frameCount, slot.channelCount) = (count, channelCount)
    converter.convert(
      slot, planeCapacity: capacity, from: 0, count: count, levels: .init(volume: volume),
      to: bytes)
    pending = 0..<count
    return true
  }
}
