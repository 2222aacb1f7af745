internal import CFFmpeg

extension Stream {
  /// FFmpeg's names of its range, primaries, transfer and matrix (ITU-T H.273), of those that the container
  /// says.
  package var colourNames: (range: String?, primaries: String?, transfer: String?, matrix: String?)
  {
    func text(_ name: UnsafePointer<CChar>?) -> String? { name.map { String(cString: $0) } }
    let known = colours
    return (
      known[0] == nil ? nil : text(av_color_range_name(parameters.color_range)),
      known[1] == nil ? nil : text(av_color_primaries_name(parameters.color_primaries)),
      known[2] == nil ? nil : text(av_color_transfer_name(parameters.color_trc)),
      known[3] == nil ? nil : text(av_color_space_name(parameters.color_space))
    )
  }

  /// Pictures a second on average, as a fraction (`AVStream.avg_frame_rate`); nil where the header does not
  /// say.
  package var meanPictureRate: (numerator: Int, denominator: Int)? {
    let rate = pointer.pointee.avg_frame_rate
    return rate.num > 0 && rate.den > 0 ? (Int(rate.num), Int(rate.den)) : nil
  }

  /// The key pictures that an MP4's index lists, and the most ticks from one to the next; nil for others,
  /// whose indexes do not list all. O(pictures).
  package var indexedKeys: (count: Int, longest: Int64)? {
    guard owner.formatName.hasPrefix("mov,") else { return nil }
    var (count, longest, last) = (0, Int64(0), nil as Int64?)
    for index in 0..<avformat_index_get_entries_count(pointer) {
      guard let entry = avformat_index_get_entry(pointer, index) else { return nil }
      guard entry.pointee.flags & AVINDEX_KEYFRAME != 0 else { continue }
      if let last { longest = max(longest, entry.pointee.timestamp &- last) }
      (count, last) = (count + 1, entry.pointee.timestamp)
    }
    return count > 0 ? (count, longest) : nil
  }
}
