/// Languages as ID3 names them: by three letters (ISO 639-2).
package enum ID3Languages {
  /// What stands for a language that is not known (native frames §4.8, §4.10).
  package static let unknown = "XXX"

  /// The code of a language that is written with three letters, or with two as in `en` and `en-GB`
  /// (BCP 47); nil where it is none.
  package static func code(_ text: String) -> String? {
    let parts = text.lowercased().split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "-" || $0 == "_" })
    guard let first = parts.first, first.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else { return nil }
    switch first.utf8.count {
    case 2: return codes[String(first)]
    // What has three letters is taken on trust.
    case 3 where parts.count == 1: return String(first)
    default: return nil
    }
  }

  /// The shortest name of a language (BCP 47, 2.2.1) that is written with two letters or three, those of
  /// the bibliographic codes of ISO 639-2 among them; nil where it is none, or not determined.
  package static func tag(_ code: String) -> String? {
    let code = code.lowercased()
    if code.utf8.count != 3 { return self.code(code) == nil ? nil : code }
    guard code != "und", code.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else { return nil }
    return bibliographic[code] ?? codes.first { $0.value == code }?.key ?? code
  }

  /// Whether a text begins with one of the languages that have a code of two letters, by any of their codes,
  /// in small letters: `de`, `ger`, `de-at`.
  static func isKnown(_ text: String) -> Bool {
    let first = String(text.prefix { $0 != "-" })
    return codes[first] != nil || bibliographic[first] != nil || codes.values.contains(first)
  }

  private static let bibliographic = [
    "alb": "sq", "arm": "hy", "baq": "eu", "bur": "my", "chi": "zh", "cze": "cs", "dut": "nl",
    "fre": "fr", "geo": "ka", "ger": "de", "gre": "el", "ice": "is", "mac": "mk", "mao": "mi",
    "may": "ms", "per": "fa", "rum": "ro", "slo": "sk", "tib": "bo", "wel": "cy",
  ]

  /// ISO 639-1 to 639-2/T: two letters, then three.
  private static let codes: [String: String] = {
    var codes: [String: String] = [:]
    for entry in table.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      codes[String(entry.prefix(2))] = String(entry.dropFirst(2))
    }
    return codes
  }()

  private static let table = """
    aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul
    bhbih bibis bmbam bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv
    cycym dadan dedeu dvdiv dzdzo eeewe elell eneng eoepo esspa etest eueus fafas ffful fifin
    fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv hahau heheb hihin hohmo hrhrv
    hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl itita iuiku jajpn
    jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor
    kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal
    mnmon mrmar msmsa mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav
    nynya ococi ojoji omorm orori ososs papan pipli plpol pspus ptpor quque rmroh rnrun roron
    rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk slslv smsmo snsna sosom sqsqi srsrp
    ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur
    tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid
    yoyor zazha zhzho zuzul
    """
}
