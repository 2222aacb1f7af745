import Dynamics
import Glibc
import TestSupport

/// Planar sound through a rider, by pieces of random sizes.
///
/// Copies and loops over pointers: a build for debugging takes a hundred times as long for others.
///
/// - Parameters:
///   - rider: It begins anew at `start`.
///   - sound: Channels of one length; silence is around them.
///   - start: A multiple of the rider's grid.
///   - seed: Of the sizes.
/// - Returns: Frames from the sound's first or from `start`, what is later, to its last.
func ride(
  _ rider: GainRider, _ sound: [[Float]], from start: Int = -1024, seed: UInt64 = 1
) -> [[Float]] {
  var dice = Dice(seed)
  let count = sound[0].count
  let planes = sound.map { _ in UnsafeMutablePointer<Float>.allocate(capacity: 4096) }
  defer { for plane in planes { plane.deallocate() } }
  var output = sound.map { _ in [Float]() }
  var (fed, ready) = (start, start)
  rider.reset()
  while ready < count {
    let size = Int(dice.number(1..<4097))
    let inside = min(max(fed, 0), count)..<min(max(fed + size, 0), count)
    for (plane, channel) in zip(planes, sound) {
      plane.initialize(repeating: 0, count: size)
      channel[inside].withUnsafeBufferPointer {
        if let first = $0.baseAddress {
          (plane + max(0, -fed)).update(from: first, count: inside.count)
        }
      }
    }
    planes.withUnsafeBufferPointer { $0.baseAddress.map { rider.feed($0, count: size) } }
    fed += size
    while rider.ready > 0 {
      let some = min(rider.ready, Int(dice.number(1..<4097)))
      _ = planes.withUnsafeBufferPointer { rider.take(some, into: $0.baseAddress) }
      let first = min(some, max(0, -ready))
      let last = max(first, min(some, count - ready))
      for (channel, plane) in planes.enumerated() {
        output[channel] += UnsafeBufferPointer(start: plane + first, count: last - first)
      }
      ready += some
    }
  }
  return output
}

/// Sound that a limiter has work with.
enum Material {
  /// Names of `sound`.
  static let names = [
    "noise", "clipped noise", "signs", "square", "high square", "quarter", "sweep", "clicks",
    "pairs", "bass", "bursts",
  ]

  /// `count` frames at `rate` of the material `name`, of full scale, after a tenth of silence.
  static func sound(_ name: String, rate: Int, count: Int) -> [[Float]] {
    let noise = [UInt64(3), 900_000].map { Signal.noise(seed: $0, count: count, amplitude: 1) }
    func mono(_ value: (Int) -> Double) -> [[Float]] { [(0..<count).map { Float(value($0)) }] }
    let sound: [[Float]] =
      switch name {
      case "noise": noise
      case "clipped noise": noise.map { $0.map { max(-1, min(1, 3 * $0)) } }
      case "signs": noise.map { $0.map { $0 < 0 ? -1 : 1 } }
      case "square":
        [1, -1].map { sign in (0..<count).map { $0 * 1994 / rate % 2 == 0 ? sign : -sign } }
      case "high square": mono { $0 * 20 / 73 % 2 == 0 ? 1 : -1 }
      case "quarter": mono { sin(.pi / 2 * (Double($0) + 0.5)) }
      case "sweep": mono { sin(.pi * 0.499 * Double($0) * Double($0) / Double(count)) }
      case "clicks": mono { $0 % 4001 == 100 ? 1 : 0 }
      case "pairs": mono { [100, 101].contains($0 % 4001) ? 1 : 0 }
      case "bass": mono { sin(2 * .pi * 50 * Double($0) / Double(rate)) }
      default: mono { Double(noise[0][$0]) * exp(-Double($0 % 4000) / 300) * 3 }
      }
    return sound.map { [Float](repeating: 0, count: count / 10) + $0.dropLast(count / 10) }
  }
}
