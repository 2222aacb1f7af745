import LibAV
import MediaComposition

extension ChannelLayout {
  /// The layout of decoded sound; channels without places get FFmpeg's usual ones.
  init(mask: UInt64, count: Int) {
    let named = ChannelLayout(mask: mask)
    guard named.count != count else {
      self = named
      return
    }
    let usual = ChannelLayout(mask: LibAV.Stream.defaultChannelMask(count: count))
    // Beyond the known places, every channel counts as a centre of its own.
    self =
      usual.count == count
      ? usual : ChannelLayout(Array(repeating: .frontCenter, count: count))
  }
}
