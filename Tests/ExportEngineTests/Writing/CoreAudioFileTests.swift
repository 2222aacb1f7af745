import Diagnosis
import LibAV
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// What other programs read of coded sound in CAF, of bare AAC and of AMR.
@Suite("Sound writers: CAF of coded sound, ADTS and AMR")
struct CoreAudioFileTests {
  let folder = TestFolder()

  /// Frames of our own reading, all of it.
  private func read(_ path: String) throws -> (asset: Asset, channels: [[Float]]) {
    let sound = try PlayedSound(path)
    #expect(sound.warnings == [])
    return (sound.asset, try sound.whole())
  }

  @Test(
    "ALAC in CAF is bit-exact to libsndfile and FFmpeg, and has its exact length",
    arguments: [16, 24])
  func alac(bitDepth: Int) throws {
    for (rate, count) in [(44_100, 1), (48_000, 959), (44_100, 4096), (96_000, 12_345)] {
      // FFmpeg stores a single frame as it is.
      guard bitDepth == 16 || count > 1 else { continue }
      // Of 24 bits the lower ones: libsndfile 1.2 reads no 24 bits that are stored as they are.
      let channels = (0..<2).map {
        integers(seed: UInt64($0), bits: 16, count: count).map { bitDepth == 16 ? $0 : $0 / 256 }
      }
      let path = folder.path("a.caf")
      try writeSound(channels, to: path, .alac(bitDepth: bitDepth), sampleRate: rate)
      // libsndfile's own decoder, which goes by the valid frames of the packet table.
      let twin = folder.path("b.wav")
      try Tool.succeed("sndfile-convert", bitDepth == 16 ? "-pcm16" : "-pcm24", path, twin)
      for channel in 0..<2 {
        #expect(try decode(twin, channel: channel, of: 2) == channels[channel], "\(rate) \(count)")
        #expect(try decode(path, channel: channel, of: 2) == channels[channel])
      }
      let (asset, own) = try read(path)
      #expect(asset.codec == "alac" && asset.frameCount == Int64(count))
      #expect(own == channels && asset.bitDepth == bitDepth)
    }
  }

  @Test("IMA4 in CAF is what ffmpeg encodes, and ends with its sound", arguments: [1, 2])
  func ima4(channelCount: Int) throws {
    for count in [1, 63, 64, 65, 4097, 10_007] {
      let channels = (0..<channelCount).map { integers(seed: UInt64($0), bits: 16, count: count) }
      let (path, twin) = (folder.path("a.caf"), folder.path("b.caf"))
      try writeSound(channels, to: path, .caf(.ima4), sampleRate: 22_050)
      try writeSound(channels, to: folder.path("a.wav"), .wav(.int16), sampleRate: 22_050)
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-y", "-i", folder.path("a.wav"), "-c:a", "adpcm_ima_qt", twin)
      let (asset, own) = try read(path)
      #expect(asset.codec == "adpcm_ima_qt" && asset.frameCount == Int64(count), "\(count)")
      for channel in 0..<channelCount {
        let theirs = try decode(twin, channel: channel, of: channelCount)
        let decoded = try decode(path, channel: channel, of: channelCount)
        // ffmpeg's command plays the last block whole.
        #expect(decoded == theirs && theirs.count - count < 64, "\(count)")
        #expect(own[channel].elementsEqual(theirs.prefix(count)))
      }
    }
  }

  @Test("AAC in CAF is the sound of the same AAC in M4A, from its first frame to its last")
  func aac() throws {
    for (rate, count) in [(44_100, 1), (48_000, 1024), (44_100, 1025), (22_050, 30_001)] {
      let channels = (0..<2).map {
        Signal.noise(seed: UInt64($0), count: count, amplitude: 0.3)
      }
      let (path, twin) = (folder.path("a.caf"), folder.path("a.m4a"))
      let format = Output.Format.m4a(bitRate: 96_000)
      try writeSound(channels, to: path, format, sampleRate: rate)
      try writeSound(channels, to: twin, format, sampleRate: rate)
      let (asset, own) = try read(path)
      let (_, other) = try read(twin)
      #expect(asset.container == "caf" && asset.codec == "aac")
      #expect(asset.frameCount == Int64(count) && asset.encoderDelay == 1024)
      #expect(own == other, "\(rate) \(count)")
      // Another demuxer's count of packets, and of frames.
      let facts = try Tool.succeed(
        "mediainfo", "--Output=Audio;%Format%|%Channel(s)%|%SamplingRate%", path)
      #expect(facts.text.trimmed.hasPrefix("AAC|2|\(rate)"))
      let packets = try Tool.succeed(
        "ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets",
        "-of", "csv=p=0", path)
      #expect(packets.text.trimmed == "\((count + 1023) / 1024 + 1)")
    }
  }

  @Test("each layout of AAC goes into CAF", arguments: Output.Kind.aac.capabilities.layouts ?? [])
  func layouts(layout: ChannelLayout) throws {
    let channels = (0..<layout.count).map {
      Signal.sine(frequency: 200 * Double($0 + 1), sampleRate: 48_000, count: 9000)
    }
    for format in [Output.Format.m4a(bitRate: 64_000 * layout.count), .alac(bitDepth: 16)]
    where format.problem(sampleRate: 48_000, layout: layout) == nil {
      var sounds: [[[Float]]] = []
      for name in ["a.m4a", "a.caf"] {
        let path = folder.path(name)
        try writeSound(channels, to: path, format, sampleRate: 48_000, layout: layout)
        sounds.append(try read(path).channels)
      }
      #expect(sounds[0] == sounds[1], "\(format) \(layout.name)")
      let named = try ["a.m4a", "a.caf"].map {
        try Tool.succeed(
          "ffprobe", "-v", "error", "-show_entries", "stream=channel_layout", "-of", "csv=p=0",
          folder.path($0)
        ).text
      }
      #expect(named[0] == named[1], "\(format) \(layout.name)")
    }
  }

  @Test("ADTS has the packets of M4A, in heads that ffmpeg writes")
  func adts() throws {
    for (rate, count, layout) in [
      (44_100, 4097, ChannelLayout.mono), (48_000, 30_001, .stereo), (44_100, 20_480, .surround51),
    ] {
      let channels = (0..<layout.count).map {
        Signal.noise(seed: UInt64($0), count: count, amplitude: 0.3)
      }
      let (path, twin) = (folder.path("a.aac"), folder.path("a.m4a"))
      let format = Output.Format.m4a(bitRate: 48_000 * layout.count)
      try writeSound(channels, to: path, format, sampleRate: rate, layout: layout)
      try writeSound(channels, to: twin, format, sampleRate: rate, layout: layout)
      try Tool.succeed(
        "ffmpeg", "-v", "error", "-y", "-i", twin, "-c", "copy", folder.path("b.aac"))
      #expect(try readFile(path) == readFile(folder.path("b.aac")), "\(rate) \(count)")
      let whole = ((count + 1023) / 1024 + 1) * 1024
      #expect(try decode(path, of: layout.count, allowing: "Estimating").count == whole)
      #expect(try read(path).asset.frameCount == Int64(whole))
    }
  }

  @Test(
    "AMR is speech in its place, in whole packets of 20 ms", .enabled(if: hasAMR),
    arguments: Output.Kind.amr.bitRateModes ?? [])
  func amr(bitRate: Int) throws {
    let voice = try decode(Fixture.path("voice-8k.wav"))
    for count in [1, 159, 160, 161, 8000, voice.count] {
      let path = folder.path("a.amr")
      let sound = Array(voice.prefix(count))
      try writeSound([sound], to: path, .amr(bitRate: bitRate), sampleRate: 8000)
      // A head of six bytes; bits of a packet in whole bytes, and one before them.
      let packets = (count + 159) / 160
      #expect(try readFile(path).count == 6 + packets * ((bitRate / 50 + 7) / 8 + 1), "\(count)")
      let decoded = try decode(path, allowing: "Estimating")
      #expect(decoded.count == packets * 160)
      #expect(try read(path).asset.frameCount == Int64(decoded.count))
      guard count > 1000 else { continue }
      let error = zip(decoded, sound).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      let energy = sound.reduce(Float(0)) { $0 + $1 * $1 }
      #expect(error < energy, "\(bitRate) of \(count)")
      // The encoder's high-pass filter turns what is lowest by a sample or so.
      #expect(abs(lag(of: decoded, behind: sound)) <= 1, "\(bitRate) of \(count)")
    }
  }

  /// By how many samples a sound is most like another one that is as much earlier.
  private func lag(of late: [Float], behind sound: [Float]) -> Int {
    func likeness(_ lag: Int) -> Float {
      sound.indices.reduce(0) { sum, place in
        late.indices.contains(place + lag) ? sum + sound[place] * late[place + lag] : sum
      }
    }
    return (-30...30).max { likeness($0) < likeness($1) } ?? 0
  }

  @Test("AMR without its encoder is the machine's fault, with a package", .enabled(if: !hasAMR))
  func noAMR() throws {
    let path = folder.path("a.amr")
    let failure = #expect(throws: Failure.self) {
      try writeSound([[0, 0]], to: path, .amr(bitRate: 12_200), sampleRate: 8000)
    }
    #expect(failure?.remedy == .mendMachine && failure?.code == .libraryMissing)
    let package = OptionalLibrary.moreCodecs(version: Library.codecVersion).packageName
    #expect(
      failure?.message
        == "AMR needs FFmpeg's libopencore_amrnb, and this FFmpeg lacks it; install \(package), or write "
        + "'.gsm' or '.g722'")
    #expect(try entries(of: folder.path("")) == [])
  }

  @Test("settings that AMR and IMA4 do not have are refused by what they have")
  func problems() {
    #expect(
      Output.Format.amr(bitRate: 8000).problem(sampleRate: 8000, layout: .mono)
        == "AMR is written with 4.75, 5.15, 5.9, 6.7, 7.4, 7.95, 10.2 or 12.2 kbps, not 8")
    #expect(
      Output.Format.amr(bitRate: 12_200).problem(sampleRate: 16_000, layout: .mono)
        == "AMR has no sample rate of 16000 Hz: it has 8000")
    #expect(
      Output.Format.amr(bitRate: 12_200).problem(sampleRate: 8000, layout: .stereo)
        == "AMR has no layout of stereo: it has mono")
    #expect(
      Output.Format.caf(.ima4).problem(sampleRate: 44_100, layout: .surround51)
        == "IMA4 is one or two channels, not 6")
    #expect(
      Output.Format.wav(.ima4).problem(sampleRate: 44_100, layout: .mono)?
        .hasPrefix("WAV has no samples of ima4: it has 16 bit") == true)
  }
}
