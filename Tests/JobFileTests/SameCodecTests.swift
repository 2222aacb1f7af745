import MPEGAudio
import MediaComposition
import SystemPackage
import Testing
import TestSupport

@testable import JobFile

/// `codec: same`: what is known only after probing.
@Suite("codec: same") struct SameCodecTests {
  private func asset(
    _ codec: String, in container: String = "wav", bitRate: Int? = nil, rate: Int = 44_100,
    layout: ChannelLayout = .stereo, bitDepth: Int? = nil, mp3: MP3Settings? = nil
  ) -> Asset {
    var asset = Asset.fake("a.wav", seconds: 60, rate: rate, layout: layout, bitDepth: bitDepth)
    asset.codec = codec
    asset.container = container
    asset.bitRate = bitRate
    asset.mp3Settings = mp3
    return asset
  }

  private func output(
    _ asset: Asset, of yaml: String = "clip: a.wav\noutput: { folder: out, codec: same }"
  ) throws -> Output {
    var bench = Bench()
    bench.assets["a.wav"] = asset
    return try #require(try bench.exports(yaml).first?.outputs.first)
  }

  @Test("Lossless stays lossless at its depth, lossy keeps its bit rate as far as there is one")
  func formats() throws {
    let mono = ChannelLayout.mono
    let cases: [(Asset, Output.Format, String)] = [
      (asset("pcm_s16le", bitDepth: 16), .wav(.int16), "wav"),
      (asset("pcm_u8", bitDepth: 8), .wav(.uint8), "wav"),
      (asset("pcm_s24le", in: "w64", bitDepth: 24), .wav(.int24), "wav"),
      (asset("pcm_f32le"), .wav(.float32), "wav"),
      (asset("pcm_s24be", in: "aiff", bitDepth: 24), .aiff(.int24), "aiff"),
      (asset("pcm_s16le", in: "caf", bitDepth: 16), .caf(.int16), "caf"),
      (asset("flac", in: "flac", bitDepth: 24), .flac(bitDepth: 24), "flac"),
      (asset("alac", in: "mov", bitDepth: 16), .alac(bitDepth: 16), "m4a"),
      (
        asset("mp3", bitRate: 127_993, mp3: .init(.cbr(bitRate: 128_000))),
        .mp3(.init(.cbr(bitRate: 128_000))), "mp3"
      ),
      (
        asset("mp3", bitRate: 70_000, mp3: .init(.vbr(quality: 2))), .mp3(.init(.vbr(quality: 2))),
        "mp3"
      ),
      (
        asset("mp3", bitRate: 100_000, mp3: .init(.abr(bitRate: 96_000))),
        .mp3(.init(.abr(bitRate: 96_000))), "mp3"
      ),
      (asset("mp3", bitRate: 187_342), .mp3(.init(.vbr(quality: 2))), "mp3"),
      (asset("mp3", bitRate: 251_000), .mp3(.init(.vbr(quality: 0))), "mp3"),
      (asset("mp3", bitRate: 300_000), .mp3(.init(.vbr(quality: 0))), "mp3"),
      (asset("mp3", bitRate: 61_500, layout: mono), .mp3(.init(.vbr(quality: 5))), "mp3"),
      (asset("mp3", bitRate: 20_000), .mp3(.init(.vbr(quality: 9))), "mp3"),
      (asset("aac", in: "mov", bitRate: 127_713), .m4a(bitRate: 128_000), "m4a"),
      (asset("aac", in: "mov", bitRate: 2_000), .m4a(bitRate: 8_000), "m4a"),
      (asset("aac", in: "mov"), .m4a(bitRate: 128_000), "m4a"),
      (asset("vorbis", in: "ogg", bitRate: 112_000), .vorbis(.bitRate(112_000)), "ogg"),
      (asset("vorbis", in: "ogg", bitRate: 900_000), .vorbis(.bitRate(500_000)), "ogg"),
      (asset("vorbis", in: "ogg", bitRate: 96_000, rate: 96_000), .vorbis(.quality(5)), "ogg"),
      (asset("opus", in: "matroska", bitRate: 80_400), .opus(bitRate: 80_000), "opus"),
      (asset("opus", in: "matroska"), .opus(bitRate: 96_000), "opus"),
    ]
    for (asset, format, name) in cases {
      let output = try output(asset)
      #expect(output.format == format, "\(asset.codec) \(asset.bitRate ?? 0)")
      #expect(output.path == FilePath("out/a." + name))
    }
  }

  @Test("Opus in Ogg has no bit rate: the size of its file gives one")
  func opusRate() throws {
    var asset = asset("opus", in: "ogg", rate: 48_000)
    asset.identity.size = 60 * 64_000 / 8
    #expect(try output(asset).format == .opus(bitRate: 64_000))
  }

  @Test("A constant bit rate that the output's sample rate lacks becomes the next below")
  func lowerRate() throws {
    let yaml = "clip: a.wav\noutput: { folder: out, codec: same, sample_rate: 22.05 kHz }"
    #expect(
      try output(asset("mp3", mp3: .init(.cbr(bitRate: 320_000))), of: yaml).format
        == .mp3(.init(.cbr(bitRate: 160_000))))
  }

  @Test("An extension that the codec goes into is kept")
  func extensions() throws {
    var bench = Bench()
    bench.media = ["raw/a.m4b", "raw/b.oga"]
    bench.assets["a.m4b"] = asset("aac", in: "mov", bitRate: 64_000)
    bench.assets["b.oga"] = asset("vorbis", in: "ogg", bitRate: 112_000)
    let exports = try bench.exports(
      "for_each: raw/*\noutput: { folder: out, codec: same }")
    #expect(exports.flatMap(\.outputs).map(\.path) == ["out/a.m4b", "out/b.oga"])
  }

  @Test("A codec that cannot be written, and a file of another kind")
  func refusals() {
    var bench = Bench()
    bench.assets["a.wav"] = asset("wmav2", in: "asf")
    bench.assets["b.wav"] = asset("flac", in: "flac", bitDepth: 16)
    expect(
      bench.exportScreen(
        #"""
        jobs:
          a: { clip: a.wav, output: { folder: out, codec: same } }
          b: { clip: b.wav, output: { file: out/b.mp3, codec: same } }
        """#),
      #"""
      job.yaml:2:39: error: 'codec: same': 'a.wav' is wmav2, which is not written
          2 |   a: { clip: a.wav, output: { folder: out, codec: same } }
            |                                       ^~~
        help: name a format: one of 'mp3', 'wav', 'aiff', 'caf', 'flac', 'alac', 'aac', 'vorbis', 'opus'
      job.yaml:3:37: error: 'codec: same': 'a.wav' is FLAC, which does not go into '.mp3'
          3 |   b: { clip: b.wav, output: { file: out/b.mp3, codec: same } }
            |                                     ^~~~~~~~~
        help: write 'b.flac'
      """#)
  }

  @Test("A job that is not one clip, and a codec that is not meant")
  func decoding() {
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { concat: [a.wav], output: { file: x.wav, codec: same } }
          b: { clip: a.wav, output: { file: y.wav, codec: flac } }
          c: { clip: a.wav, output: { file: z.wav, codec: same, wav: 16 bit } }
        """#),
      #"""
      job.yaml:2:48: error: 'codec: same' on a job that is not one clip
          2 |   a: { concat: [a.wav], output: { file: x.wav, codec: same } }
            |                                                ^~~~~
        help: name the format, as 'mp3: V2'
      job.yaml:3:51: error: 'flac' is no codec that is meant here
          3 |   b: { clip: a.wav, output: { file: y.wav, codec: flac } }
            |                                                   ^~~~
        help: write 'same' for the clip's own, or a format's key, as 'mp3: V2'
      job.yaml:4:57: error: 'wav' beside 'codec'
          4 |   c: { clip: a.wav, output: { file: z.wav, codec: same, wav: 16 bit } }
            |                                                         ^~~
        help: an output has one format; 'output' may be a list
      job.yaml:4:44: note: the other one is here
          4 |   c: { clip: a.wav, output: { file: z.wav, codec: same, wav: 16 bit } }
            |                                            ^~~~~
      """#)
  }
}
