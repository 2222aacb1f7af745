extension Schema {
  /// An item: what sounds, and its modifiers in the order in which they are applied.
  static let item = Schema(
    subject: "an item",
    keys: [
      Key("clip", .clip, "a media file, or a name from 'sources', and a range of it"),
      Key("concat", .items, "items that follow one another"),
      Key("tracks", .tracks, "sequences that sound together, each under its name"),
      Key("silence", .time, "nothing, for a while"),
      Key("stream", .number, "which of the file's streams, as ffprobe counts them"),
      Key("from", .moment, "where the item starts, in its own time"),
      Key("to", .moment, "where the item ends, in its own time"),
      Key("duration", .time, "how long the item is"),
      Key("cut", .ranges, "ranges removed, in the item's own time"),
      Key("insert", .insertions, "items put in, each 'at' a time of the item as it is"),
      Key(
        "trim", notBuilt: "silence removed at the ends",
        instead: "name the range with 'from' and 'to'"),
      Key("reverse", .boolean, "played from its end to its start"),
      Key("speed", .speed, "faster or slower; the pitch is kept unless it is told to follow"),
      Key("loop", .loop, "repeated; 'end' is that of the longest other track"),
      Key("effects", .effects, "filters, in this order"),
      Key("loudness", notBuilt: "a target loudness", instead: "correct the item with 'gain'"),
      Key("gain", .gain, "a constant gain"),
      Key("volume", .volume, "moves between points, in the item's own time"),
      Key("pan", .pan, "between left and right, with constant power"),
      Key("fade_in", .fade, "a rise from silence at the start"),
      Key("fade_out", .fade, "a fall to silence at the end"),
      Key("at", .moment, "where the item starts, in the time of the sequence that holds it"),
      Key("crossfade", .fade, "how long the item before sounds on; on a list, at every join"),
      Key(
        "duck", notBuilt: "quieter under another track",
        instead: "write the 'volume' points by hand"),
      Key("channels", .channelPick, "brought to a layout, or one of them alone"),
      Key("polarity", .polarity, "whether every sample changes its sign"),
      Key("mute", .boolean, "nothing is heard of it, and it keeps its place"),
      Key("chapter", .chapter, "a chapter that begins with the item"),
      Key("chapters", .chapters, "chapters in the item's own time, which edits move along"),
      Key("name", .text, "what messages call the item"),
      Key("each", .row, "'row': the item is repeated for every row of the job's table"),
    ])

  /// An entry of `sources`: a file, and defaults for the clips that name it.
  static let source = Schema(
    subject: "a source",
    keys: [
      Key("file", .path, "the file's path, taken literally"),
      Key(
        "sha256", notBuilt: "a checksum to hold the file to",
        instead: "run 'sha256sum --check' before"),
    ] + item.keys.filter { !["concat", "tracks", "silence", "name", "each"].contains($0.name) })

  /// The long form of a fade.
  static let fade = Schema(
    subject: "a fade",
    keys: [
      Key("duration", .time, "how long it takes"),
      Key("curve", .curve, "the path of the volume"),
    ])

  /// The long form of a chapter.
  static let chapter = Schema(
    subject: "a chapter",
    keys: [
      Key("title", .text, "what players show"),
      Key("url", .link, "a page about it"),
      Key("image", .path, "a JPEG or PNG file"),
    ])

  /// The long form of a speed.
  static let speed = Schema(
    subject: "a speed",
    keys: [
      Key("rate", .factor, "the factor: '1.05', '105 %' or '4/3'"),
      Key("pitch", .pitch, "'keep', or 'follow' as on a tape"),
      Key("algorithm", .algorithm, "'spectral', 'time_domain' or 'varispeed'"),
    ])

  /// The long form of a volume curve.
  static let volume = Schema(
    subject: "a volume",
    keys: [
      Key("points", .volume, "times and gains"),
      Key("curve", .curve, "the path from one point to the next"),
    ])

  /// A range in a list of ranges.
  static let range = Schema(
    subject: "a range",
    keys: [
      Key("from", .moment, "where the range starts"),
      Key("to", .moment, "where it ends"),
      Key("duration", .time, "or how long it is"),
    ])

  /// A filter in a list of effects: its name, and its setting.
  static let effect = Schema(
    subject: "an effect",
    keys: [
      Key("highpass", .frequency, "takes away what is below a frequency"),
      Key("lowpass", .frequency, "takes away what is above a frequency"),
      Key("denoise", .reduction, "takes away steady noise"),
      Key("compressor", notBuilt: "louder and softer made alike", instead: "write 'volume' points"),
      Key(
        "filter", notBuilt: "a filter of FFmpeg's by its description",
        instead: "filter the file before"),
    ])
}
