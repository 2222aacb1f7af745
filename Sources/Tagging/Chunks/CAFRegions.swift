/// Regions of a CAF, some of which are loops (Apple, "Core Audio Format Specification 1.0": Region Chunk).
package struct CAFRegions: Sendable, Hashable {
  /// A part of the sound between two of its markers.
  package struct Region: Sendable, Hashable {
    /// What instruments name it by; not 0.
    package var id: UInt32
    /// `loop`, `forward` and `backward`, as far as they hold.
    package var flags: UInt32
    /// Its start and end among others, in any order.
    package var markers: [CAFMarkers.Marker]

    /// `kCAFRegionFlag_LoopEnable`, `_PlayForward` and `_PlayBackward`.
    package static let (loop, forward, backward): (UInt32, UInt32, UInt32) = (1, 2, 4)

    package init(id: UInt32, flags: UInt32, markers: [CAFMarkers.Marker]) {
      (self.id, self.flags, self.markers) = (id, flags, markers)
    }

    /// From its first marker to its last one; nil where these are one place. O(n)
    package var frames: Range<UInt64>? {
      let places = markers.filter { $0.type != CAFMarkers.Marker.regionSync }.map(\.frame)
      guard let first = places.min(), let end = places.max(), first < end else { return nil }
      return first..<end
    }

    /// The first of its markers but for those of places within it; nil where it has none. O(n)
    package var start: UInt64? {
      markers.filter { $0.type != CAFMarkers.Marker.regionSync }.map(\.frame).min()
    }

    /// Its first text but for those of places within it. O(n)
    package var name: String? {
      markers.lazy.filter { $0.type != CAFMarkers.Marker.regionSync }.compactMap(\.name).first
    }

    /// As a sampler's loop; nil where it has no length, or ends behind 2³² frames. O(n)
    package var samplerLoop: SamplerChunk.Loop? {
      guard let frames, let first = UInt32(exactly: frames.lowerBound),
        let last = UInt32(exactly: frames.upperBound - 1)
      else { return nil }
      let isBackward = flags & Self.backward != 0
      let alternates = isBackward && flags & Self.forward != 0
      return .init(type: alternates ? 1 : isBackward ? 2 : 0, first: first, last: last)
    }

    /// A sampler's loop as the region `id`; its markers have the number `marker`.
    package init(_ loop: SamplerChunk.Loop, id: UInt32, marker: UInt32) {
      typealias Marker = CAFMarkers.Marker
      let direction =
        switch loop.type {
        case 1: Self.forward | Self.backward
        case 2: Self.backward
        default: Self.forward
        }
      // The end is behind the last frame that sounds.
      self.init(
        id: id, flags: Self.loop | direction,
        markers: [
          Marker(type: Marker.regionStart, frame: UInt64(loop.first), id: marker),
          Marker(type: Marker.regionEnd, frame: UInt64(loop.last) + 1, id: marker),
        ])
    }
  }

  /// What the SMPTE times count in; 0 for none.
  package var smpteType: UInt32 = 0
  package var regions: [Region] = []

  package init(_ regions: [Region] = []) { self.regions = regions }

  private static let (name, regionSize) = ("regn", 12)

  /// Reads the content of `regn` and, for the names of markers, of `strg`. O(n)
  package init(_ bytes: [UInt8], strings: [UInt8]? = nil, defects: inout [ChunkDefect]) {
    if bytes.count < 8 { defects.note(Self.name, .unreadable(has: bytes.count, needs: 8)) }
    let names = CAFMarkers.names(strings ?? [], &defects)
    var reader = ChunkReader(Self.name, bytes, isBigEndian: true)
    smpteType = reader.number()
    let announced = reader.number(UInt32.self)
    var left = ChunkLimits.entries
    while regions.count < announced, reader.rest >= Self.regionSize {
      let (id, flags): (UInt32, UInt32) = (reader.number(), reader.number())
      let count = reader.count(
        UInt64(reader.number(UInt32.self)), of: CAFMarkers.markerSize, &defects)
      left -= 1 + count
      guard left >= 0 else {
        defects.note(Self.name, .tooMany(limit: ChunkLimits.entries))
        return
      }
      let markers = (0..<count).compactMap { _ in
        CAFMarkers.Marker(&reader, names: names, &defects)
      }
      regions.append(Region(id: id, flags: flags, markers: markers))
    }
    if regions.count < announced {
      defects.note(
        Self.name, .overstated(announced: UInt64(announced), found: regions.count))
    }
  }

  /// The content of `regn`; nil without regions. O(n)
  package var bytes: [UInt8]? {
    guard !regions.isEmpty else { return nil }
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(smpteType)
    writer.append(UInt32(regions.count))
    for region in regions {
      for number in [region.id, region.flags, UInt32(region.markers.count)] {
        writer.append(number)
      }
      for marker in region.markers { marker.append(to: &writer) }
    }
    return writer.bytes
  }
}

/// How an instrument plays the sound of a CAF (Apple, "Core Audio Format Specification 1.0": Instrument
/// Chunk).
package struct CAFInstrument: Sendable, Hashable {
  /// The MIDI note of the sound's own pitch, 0 to 127, with parts of a semitone.
  package var baseNote: Float
  /// In dB.
  package var gain: Float
  /// The notes and velocities that the sound is for.
  package var (lowNote, highNote): (UInt8, UInt8)
  package var (lowVelocity, highVelocity): (UInt8, UInt8)
  /// Regions that sound first, while a note is held, and behind it; 0 for none.
  package var (start, sustain, release): (UInt32, UInt32, UInt32) = (0, 0, 0)
  /// What names its text; 0 for none.
  package var name: UInt32 = 0

  private static let (chunk, size) = ("inst", 28)

  /// Reads the content of `inst`; nil where it is not whole, or its note is none.
  package init?(_ bytes: [UInt8], defects: inout [ChunkDefect]) {
    guard bytes.count >= Self.size else {
      defects.note(Self.chunk, .unreadable(has: bytes.count, needs: Self.size))
      return nil
    }
    var reader = ChunkReader(Self.chunk, bytes, isBigEndian: true)
    baseNote = Float(bitPattern: reader.number())
    (lowNote, highNote) = (reader.number(), reader.number())
    (lowVelocity, highVelocity) = (reader.number(), reader.number())
    gain = Float(bitPattern: reader.number())
    (start, sustain, release) = (reader.number(), reader.number(), reader.number())
    name = reader.number()
    guard (0..<128).contains(baseNote) else {
      defects.note(Self.chunk, .badValue(field: "base note"))
      return nil
    }
  }

  /// What a sampler and an instrument of another format say: the pitch is the sampler's, if there is one.
  package init(_ sampler: SamplerChunk?, _ playing: InstrumentChunk?) {
    let instrument = playing ?? InstrumentChunk()
    // `inst` of a WAV says by how much the sound must be tuned, and not where it lies.
    baseNote =
      sampler.map { Float($0.unityNote) + Float($0.pitchFraction) / 0x1p32 }
      ?? Float(instrument.unityNote) - Float(instrument.fineTune) / 100
    baseNote = min(max(0, baseNote), Float(128).nextDown)
    gain = Float(instrument.gain)
    (lowNote, highNote) = (instrument.lowNote, instrument.highNote)
    (lowVelocity, highVelocity) = (instrument.lowVelocity, instrument.highVelocity)
  }

  /// As a WAV's `inst`, to the nearest hundredth of a semitone and the nearest decibel.
  package var playing: InstrumentChunk {
    var found = InstrumentChunk()
    let nearest = min(127, baseNote.rounded())
    found.unityNote = UInt8(nearest)
    found.fineTune = Int8(max(-50, min(50, ((nearest - baseNote) * 100).rounded())))
    found.gain = gain.isFinite ? Int16(max(-64, min(64, gain.rounded()))) : 0
    (found.lowNote, found.highNote) = (lowNote, highNote)
    (found.lowVelocity, found.highVelocity) = (lowVelocity, highVelocity)
    return found
  }

  /// As a WAV's `smpl` without loops.
  package var sampler: SamplerChunk {
    var found = SamplerChunk()
    found.unityNote = UInt32(baseNote.rounded(.down))
    found.pitchFraction = UInt32((baseNote - baseNote.rounded(.down)) * 0x1p32)
    return found
  }

  /// The content of `inst`, 28 bytes.
  package var bytes: [UInt8] {
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(baseNote.bitPattern)
    writer.append([lowNote, highNote, lowVelocity, highVelocity])
    writer.append(gain.bitPattern)
    for number in [start, sustain, release, name] { writer.append(number) }
    return writer.bytes
  }
}
