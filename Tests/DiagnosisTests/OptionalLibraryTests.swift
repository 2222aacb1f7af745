import TestSupport
import Testing

@testable import Diagnosis

@Suite("Libraries that are loaded when they are asked for")
struct OptionalLibraryTests {
  @Test("are named as on this machine")
  func here() throws {
    let osRelease = String(decoding: try readFile("/etc/os-release"), as: UTF8.self)
    #expect(Distribution.current == Distribution(osRelease: osRelease))
    #expect(Distribution.current != .other)
  }

  @Test(
    "have the names of the distribution's packages",
    arguments: [
      (
        "ID=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0", "libfdk-aac2"]
      ),
      (
        "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\nVERSION_ID=\"13\"\nVERSION_CODENAME=trixie\n",
        [
          "libasound2t64", "libcurl4t64", "libavfilter8", "libavcodec59", "libpulse0",
          "libfdk-aac2",
        ]
      ),
      (
        "ID=debian\nVERSION_CODENAME=sid\n",
        [
          "libasound2t64", "libcurl4t64", "libavfilter8", "libavcodec59", "libpulse0",
          "libfdk-aac2",
        ]
      ),
      (
        "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=jammy\nUBUNTU_CODENAME=jammy\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0", "libfdk-aac2"]
      ),
      (
        "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=xia\nUBUNTU_CODENAME=noble\n",
        [
          "libasound2t64", "libcurl4t64", "libavfilter8", "libavcodec59", "libpulse0",
          "libfdk-aac2",
        ]
      ),
      (
        "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=vera\nUBUNTU_CODENAME=jammy\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0", "libfdk-aac2"]
      ),
      (
        "ID=raspbian\nID_LIKE=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0", "libfdk-aac2"]
      ),
      (
        "ID=fedora\nVERSION_ID=44\n",
        [
          "alsa-lib", "libcurl", "libavfilter-free", "libavcodec-freeworld", "pulseaudio-libs",
          "fdk-aac",
        ]
      ),
      (
        "ID='rocky'\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID='9.6'\n",
        [
          "alsa-lib", "libcurl", "libavfilter-free", "libavcodec-freeworld", "pulseaudio-libs",
          "fdk-aac",
        ]
      ),
      (
        "ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0", "libfdk-aac2"]
      ),
      ("ID=arch\n", ["alsa-lib", "curl", "ffmpeg", "ffmpeg", "libpulse", "libfdk-aac"]),
      (
        "ID=alpine\n",
        ["alsa-lib", "libcurl", "ffmpeg-libavfilter", "ffmpeg-libavcodec", "libpulse", "fdk-aac"]
      ),
      ("", ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0", "libfdk-aac2"]),
    ])
  func names(osRelease: String, expected: [String]) {
    let distribution = Distribution(osRelease: osRelease)
    #expect(
      [
        OptionalLibrary.alsa, .curl, .filters(version: 8), .codecs(version: 59), .pulseAudio,
        .fdkAAC,
      ]
      .map { $0.packageName(on: distribution) } == expected)
  }

  @Test("Debian has libavcodec with encoders of AMR in a package of its own")
  func moreCodecs() {
    let more = OptionalLibrary.moreCodecs(version: 59)
    let debian = Distribution(osRelease: "ID=debian\nVERSION_CODENAME=bookworm\n")
    #expect(more.packageName(on: debian) == "libavcodec-extra59")
    #expect(more.packageName(on: Distribution(osRelease: "ID=fedora\n")) == "libavcodec-freeworld")
    #expect(more.packageName(on: Distribution(osRelease: "ID=arch\n")) == "ffmpeg")
  }

  @Test("say where a distribution has them, if not among its usual packages")
  func origins() {
    for (osRelease, expected) in [
      (
        "ID=debian\nVERSION_CODENAME=bookworm\n",
        "install libfdk-aac2 from 'non-free' of Debian, 'multiverse' of Ubuntu"
      ),
      ("ID=fedora\n", "install fdk-aac from RPM Fusion"),
      ("ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n", "install libfdk-aac2 from Packman"),
      ("ID=alpine\n", "install fdk-aac"), ("", "install libfdk-aac2"),
    ] {
      let distribution = Distribution(osRelease: osRelease)
      #expect(OptionalLibrary.fdkAAC.installation(on: distribution) == expected)
    }
    #expect(
      OptionalLibrary.pulseAudio.installation(on: Distribution(osRelease: "ID=arch\n"))
        == "install libpulse")
  }
}
