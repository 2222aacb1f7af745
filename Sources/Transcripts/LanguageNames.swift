extension LanguageTag {
  /// The tag of a language by its English name, as OpenAI's service writes it; nil: not known.
  static func named(_ name: String) -> String? { tags[name.lowercased()] }

  /// The languages of Whisper's tokenizer, with the tags of BCP 47.
  private static let tags: [String: String] = {
    let names = """
      en english,zh chinese,zh mandarin,de german,es spanish,es castilian,ru russian,ko korean,
      fr french,ja japanese,pt portuguese,tr turkish,pl polish,ca catalan,ca valencian,nl dutch,
      nl flemish,ar arabic,sv swedish,it italian,id indonesian,hi hindi,fi finnish,vi vietnamese,
      he hebrew,uk ukrainian,el greek,ms malay,cs czech,ro romanian,ro moldavian,ro moldovan,
      da danish,hu hungarian,ta tamil,no norwegian,th thai,ur urdu,hr croatian,bg bulgarian,
      lt lithuanian,la latin,mi maori,ml malayalam,cy welsh,sk slovak,te telugu,fa persian,
      lv latvian,bn bengali,sr serbian,az azerbaijani,sl slovenian,kn kannada,et estonian,
      mk macedonian,br breton,eu basque,is icelandic,hy armenian,ne nepali,mn mongolian,bs bosnian,
      kk kazakh,sq albanian,sw swahili,gl galician,mr marathi,pa punjabi,pa panjabi,si sinhala,
      si sinhalese,km khmer,sn shona,yo yoruba,so somali,af afrikaans,oc occitan,ka georgian,
      be belarusian,tg tajik,sd sindhi,gu gujarati,am amharic,yi yiddish,lo lao,uz uzbek,fo faroese,
      ht haitian creole,ht haitian,ps pashto,ps pushto,tk turkmen,nn nynorsk,mt maltese,sa sanskrit,
      lb luxembourgish,lb letzeburgesch,my myanmar,my burmese,bo tibetan,tl tagalog,mg malagasy,
      as assamese,tt tatar,haw hawaiian,ln lingala,ha hausa,ba bashkir,jv javanese,su sundanese,
      yue cantonese
      """
    return names.replacing("\n", with: "").split(separator: ",").reduce(into: [:]) {
      let parts = $1.split(separator: " ", maxSplits: 1)
      $0[String(parts[1])] = String(parts[0])
    }
  }()
}
