/// Where the packets of a movie's track lie, and how long they are, without their lengths in bytes
/// (ISO/IEC 14496-12, 8.5 to 8.7).
struct SampleTables: Sendable {
  /// Equal numbers that follow one another.
  struct Run: Sendable, Hashable {
    var count: UInt32
    let number: UInt32
  }

  /// Frames of each packet.
  private(set) var durations: [Run] = []
  /// The place of each chunk in the file.
  private(set) var places: [UInt64] = []
  /// Packets of chunks.
  private(set) var packetCounts: [(firstChunk: UInt32, run: Run)] = []
  private(set) var packetCount = 0
  /// Frames of all packets.
  private(set) var duration: Int64 = 0

  /// Appends a packet of so many frames to those of the chunk that is still to come.
  mutating func append(frames: Int64) {
    duration += frames
    packetCount += 1
    let length = UInt32(clamping: frames)
    if durations.last?.number == length, durations[durations.count - 1].count < .max {
      durations[durations.count - 1].count += 1
    } else {
      durations.append(Run(count: 1, number: length))
    }
  }

  /// Appends packets of so many frames each.
  mutating func append(_ count: Int, frames: Int64) {
    guard count > 0 else { return }
    append(frames: frames)
    let rest = UInt32(clamping: count - 1)
    guard durations[durations.count - 1].count <= .max - rest else {
      for _ in 1..<count { append(frames: frames) }
      return
    }
    durations[durations.count - 1].count += rest
    duration += Int64(rest) * frames
    packetCount += Int(rest)
  }

  /// Ends a chunk of the last packets, so many, which lie in the file one after the other.
  mutating func endChunk(of count: Int, at place: Int64) {
    guard count > 0 else { return }
    places.append(UInt64(place))
    let count = UInt32(clamping: count)
    if packetCounts.last?.run.number == count {
      packetCounts[packetCounts.count - 1].run.count += 1
    } else {
      packetCounts.append((UInt32(places.count), Run(count: 1, number: count)))
    }
  }

  /// `stts` (8.6.1.2).
  var times: [UInt8] {
    FullAtom("stts") { body in
      body.put(UInt64(durations.count), 4)
      for run in durations {
        body.put(UInt64(run.count), 4)
        body.put(UInt64(run.number), 4)
      }
    }.bytes
  }

  /// `stsc` (8.7.4).
  var chunks: [UInt8] {
    FullAtom("stsc") { body in
      body.put(UInt64(packetCounts.count), 4)
      for entry in packetCounts {
        body.put(UInt64(entry.firstChunk), 4)
        body.put(UInt64(entry.run.number), 4)
        body.put(1, 4)
      }
    }.bytes
  }

  /// `stco` or `co64` (8.7.5).
  var offsets: [UInt8] {
    let isWide = (places.last ?? 0) > UInt32.max
    return FullAtom(isWide ? "co64" : "stco") { body in
      body.put(UInt64(places.count), 4)
      for place in places { body.put(place, isWide ? 8 : 4) }
    }.bytes
  }

  /// That each packet belongs to the first group of decoding's beginnings (`sbgp` of `roll`; 8.9.2).
  var rollGroups: [UInt8] {
    FullAtom("sbgp") { body in
      body += "roll".utf8
      body.put(1, 4)
      body.put(UInt64(packetCount), 4)
      body.put(1, 4)
    }.bytes
  }
}
