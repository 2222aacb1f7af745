/// Channels of a content that stand for all of it.
public enum ChannelSelection: Sendable, Hashable, Codable {
  /// All of them, brought to a layout by the matrices of `ChannelMatrix`.
  case layout(ChannelLayout)
  /// One alone, counted from 0 in FFmpeg's order, as mono.
  case channel(Int)
}
