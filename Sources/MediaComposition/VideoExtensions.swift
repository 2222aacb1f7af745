import SystemPackage

extension OutputCapabilities {
  /// Extensions of videos that are not written, in lower case. No output may end in one, whatever its
  /// format is: the name would hide that the picture is lost.
  package static let videoExtensions: Set<String> = [
    "264", "265", "3g2", "3gp", "3gp2", "3gpp", "amv", "asf", "av1", "avi", "divx", "dv", "f4v",
    "flv", "gxf", "h264", "h265", "hevc", "ivf", "m1v", "m2p", "m2t", "m2ts", "m2v", "mj2",
    "mjpeg", "mjpg", "mk3d", "mp4v", "mpe", "mpeg", "mpg", "mpv", "mts", "mxf",
    "nut", "ogm", "ogv", "ogx", "qt", "rm", "rmvb", "tod", "ts", "vob", "wmv", "wtv", "y4m",
  ]
}

extension FilePath {
  /// Its extension in lower case, if that is a video's.
  package var videoExtension: String? {
    self.extension.map { $0.lowercased() }.flatMap {
      OutputCapabilities.videoExtensions.contains($0) ? $0 : nil
    }
  }
}
