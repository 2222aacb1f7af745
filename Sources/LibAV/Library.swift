internal import CFFmpeg

/// What belongs to the process rather than to one file.
package enum Library {
  /// Silences FFmpeg's own log, which is the process's and not a caller's (`av_log_set_level`), and
  /// bounds each block of memory that it takes by 1 GiB, which no honest file needs (`av_max_alloc`).
  ///
  /// To be called once, before any thread uses FFmpeg.
  package static func silence() {
    av_log_set_level(AV_LOG_QUIET)
    av_max_alloc(1 << 30)
  }

  /// Whether FFmpeg writes no log (`av_log_get_level`).
  package static var isSilent: Bool { av_log_get_level() == AV_LOG_QUIET }

  /// The linked FFmpeg, such as `5.1.6-0+deb12u1` (`av_version_info`).
  package static var version: String { String(cString: av_version_info()) }

  /// Whether its muxer of Matroska writes how pictures are turned: since version 61 of libavformat.
  package static var turnsPicturesInMatroska: Bool { avformat_version() >> 16 >= 61 }

  /// The licence of the linked FFmpeg, such as `GPL version 2 or later` (`avformat_license`).
  package static var license: String { String(cString: avformat_license()) }

  /// The linked libraries, as their packagers and they themselves name them, each with its build:
  /// `5.1.6-0+deb12u1, avformat 59.27.100 (0ec5bcf3), …` (`av_version_info`, `avformat_version` …).
  package static var versions: String {
    let libraries: [(name: String, version: UInt32)] = [
      ("avformat", avformat_version()), ("avcodec", avcodec_version()),
      ("avutil", avutil_version()), ("swresample", swresample_version()),
    ]
    return
      ([version]
      + libraries.map { library in
        let (major, minor) = (library.version >> 16, library.version >> 8 & 0xFF)
        let name = "\(library.name) \(major).\(minor).\(library.version & 0xFF)"
        return name + build(of: "lib\(library.name).so.\(major)")
      }).joined(separator: ", ")
  }

  /// The libraries of others that FFmpeg encodes, decodes, resamples and computes with, where it is linked
  /// with them, by name: what they say of themselves, and their builds. Packagers change one and not the other.
  package static var codecVersions: [String: String] {
    let libraries: [(key: String, function: String, files: [String])] = [
      ("opus", "opus_get_version_string", ["libopus.so.0"]),
      ("vorbis", "vorbis_version_string", ["libvorbis.so.0", "libvorbisenc.so.2"]),
      ("soxr", "soxr_version", ["libsoxr.so.0"]),
    ]
    var versions: [String: String] = [:]
    for library in libraries {
      guard let text = avjob_library_text(library.function) else { continue }
      versions[library.key] = String(cString: text) + library.files.map(build).joined()
    }
    // It tells its version by no function of its own.
    let speex = build(of: "libspeex.so.1")
    if !speex.isEmpty { versions["speex"] = "libspeex" + speex }
    // Decoders and levels compute with its functions, which change with its version; its builds are
    // security updates, several a year.
    versions["libc"] = avjob_library_text("gnu_get_libc_version").map { String(cString: $0) }
    return versions
  }

  /// The major version of the libavfilter that is loaded, which names its package on Debian.
  package static let filterVersion = Int(LIBAVFILTER_VERSION_MAJOR)
  /// The major version of libavcodec, which names its package on Debian.
  package static let codecVersion = Int(LIBAVCODEC_VERSION_MAJOR)

  /// libavfilter and the library that stretches time for it, which are loaded for this: their builds.
  ///
  /// - Complexity: some 60 ms of processor time at first, for what libavfilter brings with it
  package static var filterVersions: String {
    guard FilterChain.isAvailable else { return "none" }
    let name = String(cString: avjob_avfilter_name())
    return "\(name)\(build(of: name)), rubberband\(build(of: "librubberband.so.2"))"
  }

  /// Which build of a library is loaded, as ` (0ec5bcf3)`, the first digits of its build ID: one that
  /// was compiled anew has another one. Empty where it is not loaded, or its packager gives no such
  /// numbers.
  package static func build(of file: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 4)
    let count = avjob_build_id(file, &bytes, bytes.count)
    return count == 0 ? "" : " (\(Array(bytes[..<count]).hexadecimal))"
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
