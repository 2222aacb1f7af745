import LibAV

/// Packets that are made one ahead of those that are given, so that the last one is known.
struct PacketsAhead {
  private var held: Packet?

  /// The next of the packets that `make` gives, nil at their end; `finish` is shown the last one before it
  /// is given.
  mutating func next(
    _ make: () throws(LibAVError) -> Packet?, finish: (Packet) -> Void
  ) throws(LibAVError) -> Packet? {
    if held == nil { held = try make() }
    guard let packet = held else { return nil }
    held = try make()
    if held == nil { finish(packet) }
    return packet
  }
}
