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

  /// The linked libraries, as their packagers and they themselves name them:
  /// `5.1.6-0+deb12u1, avformat 59.27.100, …` (`av_version_info`, `avformat_version` …).
  package static var versions: String {
    let libraries: [(name: String, version: UInt32)] = [
      ("avformat", avformat_version()), ("avcodec", avcodec_version()),
      ("avutil", avutil_version()), ("swresample", swresample_version()),
    ]
    return
      ([version]
      + libraries.map { library in
        let (major, minor) = (library.version >> 16, library.version >> 8 & 0xFF)
        return "\(library.name) \(major).\(minor).\(library.version & 0xFF)"
      }).joined(separator: ", ")
  }

  /// What the processor can do, as FFmpeg's bits (`av_get_cpu_flags`): codecs and resamplers choose
  /// their code by it, and not all of that rounds alike.
  package static var processorFeatures: UInt32 { UInt32(bitPattern: av_get_cpu_flags()) }

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
