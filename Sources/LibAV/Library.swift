internal import CFFmpeg

/// What belongs to the process rather than to one file.
package enum Library {
  /// Silences FFmpeg's own log, which is the process's and not a caller's (`av_log_set_level`).
  ///
  /// To be called once, before any thread uses FFmpeg.
  package static func silence() { av_log_set_level(AV_LOG_QUIET) }

  /// Whether FFmpeg writes no log (`av_log_get_level`).
  package static var isSilent: Bool { av_log_get_level() == AV_LOG_QUIET }

  /// The linked FFmpeg, such as `5.1.6-0+deb12u1` (`av_version_info`).
  package static var version: String { String(cString: av_version_info()) }

  /// Refuses to run on other majors than the headers were: their structs differ.
  package static func checkVersions() throws(LibAVError) {
    let pairs: [(UInt32, Int32)] = [
      (avformat_version(), LIBAVFORMAT_VERSION_MAJOR),
      (avcodec_version(), LIBAVCODEC_VERSION_MAJOR),
      (avutil_version(), LIBAVUTIL_VERSION_MAJOR),
      (swresample_version(), LIBSWRESAMPLE_VERSION_MAJOR),
    ]
    for (linked, compiled) in pairs where linked >> 16 != UInt32(compiled) {
      throw LibAVError(code: avjob_averror(ENOSYS), operation: "matching FFmpeg's version")
    }
  }
}
