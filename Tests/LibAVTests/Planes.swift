/// What filters give for whole channels, fed in blocks of so many frames.
///
/// `feed` gets planes and their frames, `take` planes and the frames that there is room for.
func filtered(
  _ channels: [[Float]], inBlocksOf size: Int = 4096,
  feed: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) throws -> Void,
  take: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) throws -> Int
) throws -> [[Float]] {
  let output = Planes(channels.map { _ in [Float](repeating: 0, count: 4096) })
  var result = channels.map { _ in [Float]() }
  for start in stride(from: 0, to: channels[0].count, by: size) {
    let end = min(start + size, channels[0].count)
    let block = Planes(channels.map { Array($0[start..<end]) })
    try feed(block.pointers, end - start)
    while case let count = try take(output.pointers, 4096), count > 0 {
      for channel in result.indices {
        result[channel] += UnsafeBufferPointer(start: output.pointers[channel], count: count)
      }
    }
  }
  return result
}

/// Channels as C wants them.
final class Planes {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let count: Int

  init(_ channels: [[Float]]) {
    count = channels.count
    pointers = .allocate(capacity: channels.count)
    for (index, channel) in channels.enumerated() {
      pointers[index] = .allocate(capacity: channel.count)
      pointers[index].initialize(from: channel, count: channel.count)
    }
  }

  deinit {
    for index in 0..<count { pointers[index].deallocate() }
    pointers.deallocate()
  }
}
