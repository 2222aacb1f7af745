import TestSupport
import Testing

@testable import LibAV

@Suite("What may be opened")
struct DemuxerListTests {
  private let allowed = Demuxer.allowed.split(separator: ",").map(String.init)

  @Test("every container that is let in is one that FFmpeg has")
  func known() throws {
    let known = try Tool.succeed("ffmpeg", "-hide_banner", "-demuxers").text
      .split(separator: "\n").flatMap { line in
        line.split(separator: " ").dropFirst().first?.split(separator: ",").map(String.init) ?? []
      }
    #expect(Set(allowed).subtracting(known).isEmpty)
    #expect(Set(allowed).count == allowed.count)
  }

  @Test("nothing that opens other files, devices or the network is let in")
  func closed() {
    let open = [
      "concat", "dash", "hls", "imf", "image2", "image2pipe", "lavfi", "rtp", "rtsp", "sap", "sdp",
      "tee", "vobsub", "webm_dash_manifest", "mlv", "alsa", "fbdev", "iec61883", "jack", "kmsgrab",
      "libcdio", "libdc1394", "openal", "oss", "pulse", "sndio", "video4linux2", "x11grab",
      "applehttp", "ffmetadata", "s16le", "f32le", "u8", "mulaw", "alaw", "sln",
    ]
    #expect(Set(allowed).isDisjoint(with: open))
  }
}
