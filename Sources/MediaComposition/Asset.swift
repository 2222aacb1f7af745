import Diagnosis
import MPEGAudio
import MediaTime

/// One stream of sound in one media file, with the facts that probing found; or a moving picture
/// without sound, which is heard as silence.
public struct Asset: Sendable, Hashable, Codable {
  /// Where the medium is.
  public var location: MediaLocation
  /// Which of the file's streams: an index into all of its streams, as ffprobe counts them; `noStream`
  /// of a file that has a moving picture and no sound.
  public var streamIndex: Int
  /// The index of a sound that is not there.
  package static let noStream = -1
  /// FFmpeg's name of the container and the codec, such as `mov` and `aac`.
  public var container: String
  /// FFmpeg's name of the codec, such as `aac`; `none` without sound.
  public var codec: String
  /// The profile of AAC, where it is not LC: `HE-AAC`, `HE-AAC v2` or `xHE-AAC`.
  package var profile: String?
  /// Frames a second, as decoded.
  public var sampleRate: Int
  /// Where its channels come from.
  public var channelLayout: ChannelLayout
  /// Significant bits of each sample where decoding gives integers, else nil.
  public var bitDepth: Int?
  /// How many frames decoding gives, after encoder delay and padding are removed.
  public var frameCount: Int64
  /// Frames that decoding gives before the sound, and that are left out since the file says so: by
  /// LAME's or Lavc's tag (its delay and the 529 by which a decoder is late), iTunes' note, an edit
  /// list, Opus' pre-skip, Vorbis' first granule, Matroska's `CodecDelay`. Nil where it does not say.
  package var encoderDelay: Int?
  /// Frames that decoding gives after the sound, and that are left out since the file says so; nil
  /// where it does not say. Delay, `frameCount` and padding add up to what the packets hold.
  package var encoderPadding: Int?
  /// The duration that the container's header promises, where it promises one.
  package var announcedDuration: Time?
  /// Bits a second, as the container says; nil where it does not.
  public var bitRate: Int?
  /// The tracks of a file with a moving picture, in its order; empty for other files. Covers and other
  /// pictures of tags are none.
  public var tracks: [AssetTrack] = []
  /// When the sound begins by the file's clock, by which its pictures are shown; 0 where no picture is.
  public var start = Time.zero
  /// What it was said to be, where its file has no header and its name does not tell.
  package var raw: RawSound?
  /// Whether its packets can be put into another file so that its sound begins and ends at any frame:
  /// their timestamps count frames, or all of AAC's have 1024, and AAC is of the profile LC (ISO 14496-3,
  /// 1.5.2.1).
  package var hasExactPackets = false
  /// Why they cannot; nil where they can, and where that is not known.
  package var packetObstacle: PacketObstacle?
  /// Whether all of its packets together can be put into another file, though no part of them: those of
  /// HE-AAC, whose decoders depend on what was before.
  package var hasWholePackets = false
  /// What a decoder of its packets is set up with, in words of its codec: packets of several files can
  /// be those of one stream only where they agree in it. Nil where packets are copied as those of one
  /// clip alone, or not at all.
  package var packetSetup: String?
  /// How an MP3 was made, as far as its encoder's tag or its frames say.
  package var mp3Settings: MP3Settings? {
    get { mp3.first }
    set { mp3 = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list: most assets have none, and thousands are kept.
  private var mp3: [MP3Settings] = []
  /// The file's tags.
  public var metadata: Metadata
  /// What it says of places in its sound and of its origin, beside tags and chapters; nil: nothing.
  package var marks: MediaMarks? {
    get { ownMarks.first }
    set { ownMarks = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list, as `mp3`.
  private var ownMarks: [MediaMarks] = []
  /// The file's chapters, in the asset's own time.
  public var chapters: [Chapter]
  /// What its file has beside, which is not read, and which no output gets: chunks, frames of ID3,
  /// streams of subtitles.
  package var unread: [String] = []
  /// Device, inode, size and modification time: what makes this file this file.
  package var identity: FileIdentity

  /// An asset with these facts; the engine's probing makes them.
  package init(
    location: MediaLocation, streamIndex: Int, container: String, codec: String, sampleRate: Int,
    channelLayout: ChannelLayout, bitDepth: Int? = nil, frameCount: Int64,
    encoderDelay: Int? = nil, encoderPadding: Int? = nil, announcedDuration: Time? = nil,
    bitRate: Int? = nil, metadata: Metadata = Metadata(),
    chapters: [Chapter] = [], identity: FileIdentity
  ) {
    self.location = location
    self.streamIndex = streamIndex
    self.container = container
    self.codec = codec
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.bitDepth = bitDepth
    self.frameCount = frameCount
    self.encoderDelay = encoderDelay
    self.encoderPadding = encoderPadding
    self.announcedDuration = announcedDuration
    self.bitRate = bitRate
    self.metadata = metadata
    self.chapters = chapters
    self.identity = identity
  }

  /// FFmpeg's name of the codec of the file's first moving picture, such as `h264`; nil where there is
  /// none.
  package var videoCodec: String? { tracks.first { $0.mediaType == .video }?.codec }

  /// The tracks of one kind of a file with a moving picture (`loadTracks(withMediaType:)`), in its
  /// order; empty for other files, whose only track is the asset itself. O(tracks).
  public func tracks(withMediaType mediaType: AssetTrack.MediaType) -> [AssetTrack] {
    tracks.filter { $0.mediaType == mediaType }
  }

  /// By place and stream alone: equal assets agree in these, and the rest is long.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(location)
    hasher.combine(streamIndex)
  }

  /// Whether its file has sound. One that has none is silent as long as its picture lasts.
  public var hasSound: Bool { streamIndex != Self.noStream }

  /// Why no sound can be made of it; nil where it has sound.
  package var silence: Failure? {
    guard !hasSound else { return nil }
    let kinds = tracks.map { "\($0.mediaType.rawValue) (\($0.codec))" }
    return Failure(
      .mendInput, "holds no sound, only \(kinds.joined(separator: ", "))", location: location)
  }

  /// `streamIndex`; nil without sound.
  package var soundIndex: Int? { hasSound ? streamIndex : nil }

  /// Whether its file is still to be written, and these facts are what probing will find.
  package var isPredicted: Bool { identity == .predicted }

  /// Exactly `frameCount / sampleRate`.
  public var duration: Time { Time(frames: frameCount, rate: sampleRate) }
}

/// What distinguishes one file from another, whatever paths and links lead to it.
package struct FileIdentity: Sendable, Hashable, Codable {
  /// The file system.
  package var device: UInt64
  /// The file's number on it.
  package var inode: UInt64
  /// Bytes.
  package var size: Int64
  /// Nanoseconds since 1970.
  package var modificationTime: Int64

  /// What `stat` says of a file.
  package init(device: UInt64, inode: UInt64, size: Int64, modificationTime: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modificationTime = modificationTime
  }

  /// Of a file that is not there yet: no file has it.
  package static let predicted = FileIdentity(device: 0, inode: 0, size: -1, modificationTime: 0)

  /// What stays the same while a file's content changes.
  package struct Inode: Sendable, Hashable, Codable {
    /// The file system.
    package var device: UInt64
    /// The file's number on it.
    package var number: UInt64

    /// The inode `number` of `device`, as `stat` gives them.
    package init(device: UInt64, number: UInt64) {
      self.device = device
      self.number = number
    }
  }

  /// The file behind all its names.
  package var file: Inode { Inode(device: device, number: inode) }
}
