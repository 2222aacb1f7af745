// swift-tools-version: 6.2
import PackageDescription

/// Arrows point down only; `scripts/test` builds with
/// `--explicit-target-dependency-import-check error`, so this list is the diagram.
let package = Package(
  name: "avjob",
  products: [
    .executable(name: "avjob", targets: ["avjob"]),
    // For programs that compose, export, play and record: `import AVJob`.
    .library(name: "AVJob", targets: ["AVJob"]),
    // Exact times alone, which link no media library.
    .library(name: "MediaTime", targets: ["MediaTime"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // The command.
    .executableTarget(
      name: "avjob",
      dependencies: [
        "MediaTime", "MPEGAudio", "Files", "Threads", "Diagnosis", "Transcripts",
        "MediaComposition", "JobModel",
        "JobFile", "ExportGraph", "ExportEngine", "RunPlan", "RunExecution", "WorkerPool",
        "Receipts", "Playback", "LiveScreens", "Reports", "Clusters", "Terminal", "JSON",
        "MediaCache",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // What the library exports, under one name.
    .target(
      name: "AVJob",
      dependencies: [
        "MediaTime", "MPEGAudio", "Diagnosis", "Transcripts", "MediaComposition", "ExportEngine",
        "Playback", "NowPlaying",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // Runs on many machines: what their engines are given, and what is seen of it.
    .target(
      name: "Clusters",
      dependencies: [
        "JSON", "Files", "Threads", "Diagnosis", "MediaComposition", "ExportEngine", "RunPlan",
        "Reports", "Terminal",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // Runs what is settled: beside receipts, in this process or in one for each job.
    .target(
      name: "RunExecution",
      dependencies: [
        "MediaTime", "Files", "Threads", "Diagnosis", "Transcripts", "MediaComposition", "JobModel",
        "JobFile",
        "ExportEngine", "RunPlan", "WorkerPool", "Receipts", "Terminal",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // What a run is to do, settled once.
    .target(
      name: "RunPlan",
      dependencies: [
        "MediaTime", "Files", "Threads", "Diagnosis", "Transcripts", "MediaComposition", "JobModel",
        "JobFile",
        "ExportEngine", "WorkerPool",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // Runs: jobs within the budget.
    .target(
      name: "WorkerPool",
      dependencies: [
        "Threads", "Diagnosis", "MediaComposition", "MediaTime",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // What runs report: on the screen, to programs, in files.
    .target(
      name: "Reports",
      dependencies: [
        "JSON", "MediaTime", "Files", "Diagnosis", "Transcripts", "MediaComposition", "ExportGraph",
        "ExportEngine", "RunPlan", "WorkerPool", "Terminal", "LibAV",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      resources: [.embedInCode("Page")]),

    // Live: players and recorders, for `preview`, `record` and any program.
    .target(
      name: "Playback",
      dependencies: [
        "MediaTime", "Files", "Threads", "Diagnosis", "Transcripts", "MediaComposition",
        "ExportGraph", "ExportEngine",
        "Loudness", "ALSA", "PulseAudio",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // What is playing, and the commands of other programs (MPRIS).
    .target(name: "NowPlaying", dependencies: ["DBus", "Diagnosis", "MediaTime", "Threads"]),

    // The screens, keys and lines of `preview` and `record`; follows files that change.
    .target(
      name: "LiveScreens",
      dependencies: [
        "MediaTime", "Files", "Threads", "Diagnosis", "Transcripts", "MediaComposition", "JobModel",
        "JobFile",
        "ExportGraph", "ExportEngine", "Playback", "NowPlaying", "Reports", "Terminal",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    .target(
      name: "Receipts",
      dependencies: [
        "MediaTime", "JSON", "Files", "Threads", "Diagnosis", "MediaComposition", "LibAV",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // The only target where a graph meets codecs.
    .target(
      name: "ExportEngine",
      dependencies: [
        "JSON", "MediaTime", "MPEGAudio", "Tagging", "Files", "Threads", "Diagnosis",
        "Transcripts", "MediaComposition", "ExportGraph", "Dynamics", "HTTP", "MediaCache",
        "LibAV", "VideoBitstream", "LAME", "FDKAAC", "Splicing", "Loudness", "Joins",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // Values.
    .target(
      name: "JobFile",
      dependencies: [
        "JSON", "YAML", "JobModel", "TimeLists", "ExportGraph",
        "MediaTime", "Files", "Threads", "MPEGAudio", "Diagnosis", "Transcripts",
        "MediaComposition",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .target(
      name: "TimeLists",
      dependencies: [
        "JobModel", "MediaTime", "Tagging", "Diagnosis", "Transcripts", "MediaComposition",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .target(
      name: "JobModel",
      dependencies: [
        "MediaTime", "MPEGAudio", "Diagnosis", "Transcripts", "MediaComposition", "ExportGraph",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .target(
      name: "ExportGraph",
      dependencies: [
        "JSON", "MediaTime", "MPEGAudio", "Tagging", "Diagnosis", "Transcripts", "MediaComposition",
        "Dynamics", "FDKAAC",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .target(
      name: "MediaComposition",
      dependencies: [
        "JSON", "MediaTime", "MPEGAudio", "Tagging", "Files", "Diagnosis", "Transcripts",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),

    // Each C module is imported by one wrapper.
    .target(
      name: "LibAV",
      dependencies: [
        "CFFmpeg", "CReadingBounds", "Files", "Threads", "MediaTime", "MPEGAudio", "Tagging",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .target(name: "CReadingBounds"),

    // Media of servers: asked for over HTTP, and kept by ranges.
    .target(
      name: "MediaCache",
      dependencies: [
        "HTTP", "LibAV", "Files", "Threads", "Diagnosis",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    // Asks servers; libcurl is loaded at the first request and not linked.
    .target(name: "HTTP", dependencies: ["CCurl", "Diagnosis", "Threads"]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Joins the session's bus; libsystemd is loaded then and not linked.
    .target(name: "DBus", dependencies: ["CSystemd"]),
    .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),

    // Several encoders make one stream, whatever their codec.
    .target(name: "Splicing", dependencies: ["Threads"]),
    .target(name: "LAME", dependencies: ["CLAME", "MPEGAudio", "Splicing", "Threads"]),
    // Encodes AAC where a job asks for it; libfdk-aac is loaded then and not linked.
    .target(name: "FDKAAC", dependencies: ["CFDKAAC"]),
    .systemLibrary(name: "CFDKAAC"),
    .systemLibrary(
      name: "CFFmpeg",
      // Of libavfilter only the headers: it is loaded when it is needed.
      pkgConfig: "libavformat libavcodec libavutil libswresample",
      providers: [
        .apt([
          "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswresample-dev",
          "libavfilter-dev",
        ])
      ]),
    .target(name: "Loudness", dependencies: ["CEBUR128", "MediaComposition", "MediaTime"]),
    .target(name: "Joins", dependencies: ["Diagnosis", "MediaComposition"]),
    .systemLibrary(
      name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
    .systemLibrary(name: "CLAME", pkgConfig: "lame", providers: [.apt(["libmp3lame-dev"])]),
    // Sound devices and servers; their libraries are loaded when one is asked for and not linked.
    .target(name: "ALSA", dependencies: ["CALSA"]),
    .systemLibrary(name: "CALSA", providers: [.apt(["libasound2-dev"])]),
    .target(name: "PulseAudio", dependencies: ["CPulse", "Threads"]),
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    .target(
      name: "YAML",
      dependencies: [
        "CYAML", "JobModel", "Diagnosis",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // The lowest targets.
    .target(
      name: "Diagnosis",
      dependencies: [.product(name: "SystemPackage", package: "swift-system")]),
    .target(name: "MPEGAudio", dependencies: ["MediaTime", "Tagging"]),
    // Tags as bytes and as names, whatever file they are in.
    .target(name: "Tagging"),
    // The words of a recording, and the files that hold them.
    .target(
      name: "Transcripts",
      dependencies: [
        "JSON", "MediaTime", "Tagging", "Files", "Diagnosis",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    // Pictures as bits: what a cut without encoding reads and rewrites of H.264 and HEVC.
    .target(name: "VideoBitstream"),
    .target(name: "MediaTime"),
    .target(name: "Dynamics", dependencies: ["CDynamics"]),
    .systemLibrary(name: "CDynamics"),
    .target(name: "JSON", dependencies: ["Diagnosis"]),
    .target(
      name: "Files",
      dependencies: [
        "CFiles", "Diagnosis", "Threads", .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .systemLibrary(name: "CFiles"),
    .target(
      name: "Threads",
      dependencies: ["CThreads", .product(name: "SystemPackage", package: "swift-system")]),
    .systemLibrary(name: "CThreads"),

    // A terminal: keys in, lines out.
    .target(
      name: "Terminal", dependencies: ["CTerminal", "Files", "Threads", "MediaTime", "Diagnosis"]),
    .systemLibrary(name: "CTerminal"),

    // Tests mirror the targets; end-to-end tests run the built command.
    .target(
      name: "TestSupport", dependencies: ["Diagnosis", "Threads"], path: "Tests/TestSupport"),
    .target(
      name: "TestNetwork",
      dependencies: [
        "ExportEngine", "Diagnosis", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ], path: "Tests/TestNetwork"),
    .testTarget(name: "MediaTimeTests", dependencies: ["MediaTime", "TestSupport"]),
    .testTarget(name: "TaggingTests", dependencies: ["Tagging", "TestSupport"]),
    .testTarget(name: "MPEGAudioTests", dependencies: ["MPEGAudio", "TestSupport"]),
    .testTarget(name: "VideoBitstreamTests", dependencies: ["VideoBitstream", "TestSupport"]),
    .testTarget(
      name: "TranscriptsTests",
      dependencies: [
        "Transcripts", "JSON", "MediaTime", "Diagnosis", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"]),
    .testTarget(name: "DiagnosisTests", dependencies: ["Diagnosis", "TestSupport"]),
    .testTarget(
      name: "FilesTests",
      dependencies: [
        "Files", "Threads", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(name: "ThreadsTests", dependencies: ["Threads", "TestSupport"]),
    .testTarget(
      name: "TerminalTests", dependencies: ["Terminal", "Threads", "MediaTime", "TestSupport"]),
    .testTarget(
      name: "MediaCompositionTests",
      dependencies: [
        "JSON", "Diagnosis", "Transcripts", "MediaComposition", "MediaTime", "MPEGAudio",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "JobModelTests",
      dependencies: [
        "JobModel", "Transcripts", "MediaComposition", "Diagnosis", "MediaTime", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "TimeListsTests",
      dependencies: [
        "TimeLists", "JobModel", "Diagnosis", "MediaComposition", "MediaTime", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "JobFileTests",
      dependencies: [
        "JobFile", "JobModel", "YAML", "TimeLists", "Diagnosis", "Transcripts", "MediaComposition",
        "MediaTime",
        "MPEGAudio", "RunPlan", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "ExportGraphTests",
      dependencies: [
        "JSON", "ExportGraph", "FDKAAC", "Diagnosis", "Transcripts", "MediaComposition",
        "MediaTime", "MPEGAudio",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(name: "LibAVTests", dependencies: ["LibAV", "TestSupport"]),
    .testTarget(
      name: "LAMETests", dependencies: ["LAME", "MPEGAudio", "Splicing", "Threads", "TestSupport"]),
    .testTarget(name: "SplicingTests", dependencies: ["Splicing", "Threads", "TestSupport"]),
    .testTarget(name: "DBusTests", dependencies: ["DBus", "Threads", "TestSupport"]),
    .testTarget(
      name: "NowPlayingTests",
      dependencies: ["NowPlaying", "MediaTime", "Threads", "TestSupport"]),
    .testTarget(
      name: "HTTPTests", dependencies: ["HTTP", "Diagnosis", "Threads", "TestSupport"]),
    .testTarget(
      name: "MediaCacheTests",
      dependencies: [
        "MediaCache", "HTTP", "LibAV", "Threads", "Diagnosis", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(name: "DynamicsTests", dependencies: ["Dynamics", "TestSupport"]),
    .testTarget(
      name: "LoudnessTests",
      dependencies: ["Loudness", "MediaComposition", "MediaTime", "TestSupport"]),
    .testTarget(
      name: "JoinsTests", dependencies: ["Joins", "MediaComposition", "Diagnosis", "TestSupport"]),
    .testTarget(name: "ALSATests", dependencies: ["ALSA", "Threads", "TestSupport"]),
    .testTarget(
      name: "ExportEngineTests",
      dependencies: [
        "AVJob", "JSON", "ExportEngine", "ExportGraph", "Files", "Diagnosis", "Transcripts",
        "MediaComposition",
        "MediaTime", "MPEGAudio", "Tagging", "Threads", "LibAV", "LAME", "Splicing", "Dynamics",
        "TestNetwork", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "RunPlanTests",
      dependencies: [
        "RunPlan", "JobFile", "JobModel", "ExportEngine", "Files", "Diagnosis",
        "MediaComposition", "MediaTime", "Threads", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "WorkerPoolTests",
      dependencies: [
        "WorkerPool", "Threads", "Diagnosis", "MediaComposition", "MediaTime", "TestSupport",
      ]),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "Reports", "JSON", "RunPlan", "Diagnosis", "ExportEngine", "ExportGraph", "JobModel",
        "Transcripts", "MediaComposition", "MediaTime", "Terminal", "WorkerPool", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "ClustersTests",
      dependencies: [
        "Clusters", "JSON", "Threads", "Diagnosis", "Reports", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "PlaybackTests",
      dependencies: [
        "Playback", "ALSA", "PulseAudio", "Loudness", "ExportEngine", "ExportGraph", "Diagnosis",
        "MediaComposition",
        "MediaTime", "Threads", "TestNetwork", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "ReceiptsTests",
      dependencies: [
        "Receipts", "Files", "Diagnosis", "MediaComposition", "MediaTime", "Threads",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "RunExecutionTests",
      dependencies: [
        "RunExecution", "JobFile", "ExportEngine", "Diagnosis", "MediaComposition", "MediaTime",
        "RunPlan", "WorkerPool", "LiveScreens", "Threads", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "AVJobTests",
      dependencies: [
        "avjob", "JobFile", "JobModel", "ExportEngine", "Diagnosis", "MediaComposition",
        "MediaTime", "RunPlan", "WorkerPool", "Playback", "LiveScreens", "Terminal", "Threads",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "LiveScreensTests",
      dependencies: [
        "LiveScreens", "Playback", "ExportEngine", "Transcripts", "MediaComposition", "MediaTime",
        "Diagnosis", "JobFile", "JobModel", "Reports", "TimeLists", "Threads", "Terminal",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .testTarget(
      name: "PortingTests",
      dependencies: [
        "AVJob", "MediaTime", "MPEGAudio", "Diagnosis", "Transcripts", "MediaComposition",
        "ExportEngine",
        "Playback", "NowPlaying", "TestNetwork", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      // The rows of docs/avfoundation.md.
      exclude: ["rows.tsv"]),
    // What users of the library are promised: its documents, its names and what it links.
    .testTarget(name: "LibraryTests", dependencies: ["AVJob", "TestSupport"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["avjob", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Targets that compute for each sample.
let computing: Set = [
  "MediaTime", "MPEGAudio", "Threads", "MediaComposition", "ExportGraph", "ExportEngine", "LibAV",
  "LAME", "FDKAAC", "Loudness", "Joins", "Dynamics", "ALSA", "PulseAudio", "Playback",
  "VideoBitstream",
]

// `scripts/avjob` builds the others for size: it takes a fifth less time, and no benchmark sees it.
// Not by default: a package with such flags could be no dependency.
if Context.environment["AVJOB_COMMAND"] != nil {
  for target in package.targets where [.regular, .executable].contains(target.type) {
    if computing.contains(target.name) { continue }
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"])]
  }
}

// `scripts/test` turns warnings into errors, in our targets and not in our dependencies. Not by
// default: a newer compiler's new warnings must not break anybody's build. What is tested keeps the
// checks of a debug build, although `scripts/test` has it compiled with `-O`: tests render hours of sound.
// Tests that hold an object for what it does are not: optimized they would let go of it. SwiftPM puts the
// `-O` of its command line behind the flags of a target, so these tell the compiler's frontend itself.
if Context.environment["AVJOB_STRICT"] != nil {
  let holding = [
    "ALSATests", "AVJobTests", "DBusTests", "NowPlayingTests", "PlaybackTests", "PortingTests",
  ]
  for target in package.targets where target.type != .system {
    var flags = ["-warnings-as-errors", "-assert-config", "Debug"]
    if holding.contains(target.name) { flags += ["-Xfrontend", "-Onone"] }
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
  }
}

// Programs for libFuzzer; the targets that they test are instrumented, and keep the checks of a
// debug build: without them a read behind a buffer's end is seen only where the memory ends, too.
// They are there for `scripts/fuzz` only.
if Context.environment["AVJOB_FUZZ"] != nil {
  let sanitizers = ["-sanitize=fuzzer,address"]
  let texts = ["JobFile", "JobModel", "TimeLists", "YAML", "Diagnosis", "MediaComposition"]
  let files = ["Diagnosis", "ExportEngine", "ExportGraph", "LibAV", "Receipts", "Transcripts"]
  let servers = ["HTTP", "MediaCache", "ExportEngine", "Diagnosis"]
  let reports = ["JSON", "Reports", "Diagnosis", "MediaTime"]
  let transcripts = ["JSON", "Transcripts", "Diagnosis", "MediaTime"]
  for target in package.targets
  where
    (texts + files + servers + reports + transcripts + ["MPEGAudio", "Tagging", "VideoBitstream"])
    .contains(target.name)
  {
    target.swiftSettings = [
      .unsafeFlags(sanitizers + ["-enable-testing", "-assert-config", "Debug"])
    ]
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .target(name: "FuzzDriver", dependencies: ["CFuzzer"], path: "Tests/Fuzz/Driver"),
  ]
  let readers: KeyValuePairs = [
    "Frames": ["MPEGAudio"], "Packer": ["MPEGAudio"], "Tags": ["MPEGAudio", "Tagging"],
    "Lists": texts + ["MediaTime"], "Jobs": texts + ["MediaTime"],
    "Takes": texts + ["MediaTime"],
    "Files": files + ["MediaComposition", "MediaTime"], "Servers": servers,
    "Chunks": ["Tagging"], "Reports": reports, "Pictures": ["VideoBitstream"],
    "Transcripts": transcripts,
  ]
  for (name, tested) in readers {
    let dependencies = (["FuzzDriver"] + tested).map { Target.Dependency.byName(name: $0) }
    package.targets.append(
      .executableTarget(
        name: "Fuzz\(name)",
        dependencies: dependencies + [.product(name: "SystemPackage", package: "swift-system")],
        path: "Tests/Fuzz/\(name)",
        swiftSettings: [.unsafeFlags(sanitizers)],
        linkerSettings: [.unsafeFlags(sanitizers + ["-use-ld=lld"])]))
  }
}
