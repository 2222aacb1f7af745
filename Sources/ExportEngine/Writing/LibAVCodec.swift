import Diagnosis
import LibAV
import Splicing

/// An encoder of FFmpeg's with some settings, as a codec of which several encoders make one stream.
struct LibAVCodec<Sample: EncoderSample>: SplicedCodec {
  typealias Stream = MuxedStream<Sample>

  private let recipe: LibAVRecipe
  let framesPerPacket: Int
  let channelCount: Int
  /// Of a codec without memory, encoders whose parts have ended: to open one clears megabytes.
  private let spares: ReusePool<LibAV.Encoder>?

  /// The codec of an encoder that was opened with `recipe`.
  init(_ recipe: LibAVRecipe, like encoder: LibAV.Encoder) {
    self.recipe = recipe
    // libvorbis takes any number of frames; its long blocks begin 1024 after one another, or 512.
    if case .vorbis = recipe.codec {
      framesPerPacket = 1024
    } else {
      framesPerPacket = encoder.frameLength
    }
    channelCount = encoder.channelCount
    switch recipe.codec {
    case .flac, .alac: spares = ReusePool()
    case .aac, .vorbis, .opus, .amr, .ima4, .pcm, .muLaw, .aLaw, .g722, .gsm: spares = nil
    }
  }

  func open(at frame: Int64) throws(Failure) -> LibAVPart<Sample> {
    do throws(LibAVError) {
      guard let spares else {
        return LibAVPart(
          try recipe.openEncoder(continuing: frame > 0), at: frame, isFLAC: isFLAC)
      }
      let encoder = try spares.take(where: { _ in true }) { () throws(LibAVError) in
        try recipe.openEncoder(continuing: frame > 0)
      }
      return LibAVPart(encoder, at: frame, isFLAC: isFLAC, returningTo: spares)
    } catch {
      throw error.machineFailure
    }
  }

  var isFLAC: Bool { if case .flac = recipe.codec { true } else { false } }

  /// Packets of FLAC and ALAC depend on their own sound alone. Vorbis' and Opus' encoders come to make
  /// the same packets. AAC's rate control goes on from all that was before, but its blocks are chosen
  /// by the sound: two encoders whose blocks have the same windows can take over from one another,
  /// since overlapping blocks cancel each other's alias then.
  func agree(_ one: Packet, _ other: Packet) -> Bool {
    guard case .aac = recipe.codec else {
      return one.size == other.size
        && one.withBytes { one in other.withBytes { other in one.elementsEqual(other) } }
    }
    guard let windows = one.withBytes({ AACWindows($0) }) else { return false }
    return windows == other.withBytes { AACWindows($0) }
  }

  /// Where encoders take over from one another.
  ///
  /// The sound of a chunk of stereo is 8 MiB where encoders need no warm-up, and 16 where they do;
  /// of AAC 32, whose rate control comes near to its own within the warm-up of 12 s at 44.1 kHz.
  var grid: ChunkGrid {
    let (frames, warmUp, agreement) =
      switch recipe.codec {
      case .aac: (1 << 23, 512, 4)
      case .vorbis: (1 << 22, 24, 8)
      case .opus: (1 << 22, 64, 16)
      case .flac, .alac, .amr, .ima4, .pcm, .muLaw, .aLaw, .g722, .gsm: (1 << 21, 0, 0)
      }
    let length = max(warmUp, 16, frames / max(2, channelCount) / framesPerPacket)
    return ChunkGrid(
      length: length, warmUp: warmUp, agreement: agreement, shortest: max(warmUp, length / 8))
  }
}

extension Failure: EncodingProblem {}

/// One of FFmpeg's encoders, which makes a part of a stream.
final class LibAVPart<Sample: EncoderSample>: PartEncoder {
  private let encoder: LibAV.Encoder
  /// The PCM frame of the stream that would be its first one, were all that it encoded of one part.
  private let start: Int64
  private let isFLAC: Bool
  private let spares: ReusePool<LibAV.Encoder>?
  private var isFinished = false

  init(
    _ encoder: LibAV.Encoder, at frame: Int64, isFLAC: Bool,
    returningTo spares: ReusePool<LibAV.Encoder>? = nil
  ) {
    (self.encoder, self.isFLAC, self.spares) = (encoder, isFLAC, spares)
    start = frame - encoder.frameCount
  }

  deinit {
    guard let spares, !isFinished, encoder.room == encoder.frameLength else { return }
    spares.put(encoder)
  }

  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Sample>>, from first: Int, count: Int,
    into packets: inout [Placed<Packet>]
  ) throws(Failure) {
    do throws(LibAVError) {
      var done = 0
      while done < count {
        let length = min(encoder.room, count - done)
        try Sample.fill(encoder, length, with: planes, from: first + done)
        done += length
        guard encoder.room == 0 else { continue }
        try encoder.submit()
        try drain(into: &packets)
      }
    } catch {
      throw error.machineFailure
    }
  }

  func finish(into packets: inout [Placed<Packet>]) throws(Failure) {
    do throws(LibAVError) {
      isFinished = true
      try encoder.finish()
      try drain(into: &packets)
    } catch {
      throw error.machineFailure
    }
  }

  private func drain(into packets: inout [Placed<Packet>]) throws(LibAVError) {
    while let shared = try encoder.next() {
      let first = start + (shared.timestamp ?? 0)
      let packet =
        isFLAC && start != 0 && shared.size > 0
        ? try FLACFrame.numbered(shared, UInt64(first) / UInt64(encoder.frameLength))
        : try Packet(copying: shared)
      packet.move(to: first)
      packets.append(Placed(first..<first + max(0, packet.duration), packet))
    }
  }
}

/// Packets on their way into a file.
struct MuxedStream<Sample: EncoderSample>: PacketStream {
  let file: OutputFile
  let muxer: Muxer
  /// Of FLAC, what stands before its frames.
  var header: FLACHeader?

  mutating func append(
    _ packets: ArraySlice<Placed<Packet>>, of _: LibAVPart<Sample>, before _: Packet?
  ) throws(Failure) {
    do throws(LibAVError) {
      for placed in packets {
        header?.add(placed.packet)
        try muxer.write(placed.packet)
      }
    } catch {
      throw error.failure(writing: file.path)
    }
  }
}
