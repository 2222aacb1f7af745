import Tagging

/// `&amp;` and its like, which WebVTT has from HTML (WebVTT, 6.4, "HTML character reference in data
/// state"; HTML, 13.2.5.72 to 13.2.5.80): the names of HTML 4, and numbers.
enum CharacterReference {
  /// Takes what stands at the front of `bytes`, which begin with `&`.
  ///
  /// - Returns: How many bytes a reference has, and its character, nil for one that is not known; nil
  ///   where `&` is itself, as in `R&D`. O(length)
  static func read(_ bytes: ArraySlice<UInt8>) -> (text: String?, length: Int)? {
    let rest = bytes.dropFirst()
    if rest.first == UInt8(ascii: "#") { return numbered(rest.dropFirst()) }
    // The longest name of HTML has 31 letters.
    let name = rest.prefix(32).prefix { $0.isLetter || $0.isDigit }
    guard name.first?.isLetter == true else { return nil }
    func scalar(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
      named[String(decoding: name, as: UTF8.self)]
    }
    if bytes[name.endIndex...].first == UInt8(ascii: ";") {
      return (scalar(name).map { String(Character($0)) }, name.count + 2)
    }
    // The longest one that goes without a semicolon, whatever follows it.
    for count in (2...6).reversed() where count <= name.count {
      guard let scalar = scalar(name.prefix(count)), scalar.value < 0x100, scalar != "'" else {
        continue
      }
      return (String(Character(scalar)), count + 1)
    }
    return nil
  }

  /// A number, `65` or `x41`, which a semicolon may end: its character, U+FFFD for one that is none, and that
  /// of Windows-1252 for controls (HTML, 13.2.5.80); nil where there is no digit.
  private static func numbered(_ rest: ArraySlice<UInt8>) -> (text: String?, length: Int)? {
    let isHex = rest.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let digits = rest.dropFirst(isHex ? 1 : 0).prefix {
      $0.isDigit || isHex && UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20
    }
    guard !digits.isEmpty else { return nil }
    let isEnded = rest[digits.endIndex...].first == UInt8(ascii: ";")
    let length = 2 + (isHex ? 1 : 0) + digits.count + (isEnded ? 1 : 0)
    let text = String(decoding: digits, as: UTF8.self)
    // What is too large for the type is too large for Unicode.
    guard let number = UInt32(text, radix: isHex ? 16 : 10), number != 0 else {
      return ("\u{FFFD}", length)
    }
    if 0x80...0x9F ~= number { return (EightBitText.windows1252([UInt8(number)]), length) }
    return (String(Character(Unicode.Scalar(number) ?? "\u{FFFD}")), length)
  }

  /// `text` with references for what WebVTT does not allow in a text. O(n)
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { "&<>".utf8.contains($0) }) else { return text }
    var escaped: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): escaped += "&amp;".utf8
      case UInt8(ascii: "<"): escaped += "&lt;".utf8
      case UInt8(ascii: ">"): escaped += "&gt;".utf8
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  // MARK: Names

  private static let named: [String: Unicode.Scalar] = {
    var named: [String: Unicode.Scalar] = [:]
    for (name, byte) in zip(latin.split(separator: " "), UInt8(0xA0)...0xFF) {
      named[String(name)] = Unicode.Scalar(byte)
    }
    let words = others.split(separator: " ")
    for (name, code) in zip(words, words.dropFirst()) {
      guard let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init) else { continue }
      named[String(name)] = scalar
    }
    return named
  }()

  /// Those of Latin-1, from U+00A0 to U+00FF (HTML 4.01, 24.2.1).
  private static let latin = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn \
    sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave \
    Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc \
    Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute \
    THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml \
    igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave \
    uacute ucirc uuml yacute thorn yuml
    """

  /// Each with its code (HTML 4.01, 24.3.1 and 24.4.1, where `lang` and `rang` had others, and `apos` and
  /// those in capitals, HTML, 13.5).
  private static let others = """
    quot 22 amp 26 apos 27 lt 3c gt 3e OElig 152 oelig 153 Scaron 160 scaron 161 Yuml 178 \
    fnof 192 circ 2c6 tilde 2dc Alpha 391 Beta 392 Gamma 393 Delta 394 Epsilon 395 Zeta 396 \
    Eta 397 Theta 398 Iota 399 Kappa 39a Lambda 39b Mu 39c Nu 39d Xi 39e Omicron 39f Pi 3a0 \
    Rho 3a1 Sigma 3a3 Tau 3a4 Upsilon 3a5 Phi 3a6 Chi 3a7 Psi 3a8 Omega 3a9 alpha 3b1 beta 3b2 \
    gamma 3b3 delta 3b4 epsilon 3b5 zeta 3b6 eta 3b7 theta 3b8 iota 3b9 kappa 3ba lambda 3bb \
    mu 3bc nu 3bd xi 3be omicron 3bf pi 3c0 rho 3c1 sigmaf 3c2 sigma 3c3 tau 3c4 upsilon 3c5 \
    phi 3c6 chi 3c7 psi 3c8 omega 3c9 thetasym 3d1 upsih 3d2 piv 3d6 ensp 2002 emsp 2003 \
    thinsp 2009 zwnj 200c zwj 200d lrm 200e rlm 200f ndash 2013 mdash 2014 lsquo 2018 rsquo 2019 \
    sbquo 201a ldquo 201c rdquo 201d bdquo 201e dagger 2020 Dagger 2021 bull 2022 hellip 2026 \
    permil 2030 prime 2032 Prime 2033 lsaquo 2039 rsaquo 203a oline 203e frasl 2044 euro 20ac \
    image 2111 weierp 2118 real 211c trade 2122 alefsym 2135 larr 2190 uarr 2191 rarr 2192 \
    darr 2193 harr 2194 crarr 21b5 lArr 21d0 uArr 21d1 rArr 21d2 dArr 21d3 hArr 21d4 forall 2200 \
    part 2202 exist 2203 empty 2205 nabla 2207 isin 2208 notin 2209 ni 220b prod 220f sum 2211 \
    minus 2212 lowast 2217 radic 221a prop 221d infin 221e ang 2220 and 2227 or 2228 cap 2229 \
    cup 222a int 222b there4 2234 sim 223c cong 2245 asymp 2248 ne 2260 equiv 2261 le 2264 \
    ge 2265 sub 2282 sup 2283 nsub 2284 sube 2286 supe 2287 oplus 2295 otimes 2297 perp 22a5 \
    sdot 22c5 lceil 2308 rceil 2309 lfloor 230a rfloor 230b loz 25ca spades 2660 clubs 2663 \
    hearts 2665 diams 2666 lang 27e8 rang 27e9 AMP 26 LT 3c GT 3e QUOT 22 COPY a9 REG ae
    """
}
