import ExportGraph
import LAME
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

/// Opens the output of a sink: its temporary file, its encoder, its headers.
///
/// - Parameters:
///   - sink: What to write and where to.
///   - format: Rate and channels of the blocks that will come.
///   - frameCount: How many frames will come, exactly.
/// - Returns: A writer at frame zero.
/// - Throws: Settings that the format does not have, a cover that cannot be read, and what the
///   file system says; nothing is left behind.
package func makeWriter(
  for sink: Sink, format: AudioFormat, frameCount: Int64
) throws(Failure) -> any SoundWriter {
  do throws(Failure) {
    try requireSettings(sink.output.format, format, frameCount: frameCount)
    let tally = SoundTally(expectedFrames: frameCount, channelCount: format.channelLayout.count)
    if case .mp3(let settings) = sink.output.format {
      let tag = try id3Tag(of: sink, sampleRate: format.sampleRate, frameCount: frameCount)
      return try MP3Writer.open(
        try OutputFile.create(at: sink.output.path), settings, sampleRate: format.sampleRate,
        tally: tally, tag: tag)
    }
    let recipe = try recipe(for: sink, format: format, frameCount: frameCount)
    return try LibAVWriter.open(
      try OutputFile.create(at: sink.output.path), recipe, tally: tally)
  } catch {
    throw error.about(sink.output.path).placed(at: sink.output.origin)
  }
}

/// What can be known of an output before work starts, without touching the disk: that its format
/// has the settings, and that its tags, cover and chapters can be written.
///
/// - Throws: As `makeWriter`.
func requireEncodable(
  _ sink: Sink, format: AudioFormat, frameCount: Int64
) throws(Failure) {
  do throws(Failure) {
    try requireSettings(sink.output.format, format, frameCount: frameCount)
    if case .mp3 = sink.output.format {
      _ = try id3Tag(of: sink, sampleRate: format.sampleRate, frameCount: frameCount)
    } else {
      _ = try recipe(for: sink, format: format, frameCount: frameCount)
    }
  } catch {
    throw error.about(sink.output.path).placed(at: sink.output.origin)
  }
}

/// Refuses by name what the encoders would refuse by number.
private func requireSettings(
  _ format: Output.Format, _ sound: AudioFormat, frameCount: Int64
) throws(Failure) {
  let channels = sound.channelLayout.count
  guard 1...8 ~= channels else {
    throw Failure(.mendJob, "outputs have one to eight channels, not \(channels)")
  }
  guard sound.channelLayout.mask.nonzeroBitCount == channels else {
    throw Failure(.reportBug, "the channel layout names a channel twice")
  }
  guard 1...655_350 ~= sound.sampleRate else {
    throw Failure(.mendJob, "no format has a sample rate of \(sound.sampleRate) Hz")
  }
  switch format {
  case .wav: break
  case .mp3:
    guard frameCount > 0 else {
      throw Failure(.mendJob, "MP3 cannot hold a sound of no length; write WAV or FLAC")
    }
  case .flac(let bitDepth):
    guard bitDepth == 16 || bitDepth == 24 else {
      throw Failure(.mendJob, "FLAC is written with 16 or 24 bits a sample, not \(bitDepth)")
    }
  case .m4a(let bitRate):
    let rates = Encoder.sampleRates(of: .aac(bitRate: bitRate)) ?? []
    guard rates.contains(sound.sampleRate) else {
      let list = rates.map(String.init).joined(separator: ", ")
      throw Failure(.mendJob, "AAC has no sample rate of \(sound.sampleRate) Hz, only \(list)")
    }
    // ISO 14496-3 4.5.3.3: a channel has at most 6144 bits for a frame of 1024 samples.
    let most = 6144 * channels * sound.sampleRate / 1024
    guard 1...most ~= bitRate else {
      throw Failure(
        .mendJob,
        "AAC at \(sound.sampleRate) Hz with \(channels) channels has at most "
          + "\(most / 1000) kbps, not \(bitRate / 1000)")
    }
    guard frameCount > 0 else {
      throw Failure(.mendJob, "M4A cannot hold a sound of no length; write WAV or FLAC")
    }
  }
}

private func recipe(
  for sink: Sink, format: AudioFormat, frameCount: Int64
) throws(Failure) -> LibAVRecipe {
  let (container, codec): (Muxer.Container, Encoder.Codec) =
    switch sink.output.format {
    case .wav(.int16): (.wav, .pcm16)
    case .wav(.int24): (.wav, .pcm24)
    case .wav(.float32): (.wav, .pcmFloat)
    case .flac(let bitDepth): (.flac, .flac(bitDepth: bitDepth))
    case .m4a(let bitRate): (.m4a, .aac(bitRate: bitRate))
    case .mp3: throw Failure(.reportBug, "MP3 is not written by FFmpeg")
    }
  let holdsMore = container != .wav
  return LibAVRecipe(
    container: container, codec: codec, sampleRate: format.sampleRate,
    channelMask: format.channelLayout.mask, isDithered: sink.isDithered,
    metadata: sink.metadata.items.map { ($0.key, $0.value) },
    chapters: holdsMore
      ? try chapters(of: sink, sampleRate: format.sampleRate, frameCount: frameCount).map {
        Muxer.Chapter(frames: $0.frames, title: $0.chapter.title)
      } : [],
    picture: holdsMore ? try sink.metadata.cover.map(readPicture) : nil)
}

/// The ID3v2 tag that stands before the sound. There is one in any case, because checkers take a
/// file without a tag for a fragment.
private func id3Tag(
  of sink: Sink, sampleRate: Int, frameCount: Int64
) throws(Failure) -> [UInt8] {
  var tag = ID3Tag(
    items: [ID3Tag.Item(key: "encoder", value: "avjob")]
      + sink.metadata.items.map { ID3Tag.Item(key: $0.key, value: $0.value) },
    cover: try sink.metadata.cover.map(readPicture)?.bytes)
  for (chapter, frames) in try chapters(of: sink, sampleRate: sampleRate, frameCount: frameCount) {
    let range = TimeRange(
      start: Time(frames: frames.lowerBound, rate: sampleRate),
      end: Time(frames: frames.upperBound, rate: sampleRate))
    tag.chapters.append(
      ID3Tag.Chapter(
        range: range, title: chapter.title, url: chapter.url,
        image: try chapter.image.map(readPicture)?.bytes))
  }
  do throws(ID3TagError) {
    return try tag.encoded()
  } catch {
    throw Failure(.mendJob, "the tag cannot be written: \(error.message)")
  }
}

/// The chapters with their frames: each lasts until the next one, the last until the end.
private func chapters(
  of sink: Sink, sampleRate: Int, frameCount: Int64
) throws(Failure) -> [(chapter: Chapter, frames: Range<Int64>)] {
  var chapters: [(chapter: Chapter, frames: Range<Int64>)] = []
  var end = frameCount
  for chapter in sink.chapters.reversed() {
    let start = chapter.start.frames(atRate: sampleRate)
    guard 0..<max(1, end) ~= start else {
      throw Failure(
        .mendJob, "the chapter '\(chapter.title)' does not start before the next one or the end",
        origin: chapter.origin)
    }
    chapters.append((chapter, start..<end))
    end = start
  }
  return chapters.reversed()
}

extension ChannelLayout {
  /// A bit for each channel (`AV_CH_…`).
  fileprivate var mask: UInt64 { channels.reduce(0) { $0 | 1 << UInt64($1.rawValue) } }
}
