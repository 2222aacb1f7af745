import Splicing
import Synchronization
import Threads

/// A codec whose states can be shown: a packet has the sum of its own samples, and of the packets
/// before it as many as the encoder remembers.
struct ToyCodec: SplicedCodec {
  typealias Stream = ToyStream

  /// Sums of packets before its own that change a packet; nil: of all.
  var memory: Int? = 2
  /// PCM frames by which packets lie before the sound that they are made of.
  var delay = 0
  /// The packet, counted by any encoder, at which one that did not begin the stream fails.
  var failure: Int?
  /// Is set when an encoder makes that packet.
  var cancellation: (flag: CancellationFlag, packet: Int)?
  let channelCount = 1
  let framesPerPacket = 10
  let opened = Counter()

  func open(at frame: Int64) -> ToyEncoder {
    opened.add()
    return ToyEncoder(self, at: frame)
  }

  func agree(_ one: [Float], _ other: [Float]) -> Bool { one == other }
}

/// A number that threads add to.
final class Counter: Sendable {
  private let number = Mutex(0)
  var value: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

enum ToyProblem: EncodingProblem, Hashable {
  case cancelled, broken
}

final class ToyEncoder: PartEncoder {
  private let codec: ToyCodec
  private let start: Int64
  private var sums: [Float] = []
  private var rest: [Float] = []
  private var packetCount = 0

  init(_ codec: ToyCodec, at frame: Int64) { (self.codec, start) = (codec, frame) }

  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, count: Int,
    into packets: inout [Placed<[Float]>]
  ) throws(ToyProblem) {
    for index in start..<start + count {
      rest.append(planes[0][index])
      if rest.count == codec.framesPerPacket { try make(&packets) }
    }
  }

  func finish(into packets: inout [Placed<[Float]>]) throws(ToyProblem) {
    if !rest.isEmpty { try make(&packets) }
  }

  private func make(_ packets: inout [Placed<[Float]>]) throws(ToyProblem) {
    if start > 0, packetCount == codec.failure { throw .broken }
    if packetCount == codec.cancellation?.packet { codec.cancellation?.flag.cancel() }
    sums.append(rest.reduce(0, +))
    if let memory = codec.memory { sums = sums.suffix(memory + 1) }
    let first = start + Int64(packetCount * codec.framesPerPacket - codec.delay)
    packets.append(Placed(first..<first + Int64(rest.count), sums))
    packetCount += 1
    rest = []
  }
}

struct ToyStream: PacketStream {
  var packets: [Placed<[Float]>] = []
  /// The first frame of each encoder's packets.
  var starts: [Int64] = []
  private var last: ObjectIdentifier?
  /// Which packets of other encoders have room, by the number of their first frame.
  var hasRoom: @Sendable (Int64) -> Bool = { _ in true }

  init(_ hasRoom: @escaping @Sendable (Int64) -> Bool = { _ in true }) { self.hasRoom = hasRoom }

  func accepts(_: [Float], behind packets: ArraySlice<Placed<[Float]>>) -> Bool {
    hasRoom(packets.last?.frames.upperBound ?? 0)
  }

  mutating func append(
    _ packets: ArraySlice<Placed<[Float]>>, of encoder: ToyEncoder, before _: [Float]?
  ) throws(ToyProblem) {
    if let first = packets.first, last != ObjectIdentifier(encoder) {
      starts.append(first.frames.lowerBound)
      last = ObjectIdentifier(encoder)
    }
    self.packets += packets
  }
}

extension Placed<[Float]> {
  /// All that it is, to be compared.
  var row: [Float] { [Float(frames.lowerBound), Float(frames.upperBound)] + packet }
}

/// Lends a plane.
func withPlane<Result, Problem: Error>(
  _ samples: [Float], _ body: (UnsafePointer<UnsafeMutablePointer<Float>>) throws(Problem) -> Result
) throws(Problem) -> Result {
  let plane = UnsafeMutablePointer<Float>.allocate(capacity: max(1, samples.count))
  defer { plane.deallocate() }
  plane.initialize(from: samples, count: samples.count)
  return try withUnsafePointer(to: plane) { planes throws(Problem) in try body(planes) }
}
