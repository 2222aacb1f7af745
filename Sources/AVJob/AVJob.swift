// All that a program needs: `import AVJob`. What the modules below keep for the command alone has
// `package` access.

@_exported import Diagnosis
@_exported import ExportEngine
@_exported import MPEGAudio
@_exported import MediaComposition
@_exported import MediaTime
@_exported import NowPlaying
@_exported import Playback
@_exported import struct SystemPackage.FilePath
@_exported import Transcripts
