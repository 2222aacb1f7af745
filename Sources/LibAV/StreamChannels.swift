internal import CFFmpeg

extension Stream {
  /// 0 where its header names none, or more than any decoder takes: nothing is allocated by the number of a
  /// hostile header.
  package var channelCount: Int {
    let count = Int(parameters.ch_layout.nb_channels)
    return 0...Self.mostChannels ~= count ? count : 0
  }

  /// Of libavcodec (`FF_SANE_NB_CHANNELS`).
  private static let mostChannels = 512

  /// A bit for each channel (`AV_CH_…`); 0 where the header gives them no places.
  package var channelMask: UInt64 {
    avjob_layout_mask(&pointer.pointee.codecpar.pointee.ch_layout)
  }
}
