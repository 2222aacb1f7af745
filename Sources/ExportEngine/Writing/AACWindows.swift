/// How the first element of an AAC packet is cut into blocks (ISO 14496-3, 4.4.2.1 and 4.4.2.7).
///
/// FFmpeg chooses the blocks of all elements by their sound alone (`psy_lame_window`), so two encoders
/// that agree in the first element for some packets agree in all.
struct AACWindows: Hashable {
  /// Long, start, eight short, stop (`window_sequence`).
  let sequence: UInt32
  /// Sine, or Kaiser-Bessel derived (`window_shape`).
  let shape: UInt32

  /// The windows of a packet (`raw_data_block`); nil where its first element is no channel, or a pair
  /// whose channels have blocks of their own.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 4 else { return nil }
    let bits = bytes.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    /// `count` bits from bit `start` on.
    func field(_ start: UInt32, _ count: UInt32) -> UInt32 {
      bits >> (32 - start - count) & ((1 << count) - 1)
    }
    // `id_syn_ele` and `element_instance_tag`; then a pair's `common_window`, or a channel's
    // `global_gain`; then `ics_reserved_bit`.
    switch field(0, 3) {
    case 0: (sequence, shape) = (field(16, 2), field(18, 1))
    case 1 where field(7, 1) == 1: (sequence, shape) = (field(9, 2), field(11, 1))
    default: return nil
    }
  }
}
