internal import CFFmpeg

/// A failure of FFmpeg.
package struct LibAVError: Error, Sendable {
  /// FFmpeg's status: a negated errno, or one of its own tags. Unknown values stay as they are.
  package let code: Int32
  /// The call that failed, such as `avformat_open_input`.
  package let operation: String
  /// Where the medium's bytes could not be read: why, as its source said it.
  package let cause: (any Error)?
  /// Whether `operation` is all that is to be said, with a remedy, to stand behind the file's name.
  package let isPhrase: Bool

  package init(
    code: Int32, operation: String, cause: (any Error)? = nil, isPhrase: Bool = false
  ) {
    self.code = code
    self.operation = operation
    self.cause = cause
    self.isPhrase = isPhrase
  }

  /// A medium that libavformat would read wrongly; `phrase` says why, with a remedy.
  package static func refused(_ phrase: String) -> LibAVError {
    LibAVError(code: avjob_averror_invaliddata(), operation: phrase, isPhrase: true)
  }

  /// A WAV of more than 4 GiB whose size in 32 bits does not say how long it is.
  static let wrappedSize = refused(
    "its size of 32 bits has wrapped: more than 4 GiB lie behind the sound that its header counts; "
      + "write it as RF64, Wave64 or FLAC with the program that made it")

  /// Of xHE-AAC, whose decoder came with FFmpeg 7.1 (libavcodec 61.19); nil where it is there.
  static var unifiedCoding: LibAVError? {
    guard avcodec_version() < 61 << 16 | 19 << 8 else { return nil }
    return refused(
      "is xHE-AAC (USAC, object type 42), which FFmpeg reads since 7.1, and this is "
        + "\(Library.version); install FFmpeg 7.1 or newer and build avjob with it, or write the sound as "
        + "FLAC with another program")
  }

  /// This error of a source, known by another one that names it.
  package func blamed(on cause: any Error) -> LibAVError {
    LibAVError(code: code, operation: operation, cause: self.cause ?? cause, isPhrase: isPhrase)
  }

  /// The errno inside `code`, or nil where it is one of FFmpeg's own (`AVUNERROR`).
  package var posix: Int32? { code < 0 && code > -4096 ? -code : nil }

  /// Whether the data itself is at fault (`AVERROR_INVALIDDATA`).
  package var isInvalidData: Bool { code == avjob_averror_invaliddata() }

  /// Whether a demuxer found fewer bytes than it needs, in a file that could be read.
  package var isMissingBytes: Bool { posix == EIO && cause == nil }

  /// Whether a file that could be read ended before anything was found in it.
  package var isEmptyFile: Bool {
    cause == nil && operation == "avformat_open_input" && code == avjob_averror_eof()
  }

  /// Whether it is a decoder's error about its packet, and not about the machine: decoders have codes
  /// of their own for damage, beside `AVERROR_INVALIDDATA`.
  package var isDamage: Bool { posix != ENOMEM && cause == nil }

  /// A file that has become another one since it was probed.
  package static let streamMissing = LibAVError(
    code: avjob_averror_invaliddata(), operation: "the stream is not there any more")

  /// Whether no allowed demuxer recognised the file: FFmpeg says EINVAL where it knows the format
  /// but the list leaves it out.
  package var isUnknownFormat: Bool {
    cause == nil && operation == "avformat_open_input" && (isInvalidData || posix == EINVAL)
  }

  /// A file in which no demuxer finds a beginning.
  static let unrecognizable = LibAVError(
    code: avjob_averror_invaliddata(), operation: "its first 512 MiB do not say what it is")

  /// Packets that give no sound at all.
  package static let nothingDecoded = LibAVError(
    code: avjob_averror_invaliddata(), operation: "its first packets decode to nothing")

  /// A stream whose rate or channels become those of `frame` midway, which a timeline cannot hold;
  /// `place` says where, such as `12.500 s`.
  package static func formatChanged(to frame: Frame, at place: String) -> LibAVError {
    formatChanged(toRate: frame.sampleRate, channels: frame.channelCount, at: place)
  }

  /// A stream whose rate or channels become these midway; `place` says where, such as `12.500 s`.
  package static func formatChanged(
    toRate rate: Int, channels count: Int, at place: String
  ) -> LibAVError {
    let channels = count == 1 ? "1 channel" : "\(count) channels"
    return LibAVError(
      code: avjob_averror_input_changed(),
      operation: "changes to \(rate) Hz and \(channels) at \(place)")
  }

  /// Whether it is that (`AVERROR_INPUT_CHANGED`).
  package var isFormatChange: Bool { code == avjob_averror_input_changed() }

  /// FFmpeg's sentence for the code (`av_strerror`).
  package var message: String {
    var buffer = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
    guard av_strerror(code, &buffer, buffer.count) == 0 else { return "FFmpeg error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension LibAVError: Hashable {
  /// By code and call: causes are not compared.
  package static func == (left: LibAVError, right: LibAVError) -> Bool {
    left.code == right.code && left.operation == right.operation
  }

  /// By code and call, as `==` compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(operation)
  }
}

/// The gate that every FFmpeg status passes: gives it back where it is no error.
@discardableResult
func check(_ status: Int32, _ operation: @autoclosure () -> String) throws(LibAVError) -> Int32 {
  guard status >= 0 else { throw LibAVError(code: status, operation: operation()) }
  return status
}

/// The gate for FFmpeg's allocators, whose only failure is a lack of memory.
func checkAllocated<T>(_ pointer: T?, _ operation: @autoclosure () -> String) throws(LibAVError)
  -> T
{
  guard let pointer else {
    throw LibAVError(code: avjob_averror(ENOMEM), operation: operation())
  }
  return pointer
}
