internal import CFFmpeg

extension Demuxer {
  /// Containers that hold sound in themselves.
  ///
  /// Left out of libavformat's are those that open other files (playlists such as `hls`, `dash`,
  /// `concat`, `imf`, and `mlv`, which looks for its next part by name), devices, network streams,
  /// headerless PCM (it has no rate and channels), music that is notes and not sound (`libopenmpt`,
  /// `libgme`, `sbg`), and `codec2`, whose decoder draws random phases: no two runs of it give the
  /// same samples.
  static let allowed = containers.joined(separator: ",")

  /// One by one, as `ffmpeg -demuxers` names them.
  private static let containers = everyday + studio + telephony + games

  /// What people have.
  private static let everyday = [
    "aac", "ac3", "aiff", "amr", "ape", "asf", "asf_o", "au", "avi", "caf", "dsf", "dts", "dtshd",
    "eac3", "flac", "flv", "iff", "live_flv", "loas", "matroska,webm", "mlp",
    "mov,mp4,m4a,3gp,3g2,mj2", "mp3", "mpc", "mpc8", "mpeg", "mpegts", "mpegtsraw", "nut", "ogg",
    "oma", "rm", "shn", "tak", "truehd", "tta", "voc", "w64", "wav", "wsd", "wtv", "wv",
    "xwma",
  ]

  /// What studios, cameras and laboratories have.
  private static let studio = [
    "avr", "daud", "dhav", "dv", "epaf", "gxf", "ircam", "lxf", "mxf", "nistsphere", "nsv",
    "nuv", "paf", "pva", "pvf", "s337m", "sds", "sox", "spdif", "ty", "wve",
  ]

  /// Speech and radio, some of it known by its extension alone.
  private static let telephony = [
    "aa", "act", "amrnb", "amrwb", "aptx", "aptx_hd", "dfpwm", "dss", "g722", "g723_1",
    "g729", "gsm", "ilbc", "msnwctcp", "qcp", "sbc", "vqf",
  ]

  /// What games, phones and old machines have.
  private static let games = [
    "3dostr", "4xm", "aax", "ace", "acm", "adp", "ads", "adx", "aea", "afc", "aix", "apc", "apm",
    "argo_asf", "argo_brp", "argo_cvg", "ast", "bethsoftvid", "bfstm", "bink", "binka", "bmv",
    "boa", "brstm", "c93", "cdxl", "dcstr", "derf", "dsicin", "dxa", "ea", "ea_cdata", "film_cpk",
    "fsb", "fwse", "gdv", "genh", "hca", "hcom", "idcin", "ipmovie", "iss", "iv8", "kux", "kvag",
    "lmlm4", "lvf", "mca", "mm", "mmf", "mods", "moflex", "msf", "msp", "mtaf", "mtv", "musx", "mv",
    "mvi", "mxg", "nsp", "pmp", "pp_bnk", "psxstr", "rl2", "roq", "rpl", "rsd", "rso", "scd",
    "sdr2",
    "sdx", "siff", "smjpeg", "smk", "smush", "sol", "svag", "svs", "swf", "thp", "tiertexseq",
    "tmv", "vag", "vividas", "vivo", "vmd", "vpk", "wc3movie", "wsaud", "wsvqa", "xa", "xmv",
    "xvag", "yop",
  ]

  /// The extensions of files that the allowed demuxers of this libavformat read, in lower case, each
  /// once and in order. libavformat recognises files by their bytes, and names no extension of some
  /// containers; those have the extensions of its muxers of these names.
  package static let fileExtensions: [String] = {
    let allowed = Set(containers.flatMap { $0.split(separator: ",") }.map(String.init))
    var found: Set<String> = []
    func add(_ name: UnsafePointer<CChar>?, _ extensions: UnsafePointer<CChar>?) {
      guard let name, let extensions,
        String(cString: name).split(separator: ",").contains(where: { allowed.contains(String($0)) }
        )
      else { return }
      found.formUnion(
        String(cString: extensions).lowercased().split(separator: ",").map(String.init))
    }
    var state: UnsafeMutableRawPointer?
    while let demuxer = av_demuxer_iterate(&state) {
      add(demuxer.pointee.name, demuxer.pointee.extensions)
    }
    state = nil
    while let muxer = av_muxer_iterate(&state) {
      add(muxer.pointee.name, muxer.pointee.extensions)
    }
    return found.sorted()
  }()

  /// Every decoder of sound that is linked: the only ones that probing may run, so that a giant
  /// cover is never decoded.
  static let audioDecoders: String = {
    var names: [String] = []
    var state: UnsafeMutableRawPointer?
    while let codec = av_codec_iterate(&state) {
      guard codec.pointee.type == AVMEDIA_TYPE_AUDIO, av_codec_is_decoder(codec) != 0 else {
        continue
      }
      names.append(String(cString: codec.pointee.name))
    }
    return names.joined(separator: ",")
  }()
}
