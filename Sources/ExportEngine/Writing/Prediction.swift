import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import Tagging

extension Graph {
  /// The facts that probing each sink's file will find, in the order of the sinks: another export
  /// that reads the file can be checked by them before it exists.
  ///
  /// Container, codec, profile, rate, layout, depth and number of frames are exact: those of the sink.
  /// So are times of chapters, which some formats round to a millisecond. Encoder delay and padding
  /// are left open, and so is the bit rate where an encoder varies it without a mean. O(tags +
  /// chapters).
  package var predictedAssets: [Asset] { sinks.map { predictedAsset(of: $0) } }

  /// The facts that probing the file of one sink will find.
  func predictedAsset(of sink: Sink) -> Asset {
    let format = nodes[sink.node].format
    let capabilities = sink.capabilities
    var asset = Asset(
      location: .file(sink.output.path), streamIndex: 0, container: capabilities.container,
      codec: sink.format.codec, sampleRate: format.sampleRate,
      channelLayout: capabilities.probedLayout(of: capabilities.stored(format.channelLayout))
        ?? format.channelLayout,
      bitDepth: sink.format.integerDepth, frameCount: sink.heldFrames,
      bitRate: sink.format.meanBitRate, identity: .predicted)
    if case .mp3(let settings) = sink.format { asset.mp3Settings = settings }
    if case .fdkAAC(let settings) = sink.format, settings.profile != .lc {
      asset.profile = settings.profile.name
    } else if sink.format.kind == .aac {
      // Packets are copied of one profile.
      asset.profile = sink.copied?.assets.first?.profile
    }
    asset.hasExactPackets = asset.profile == nil
    asset.packetObstacle = asset.hasExactPackets ? nil : .highEfficiency
    asset.hasWholePackets = asset.profile != nil
    asset.packetSetup = asset.hasExactPackets ? sink.predictedSetup(format) : nil
    for item in sink.fields where capabilities.holds(item.key) && !TagNames.isTechnical(item.key) {
      // RIFF and CAF have one text for all values, and libavformat writes one into Matroska.
      let isOne = [.riff, .caf, .matroska].contains(capabilities.tagForm)
      asset.metadata.set(isOne ? [item.value] : item.values, of: capabilities.tagName(of: item.key))
    }
    if sink.picture != nil, let date = sink.headerDate {
      asset.metadata[HeaderDate.key] = date.text
    }
    asset.marks = sink.predictedMarks
    if let broadcast = asset.marks?.broadcast {
      for (key, text) in broadcast.tags where asset.metadata[key] == nil {
        asset.metadata[key] = text
      }
    }
    if capabilities.holdsCover { asset.metadata.cover = sink.metadata.cover }
    if capabilities.holdsChapters, sink.output.chapters.inFile {
      asset.chapters = sink.chapters.map { chapter in
        Chapter(
          start: chapter.start, title: chapter.title,
          url: capabilities.holdsChapterLinks ? chapter.url : nil,
          image: capabilities.holdsChapterImages ? chapter.image : nil, isInherited: true)
      }
    }
    return asset
  }
}

extension Sink {
  /// What probing finds in its chunks; nil: nothing.
  fileprivate var predictedMarks: MediaMarks? {
    var found = MediaMarks()
    found.broadcast = broadcast(by: "avjob \(Engine.version)")
    (found.cart, found.iXML, found.cues) = (marks.cart, marks.iXML, marks.cues)
    (found.sampler, found.instrument) = (marks.sampler, marks.instrument)
    found.loopMarkers = marks.loopMarkers
    return found.isEmpty ? nil : found
  }

  /// What a decoder of its packets is set up with, as `Asset.packetSetup`.
  fileprivate func predictedSetup(_ sound: AudioFormat) -> String? {
    guard sound.channelLayout.count <= 2 else { return nil }
    return switch format.kind {
    case .aac: LibAV.Stream.aacSetup(sound.sampleRate, channelCount: sound.channelLayout.count)
    case .opus: LibAV.Stream.opusSetup(channelCount: sound.channelLayout.count)
    default: nil
    }
  }
}

extension OutputCapabilities {
  /// The layout as FFmpeg reads it, where it has a number of Apple's
  /// (`kAudioChannelLayoutTag_MPEG_5_1_A`): FFmpeg places its surrounds at the side
  /// (`ff_mov_read_chan`).
  fileprivate func probedLayout(of stored: ChannelLayout?) -> ChannelLayout? {
    guard numbersLayouts else { return stored }
    return switch stored {
    case .quad: ChannelLayout(mask: 0x603)
    case .surround50: ChannelLayout(mask: 0x607)
    case .surround51: ChannelLayout(mask: 0x60F)
    default: stored
    }
  }
}

extension Sink {
  /// How many frames its file has: codecs of telephony code some together, and a bare stream of AAC has
  /// whole packets, of which the first are the encoder's delay. That of libfdk-aac, and what is copied
  /// before a cut, may be longer than a packet.
  fileprivate var heldFrames: Int64 {
    let count = Int64(frames.count)
    func whole(_ length: Int64) -> Int64 { (count + length - 1) / length * length }
    if case .samples(let samples) = format.setting {
      return whole(samples.blockLength(inWAV: format.kind == .wav))
    }
    if case .amr = format { return whole(160) }
    guard output.soundContainer(as: format.kind) == .adts else { return count }
    return whole(1024) + 1024
  }
}

extension Output.Format {
  /// FFmpeg's name of the codec (`avcodec_get_name`).
  fileprivate var codec: String {
    if case .raw(.gsm) = self {
      "gsm"
    } else if case .amr = self {
      "amr_nb"
    } else if case .samples(let samples) = setting {
      samples.codecName(isBigEndian: kind.capabilities.isBigEndian)
    } else {
      kind.rawValue
    }
  }

  /// The requested bits a second.
  fileprivate var meanBitRate: Int? {
    switch setting {
    case .bitRate(let bitRate):
      kind == .amr ? Output.Kind.fileBitRate(ofAMR: bitRate) : bitRate
    case .fdkAAC(let settings): settings.bitRate
    case .mp3(let settings):
      switch settings.rateControl {
      case .abr(let bitRate), .cbr(let bitRate): bitRate
      case .vbr: nil
      }
    case .samples, .bitDepth, .quality: nil
    }
  }
}

extension Output.SampleFormat {
  fileprivate func codecName(isBigEndian: Bool) -> String {
    switch self {
    case .uint8: "pcm_u8"
    case .int16: isBigEndian ? "pcm_s16be" : "pcm_s16le"
    case .int24: isBigEndian ? "pcm_s24be" : "pcm_s24le"
    case .float32: isBigEndian ? "pcm_f32be" : "pcm_f32le"
    case .muLaw: "pcm_mulaw"
    case .aLaw: "pcm_alaw"
    case .g722: "adpcm_g722"
    case .gsm: "gsm_ms"
    case .ima4: "adpcm_ima_qt"
    }
  }
}
