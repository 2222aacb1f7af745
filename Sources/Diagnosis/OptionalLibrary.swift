import Glibc

/// A library that is loaded when something asks for it. avjob works without it otherwise.
package enum OptionalLibrary: Sendable, Hashable {
  /// alsa-lib.
  case alsa
  /// libcurl.
  case curl
  /// libavfilter of a major version.
  case filters(version: Int)
  /// libavcodec of a major version, with all of its codecs.
  case codecs(version: Int)
  /// libavcodec of a major version, with what comes under a licence of its own: encoders of AMR.
  case moreCodecs(version: Int)
  /// libpulse.
  case pulseAudio
  /// libfdk-aac.
  case fdkAAC

  /// The package that brings it on this machine.
  package var packageName: String { packageName(on: .current) }

  /// The package that brings it on a distribution; Debian's where that is not known.
  func packageName(on distribution: Distribution) -> String {
    switch (self, distribution) {
    case (.alsa, .debian(true)): "libasound2t64"
    case (.alsa, .debian(false)), (.alsa, .suse), (.alsa, .other): "libasound2"
    case (.alsa, _): "alsa-lib"
    case (.curl, .debian(true)): "libcurl4t64"
    case (.curl, .debian(false)), (.curl, .suse), (.curl, .other): "libcurl4"
    case (.curl, .arch): "curl"
    case (.curl, _): "libcurl"
    case (.filters, .arch): "ffmpeg"
    case (.filters, .fedora): "libavfilter-free"
    case (.filters, .alpine): "ffmpeg-libavfilter"
    case (.filters(let version), _): "libavfilter\(version)"
    case (.codecs, .arch): "ffmpeg"
    // That of RPM Fusion: Fedora's own lacks x264 and x265.
    case (.codecs, .fedora): "libavcodec-freeworld"
    case (.codecs, .alpine): "ffmpeg-libavcodec"
    case (.codecs(let version), _): "libavcodec\(version)"
    case (.moreCodecs(let version), .debian): "libavcodec-extra\(version)"
    case (.moreCodecs(let version), _): Self.codecs(version: version).packageName(on: distribution)
    case (.pulseAudio, .fedora): "pulseaudio-libs"
    case (.pulseAudio, .arch), (.pulseAudio, .alpine): "libpulse"
    case (.pulseAudio, _): "libpulse0"
    case (.fdkAAC, .debian), (.fdkAAC, .suse), (.fdkAAC, .other): "libfdk-aac2"
    case (.fdkAAC, .arch): "libfdk-aac"
    case (.fdkAAC, _): "fdk-aac"
    }
  }

  /// What to do for it on this machine, as `install libpulse0`.
  package var installation: String { installation(on: .current) }

  /// What to do for it on a distribution: the package, and where that has it, if not among its usual
  /// ones.
  func installation(on distribution: Distribution) -> String {
    let origin: String? =
      switch (self, distribution) {
      case (.fdkAAC, .debian): "'non-free' of Debian, 'multiverse' of Ubuntu"
      // Fedora's own, fdk-aac-free, has no HE-AAC.
      case (.fdkAAC, .fedora): "RPM Fusion"
      case (.fdkAAC, .suse): "Packman"
      default: nil
      }
    return "install " + packageName(on: distribution) + (origin.map { " from \($0)" } ?? "")
  }
}

/// A family of distributions, by how they name packages.
enum Distribution: Sendable, Hashable {
  /// Debian, Ubuntu and what is made of them; since Debian 13 and Ubuntu 24.04 packages whose
  /// functions take a time have `t64` in their names.
  case debian(hasLongTimes: Bool)
  case fedora
  case suse
  case arch
  case alpine
  case other

  /// That of this machine.
  static let current = Distribution(osRelease: systemFile("/etc/os-release"))

  /// That of a system by its os-release(5).
  init(osRelease: String) {
    var settings: [Substring: String] = [:]
    for line in osRelease.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      settings[parts[0]] = parts[1].filter { $0 != "\"" && $0 != "'" }
    }
    let id = settings["ID"] ?? ""
    let names = [id] + (settings["ID_LIKE"] ?? "").split(separator: " ").map(String.init)
    // That of the release which a derivative is made of, where it is named. Debian's testing and
    // unstable have one and no version.
    let codename = ["UBUNTU_CODENAME", "DEBIAN_CODENAME", "VERSION_CODENAME"]
      .lazy.compactMap { settings[$0] }.first
    let hasLongTimes = !["bullseye", "bookworm", "focal", "jammy"].contains(codename)
    let family: Distribution? = names.lazy.compactMap { name in
      switch name {
      case "debian", "ubuntu": .debian(hasLongTimes: hasLongTimes)
      case "fedora", "rhel", "centos", "amzn": .fedora
      case "suse", "opensuse": .suse
      case "arch": .arch
      case "alpine": .alpine
      default: nil
      }
    }.first
    self = family ?? .other
  }
}

/// A small file of the system's; empty where it cannot be read.
private func systemFile(_ path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 14)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}
