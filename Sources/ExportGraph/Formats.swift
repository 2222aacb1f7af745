import Diagnosis
import MPEGAudio
import MediaComposition
import SystemPackage

/// The formats of an export's mix and outputs: settings that the job leaves open, decided once.
struct Settlement {
  var mix: AudioFormat
  /// With every setting decided, in the order of the export's outputs.
  var outputs: [SettledOutput] = []
  /// What becomes of channels, and of positions, beyond what the job requests.
  var notes: [Diagnostic] = []
}

struct SettledOutput {
  var output: Output
  var format: Output.Format
  var sound: AudioFormat
  /// The moving picture beside it; nil where it has none.
  var picture: PicturePlan?
  /// Whether it is AAC-LC of sources of HE-AAC, which a note says.
  var losesProfile = false
}

extension Export {
  /// Decides the settings that this export leaves open.
  ///
  /// - Throws: Every impossible setting, each at its own place.
  func settlement() throws(Diagnostics) -> Settlement {
    let sources = SourceFacts(of: self)
    var found = Diagnostics()
    var drafts: [Draft] = []
    for output in outputs {
      do throws(Diagnostics) {
        let (kind, clip) = try output.kind(among: sources)
        drafts.append(
          Draft(
            output: output, kind: kind, clip: clip,
            layout: layout(of: output, kind, clip, sources)))
      } catch {
        found.append(contentsOf: error.all)
      }
    }
    let needed = drafts.map { rate(of: $0, from: sources.sampleRate) }.max() ?? sources.sampleRate
    let mix = AudioFormat(
      sampleRate: sampleRate ?? min(sources.sampleRate, needed),
      channelLayout: mixLayout(drafts.map(\.layout), sources))
    var settlement = Settlement(mix: mix)
    for draft in drafts {
      do throws(Diagnostics) {
        var output = try settled(draft, mix, sources)
        if case .same(let clip, isInFolder: _) = draft.output.request {
          settlement.notes += keepCodec(of: &output, clip, sources, in: mix)
        }
        settlement.outputs.append(output)
        settlement.notes += placement(output).map { [$0] } ?? []
        settlement.notes += LayoutNotes(
          output: draft.output, kind: draft.kind, layout: draft.layout, mix: mix.channelLayout,
          isRequested: draft.output.channelLayout != nil || channelLayout != nil
        ).notes(on: sources)
      } catch {
        found.append(contentsOf: error.all)
      }
    }
    if let problem = sources.silenceProblem(for: outputs) { found.append(problem) }
    guard found.isEmpty else { throw found }
    settlement.notes += [
      sources.pictureNote(for: outputs), sources.silenceNote(for: outputs),
    ].compactMap(\.self)
    return settlement
  }

  /// Keeps the profile of an output with the codec of `clip`, or of all sources; gives notes on what it
  /// is not like them in.
  private func keepCodec(
    of output: inout SettledOutput, _ clip: Asset?, _ sources: SourceFacts, in mix: AudioFormat
  ) -> [Diagnostic] {
    let loss = keepProfile(of: &output, like: clip.map { [$0] } ?? sources.sounding, in: mix)
    output.losesProfile = loss != nil
    let difference = clip == nil ? output.format.kind.differenceNote(on: sources, output) : nil
    let encoded = output.format.kind.encodedNote(on: clip.map { [$0] } ?? sources.sounding, output)
    let isCopied = encoded != nil && isWholeCopy(output, of: mix)
    return [loss, difference, isCopied ? nil : encoded].compactMap(\.self)
  }

  /// The export with every rate, layout, format and path decided by its sources, and notes on these
  /// decisions. A settled export stays the same.
  ///
  /// - Throws: Every impossible setting, each at its own place.
  package func settled() throws(Diagnostics) -> (export: Export, notes: [Diagnostic]) {
    let settlement = try settlement()
    var export = self
    export.sampleRate = settlement.mix.sampleRate
    export.channelLayout = settlement.mix.channelLayout
    export.outputs = settlement.outputs.map(\.output)
    return (export, settlement.notes)
  }
}

/// The facts of an output before its rate is decided.
private struct Draft {
  var output: Output
  var kind: Output.Kind
  /// The clip whose codec the output keeps, if it is set to.
  var clip: Asset?
  var layout: ChannelLayout
}

extension Export {
  /// The output's own; else the job's; else the sources' where the format has it; else stereo, or what
  /// the format has.
  private func layout(
    of output: Output, _ kind: Output.Kind, _ clip: Asset?, _ sources: SourceFacts
  ) -> ChannelLayout {
    if let asked = output.ownLayout ?? channelLayout { return asked }
    if case .copied = output.request, let clip { return clip.channelLayout }
    return kind.capabilities.layout(nearest: sources.layout)
  }

  /// The job's; else that of the output with most channels, where it has more than two; else that of
  /// all outputs, or mono where all sources are, where nothing is panned; else stereo.
  private func mixLayout(_ layouts: [ChannelLayout], _ sources: SourceFacts) -> ChannelLayout {
    if let channelLayout { return channelLayout }
    if let widest = layouts.max(by: { $0.count < $1.count }), widest.count > 2 { return widest }
    if !layouts.isEmpty, !isPanned, layouts.allSatisfy({ $0 == .mono }) { return .mono }
    // A copy of one or two channels in other places than those of mono and stereo.
    if let only = layouts.first, !isPanned, only != .stereo, layouts.allSatisfy({ $0 == only }) {
      return only
    }
    return sources.layout.count > 2 ? .stereo : sources.layout
  }

  /// The output's own; else the format's nearest to `rate`, or, under a preset of LAME's in a job
  /// without a rate, the lower rate that LAME takes.
  private func rate(of draft: Draft, from rate: Int) -> Int {
    if let own = draft.output.sampleRate ?? draft.output.telephone?.sampleRate { return own }
    if case .copied = draft.output.request, let clip = draft.clip { return clip.sampleRate }
    let nearest = draft.kind.capabilities.sampleRates.nearest(to: rate)
    return sampleRate == nil ? draft.output.usualRate(from: nearest, draft.layout) : nearest
  }

  private func settled(
    _ draft: Draft, _ mix: AudioFormat, _ sources: SourceFacts
  ) throws(Diagnostics) -> SettledOutput {
    var output = draft.output
    let (rate, layout) = (rate(of: draft, from: mix.sampleRate), draft.layout)
    let check = RequestCheck(
      output, draft.kind, mixRate: sampleRate.map { Located($0, at: origins.sampleRate) },
      mixLayout: channelLayout.map { Located($0, at: origins.channelLayout) })
    var format: Output.Format
    let isRenamed = if case .same(_, isInFolder: true) = output.request { true } else { false }
    if !isRenamed, let problem = output.nameProblem(draft.kind) { throw Diagnostics(problem) }
    switch output.request {
    case .exactly(let exact): format = exact
    case .usual(let kind):
      format = kind.usualFormat(
        isDeep: sources.isDeep, sampleRate: rate, channelCount: layout.count)
      if let telephone = output.telephone { format = format.with(.samples(telephone.samples)) }
    case .same(let named, let isInFolder):
      guard let clip = draft.clip else { throw Diagnostics(output.missingClip) }
      let parts = named.map { [$0] } ?? sources.sounding
      format =
        draft.kind.format(likeAll: parts, sampleRate: rate, layout: layout)
        ?? draft.kind.format(like: clip, sampleRate: rate, layout: layout)
      if let usual = draft.kind.fileExtension(for: output) {
        guard isInFolder else { throw Diagnostics(output.misnamed(clip, draft.kind, usual)) }
        output.path.extension = usual
      }
      if output.copying == nil { output.copying = Output.Copying(isRequired: false) }
    case .copied:
      guard let clip = draft.clip else { throw Diagnostics(output.missingClip) }
      format = draft.kind.format(like: clip, sampleRate: rate, layout: layout)
    }
    if let problem = output.telephoneProblem(format, rate, layout) { throw Diagnostics(problem) }
    let problems = check.problems(of: format, sampleRate: rate, layout: layout, sources)
    guard problems.isEmpty else { throw Diagnostics(problems) }
    output.request = .exactly(format)
    (output.sampleRate, output.channelLayout) = (rate, layout)
    // The cover is read later, and so is a library asked; what is settled needs no place any more.
    let (cover, settings) = (output.origins.cover, output.origins.format)
    (output.mp3Preset, output.origins) = (nil, Output.Origins())
    output.origins.cover = cover
    if format.isByFDK { output.origins.format = settings }
    return SettledOutput(
      output: output, format: format, sound: AudioFormat(sampleRate: rate, channelLayout: layout),
      picture: try picture(of: output))
  }

  /// A note on channels without positions in a format that gives each one a position of its own, and on
  /// positions that the format has none of.
  private func placement(_ settled: SettledOutput) -> Diagnostic? {
    let (layout, held) = (settled.sound.channelLayout, settled.format.kind.capabilities)
    if held.layouts == nil, settled.format.kind != .raw, layout.count > 1, !layout.isStorable {
      let lost = layout.channels.filter { $0 != .unplaced && !ChannelLayout([$0]).isStorable }
      return Diagnostic(
        .note,
        "'\(settled.output.path)' has "
          // Two channels without positions are stereo to all readers.
          + (layout.count == 2
            ? "two channels that count as left and right, and not their own positions: "
            : "\(layout.count) channels without positions: ")
          + (lost.isEmpty
            ? "not all of its source's are known"
            : "\(held.codecName) has none for \(lost.map(\.adjective).listed("and"))"),
        at: settled.output.origin)
    }
    guard layout.isUnplaced, settled.format.kind == .flac else { return nil }
    return Diagnostic(
      .note,
      "'\(settled.output.path)': FLAC gives \(settled.sound.channelLayout.count) channels the "
        + "positions of a surround, and players may; its tag WAVEFORMATEXTENSIBLE_CHANNEL_MASK says "
        + "that they have none", at: settled.output.origin,
      help: "WAV and CAF hold channels without positions")
  }
}

extension OutputCapabilities {
  /// `layout` where the format has it; else stereo, or what the format has.
  func layout(nearest layout: ChannelLayout) -> ChannelLayout {
    if stored(layout) != nil { return layout }
    return stored(.stereo) == nil ? layouts?.first ?? .stereo : .stereo
  }
}

extension Output {
  /// The layout that it requests, also by a preset of LAME's for mono.
  var ownLayout: ChannelLayout? {
    channelLayout ?? (mp3Preset?.isMono == true || telephone != nil ? .mono : nil)
  }

  /// What is wrong with a file whose name promises another sound to telephone systems.
  fileprivate func telephoneProblem(
    _ format: Format, _ sampleRate: Int, _ layout: ChannelLayout
  ) -> Diagnostic? {
    guard let own = path.extension, let promised = RawSound.ofTelephone(own) else { return nil }
    let isKept =
      format.setting == .samples(promised.samples) && sampleRate == promised.sampleRate
      && layout.count == 1
    let container = waveContainer ?? .riff
    guard container == .riff else {
      return Diagnostic(
        "'.\(own)' is read as RIFF alone, and not as \(container.name)",
        at: origins.format == .unknown ? origin : origins.format,
        help: "leave 'container' out, or give the file another name, as '.wav'")
    }
    guard !isKept else { return nil }
    return Diagnostic(
      "'.\(own)' is read as \(promised.samples.rawValue) of one channel at \(promised.sampleRate) Hz, "
        + "whatever a file holds", at: origins.format == .unknown ? origin : origins.format,
      help: "leave out format, rate and channels, or give the file another name")
  }

  /// The rate that LAME takes for a preset of its own from `rate`; `rate` for other outputs, and
  /// where the lower rate does not have the bit rate.
  func usualRate(from rate: Int, _ layout: ChannelLayout) -> Int {
    guard mp3Preset != nil, case .exactly(.mp3(let settings)) = request else { return rate }
    let lower = settings.preferredSampleRate(for: rate, channelCount: layout.count)
    let problems = Format.mp3(settings).problems(sampleRate: lower, layout: layout)
    return problems.contains { $0.setting == .rateControl } ? rate : lower
  }

  /// Container and codec, and the clip that the request takes them from, if any.
  fileprivate func kind(
    among sources: SourceFacts
  ) throws(Diagnostics) -> (kind: Kind, clip: Asset?) {
    let clip: Asset
    switch request {
    case .exactly(let format): return (format.kind, nil)
    case .usual(let kind): return (kind, nil)
    case .same(let named?, isInFolder: _): clip = named
    case .same(nil, let isInFolder):
      if let unwritten = sources.sounding.first(where: { $0.outputKind == nil }) {
        clip = unwritten
      } else if let longest = longestHeard(among: sources, isInFolder: isInFolder) {
        clip = longest
      } else {
        throw Diagnostics(missingClip)
      }
    case .copied(let kind):
      guard let clip = sources.longestHeard(of: [kind]) else {
        throw Diagnostics(nothingToCopy(kind, among: sources))
      }
      return (kind, clip)
    }
    guard let kind = clip.outputKind else {
      let names = Kind.allCases.map { "'\($0.rawValue)'" }
      throw Diagnostics(
        Diagnostic(
          "'codec: same': '\(clip.location)' is \(clip.codec), which is not written", at: origin,
          help: "name a format: one of " + names.joined(separator: ", ")))
    }
    return (kind, clip)
  }

  /// The source that is heard longest; of those whose codec its file's extension names, if any.
  private func longestHeard(among sources: SourceFacts, isInFolder: Bool) -> Asset? {
    let fitting = Kind.allCases.filter {
      !isInFolder && $0.capabilities.extensions.contains(path.extension?.lowercased() ?? "")
    }
    return sources.longestHeard(of: fitting) ?? sources.longestHeard(of: Kind.allCases)
  }

  fileprivate var missingClip: Diagnostic {
    Diagnostic(
      "an output with the codec of its sources, of an export without any",
      at: origins.format == .unknown ? origin : origins.format,
      help: "name the format, as 'mp3: V2'")
  }

  private func nothingToCopy(_ kind: Kind, among sources: SourceFacts) -> Diagnostic {
    let name = kind.capabilities.codecName
    // A container may hold other samples than are written to it.
    let other = sources.assets.first { $0.container == name.lowercased() }
    return Diagnostic(
      other.map {
        "'\(kind.rawValue): copy' of '\($0.location)': \($0.codec) is not written to \(name)"
      }
        ?? "'\(kind.rawValue): copy' of sources that are not \(name)",
      at: origins.format == .unknown ? origin : origins.format,
      help: kind.encodingHelp(of: sources.assets))
  }

  fileprivate func misnamed(_ clip: Asset, _ kind: Kind, _ usual: String) -> Diagnostic {
    Diagnostic(
      "'codec: same': '\(clip.location)' is \(kind.capabilities.codecName), which does not go into "
        + "'.\(path.extension ?? "")'", at: origin, help: "write '\(path.stem ?? "").\(usual)'")
  }
}

extension Output.Kind {
  /// The extension that an output should have if its own is not one of this kind's.
  fileprivate func fileExtension(for output: Output) -> String? {
    let all = capabilities.extensions
    guard !all.contains(output.path.extension?.lowercased() ?? "") else { return nil }
    let ofMovie = all.first { MovieContainer(extension: $0) != nil }
    let isMovie = output.video.map { $0 != Output.Video.none } ?? false
    return isMovie ? ofMovie ?? all.first : all.first
  }
}
