import MediaComposition

extension Asset {
  /// Throws where the container, by FFmpeg's names, does not say when pictures are shown.
  ///
  /// AVI has times of decoding alone, and MPEG-PS times of some packets. From these follow the others of
  /// codecs of which no picture is shown later than it is decoded, and of MPEG, in which one that others
  /// refer to is shown when the next such one is decoded. H.264 has orders that are not known by them.
  func requirePictureTimes() throws(PictureProblem) {
    let codec = videoCodec ?? "none"
    let isTimed =
      switch container {
      case "avi": Self.aviCodecs.contains(codec) || MovieContainer.promptCodecs.contains(codec)
      case "mpeg": ["mpeg1video", "mpeg2video"].contains(codec)
      case "ogg": ["theora", "vp8"].contains(codec)
      default: Self.timedContainers.contains(where: container.hasPrefix)
      }
    guard !isTimed else { return }
    throw PictureProblem(
      message: "the picture of '\(location)' is not copied from \(container), where the times of "
        + "\(codec) are not known: sources are MP4, MOV, Matroska, WebM, MPEG-TS and FLV, AVI of MPEG-4, "
        + "MJPEG and older codecs, MPEG-PS of MPEG-1 and 2, and Ogg of Theora and VP8",
      help: "put it into Matroska first: 'ffmpeg -fflags +genpts -i IN -c copy OUT.mkv'")
  }

  /// Containers that give each picture its time.
  private static let timedContainers = ["mov,", "matroska,", "mpegts", "flv"]

  private static let aviCodecs: Set<String> = [
    "mpeg4", "mjpeg", "ffv1", "huffyuv", "ffvhuff", "utvideo", "dvvideo",
  ]
}
