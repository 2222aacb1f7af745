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
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\nVERSION_ID=\"13\"\nVERSION_CODENAME=trixie\n",
        ["libasound2t64", "libcurl4t64", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "ID=debian\nVERSION_CODENAME=sid\n",
        ["libasound2t64", "libcurl4t64", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=jammy\nUBUNTU_CODENAME=jammy\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=xia\nUBUNTU_CODENAME=noble\n",
        ["libasound2t64", "libcurl4t64", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=vera\nUBUNTU_CODENAME=jammy\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "ID=raspbian\nID_LIKE=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      (
        "ID=fedora\nVERSION_ID=44\n",
        ["alsa-lib", "libcurl", "libavfilter-free", "libavcodec-freeworld", "pulseaudio-libs"]
      ),
      (
        "ID='rocky'\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID='9.6'\n",
        ["alsa-lib", "libcurl", "libavfilter-free", "libavcodec-freeworld", "pulseaudio-libs"]
      ),
      (
        "ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n",
        ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0"]
      ),
      ("ID=arch\n", ["alsa-lib", "curl", "ffmpeg", "ffmpeg", "libpulse"]),
      (
        "ID=alpine\n",
        ["alsa-lib", "libcurl", "ffmpeg-libavfilter", "ffmpeg-libavcodec", "libpulse"]
      ),
      ("", ["libasound2", "libcurl4", "libavfilter8", "libavcodec59", "libpulse0"]),
    ])
  func names(osRelease: String, expected: [String]) {
    let distribution = Distribution(osRelease: osRelease)
    #expect(
      [OptionalLibrary.alsa, .curl, .filters(version: 8), .codecs(version: 59), .pulseAudio]
        .map { $0.packageName(on: distribution) } == expected)
  }
}
