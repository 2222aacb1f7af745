import LibAV
import MediaComposition

extension ChannelLayout {
  /// The layout of decoded sound: of one channel mono, and of two stereo, where the file gives them no
  /// positions. Three channels and more are then without: which of them a writer meant for the low
  /// frequencies is anyone's guess.
  init(mask: UInt64, count: Int) {
    let bits = (0..<64).filter { mask & 1 << $0 != 0 }
    guard bits.count == count else {
      self = count == 1 ? .mono : count == 2 ? .stereo : .unplaced(count)
      return
    }
    self.init(bits.map { Channel(rawValue: $0) ?? .unplaced })
  }
}
