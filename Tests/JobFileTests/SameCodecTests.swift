import Diagnosis
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
        help: name a format: one of 'mp3', 'wav', 'aiff', 'caf', 'raw', 'flac', 'alac', 'aac', 'vorbis', 'opus', 'amr'
      job.yaml:3:37: error: 'codec: same': 'a.wav' is FLAC, which does not go into '.mp3'
          3 |   b: { clip: b.wav, output: { file: out/b.mp3, codec: same } }
            |                                     ^~~~~~~~~
        help: write 'b.flac'
      """#)
  }

  /// What an output of a list of `assets` becomes, and what is noted.
  private func joined(
    _ assets: [Asset], as file: String, job: String = ""
  ) throws -> (output: Output?, notes: [String]) {
    var bench = Bench()
    var names: [String] = []
    for (index, asset) in assets.enumerated() {
      names.append("p\(index).wav")
      var part = asset
      part.location = .file(FilePath(names[index]))
      bench.assets[names[index]] = part
    }
    bench.media = names
    let job = try #require(
      bench.load(
        "concat: [\(names.joined(separator: ", "))]\noutput: { file: \(file), codec: same }\n" + job
      ).jobs.first)
    let done = try job.exports(assets: { bench.asset($0) })
    return (done.exports.first?.outputs.first, done.warnings.map(\.message))
  }

  @Test("Of several sources, those that agree give codec and settings; the best of others does")
  func severalSources() throws {
    let mono = ChannelLayout.mono
    func mp3(_ control: MP3Settings.RateControl, rate: Int = 44_100) -> Asset {
      asset("mp3float", in: "mp3", bitRate: 100_000, rate: rate, mp3: .init(control))
    }
    let wav = asset("pcm_s16le", bitDepth: 16)
    let cases: [([Asset], String, Output.Format, String?)] = [
      (
        [mp3(.vbr(quality: 2)), mp3(.vbr(quality: 2))], "x.mp3", .mp3(.init(.vbr(quality: 2))), nil
      ),
      (
        [mp3(.cbr(bitRate: 64_000)), mp3(.cbr(bitRate: 128_000))], "x.mp3",
        .mp3(.init(.cbr(bitRate: 128_000))),
        "'x.mp3' becomes MP3 CBR 128 kbps, 44.1 kHz stereo, and not all of its sources are: "
          + "'p0.wav' is MP3 CBR 64 kbps, 44.1 kHz stereo"
      ),
      (
        [mp3(.cbr(bitRate: 64_000)), mp3(.cbr(bitRate: 64_000), rate: 22_050)], "x.mp3",
        .mp3(.init(.cbr(bitRate: 64_000))),
        "'x.mp3' becomes MP3 CBR 64 kbps, 44.1 kHz stereo, and not all of its sources are: "
          + "'p1.wav' is MP3 CBR 64 kbps, 22.05 kHz stereo"
      ),
      (
        [
          asset("aac", in: "mov", bitRate: 63_000, layout: mono),
          asset("aac", in: "mov", bitRate: 65_200, layout: mono),
        ], "x.m4b", .m4a(bitRate: 65_000), nil
      ),
      (
        [wav, asset("flac", in: "flac", bitDepth: 24)], "x.flac", .flac(bitDepth: 24),
        "'x.flac' becomes FLAC 24 bit, 44.1 kHz stereo, and not all of its sources are: "
          + "'p0.wav' is WAV 16 bit, 44.1 kHz stereo"
      ),
      (
        [asset("pcm_u8", bitDepth: 8), asset("pcm_alaw", bitDepth: 13)], "x.wav", .wav(.int16),
        "'x.wav' becomes WAV 16 bit, 44.1 kHz stereo, and not all of its sources are: "
          + "'p0.wav' is WAV 8 bit, 44.1 kHz stereo, 'p1.wav' is WAV a-law, 44.1 kHz stereo"
      ),
      (
        [wav, wav, mp3(.vbr(quality: 4))], "x.mp3", .mp3(.init(.vbr(quality: 4))),
        "'x.mp3' becomes MP3 V4, 44.1 kHz stereo, and not all of its sources are: "
          + "'p0.wav' is WAV 16 bit, 44.1 kHz stereo, 'p1.wav' is WAV 16 bit, 44.1 kHz stereo"
      ),
    ]
    for (parts, file, format, note) in cases {
      let found = try joined(parts, as: file)
      #expect(found.output?.format == format)
      #expect(found.notes.filter { $0.contains("becomes") } == (note.map { [$0] } ?? []))
    }
  }

  @Test("A source of a codec that is not written is named, and a file of a kind of no source")
  func severalRefusals() throws {
    let mp3 = asset("mp3float", in: "mp3", mp3: .init(.vbr(quality: 2)))
    let cases = [
      ([mp3, asset("wmav2", in: "asf")], "'codec: same': 'p1.wav' is wmav2, which is not written"),
      ([mp3, mp3], "'codec: same': 'p0.wav' is MP3, which does not go into '.m4b'"),
    ]
    for (parts, message) in cases {
      let error = try #require(throws: Diagnostics.self) { try joined(parts, as: "x.m4b") }
      #expect(error.all.map(\.message) == [message])
    }
  }

  @Test("A codec that is not meant, and two formats")
  func decoding() {
    expect(
      Bench().screen(
        #"""
        jobs:
          b: { clip: a.wav, output: { file: y.wav, codec: flac } }
          c: { clip: a.wav, output: { file: z.wav, codec: same, wav: 16 bit } }
        """#),
      #"""
      job.yaml:2:51: error: 'flac' is no codec that is meant here
          2 |   b: { clip: a.wav, output: { file: y.wav, codec: flac } }
            |                                                   ^~~~
        help: write 'same' for that of the sources, or a format's key, as 'mp3: V2'
      job.yaml:3:57: error: 'wav' beside 'codec'
          3 |   c: { clip: a.wav, output: { file: z.wav, codec: same, wav: 16 bit } }
            |                                                         ^~~
        help: an output has one format; 'output' may be a list
      job.yaml:3:44: note: the other one is here
          3 |   c: { clip: a.wav, output: { file: z.wav, codec: same, wav: 16 bit } }
            |                                            ^~~~~
      """#)
  }
}
