/** One encoding that detection tries, and what ordinary text in it is made of. */
export interface Candidate {
  /** WHATWG name. */
  readonly name: string
  readonly frequent: ReadonlySet<string>
  /** Characters of the language that are less frequent. */
  readonly script: RegExp
  /** How its letters stand beside ASCII ones: `latin` mixes inside words, `foreign` never, `east` at their edges. */
  readonly kind: "latin" | "foreign" | "east"
  /** How much likelier than others it is on the web; added to the score. */
  readonly prior: number
  /** Top-level domains and languages where it is at home. */
  readonly places: ReadonlyArray<string>
  readonly languages: ReadonlyArray<string>
}

const set = (...texts: ReadonlyArray<string>): ReadonlySet<string> => new Set([...texts.join("").replaceAll(" ", "")])

/** Signs that any text may hold. */
export const PUNCTUATION = set(
  "–—‘’“”„«»…·•‚‹›、。「」『』（）《》〈〉【】，．：；！？～・ー→▲△■□●○◇◆☆★※㎡℃™®©§°€£½²³¡¿№\u00a0\u3000ⓒ"
)

const KOREAN = set(
  "이다의에는을를가고지사한로은도기서하인어자대시리해정부일수상장원전들라아보나만그조주공과제선안구여신국으비성무학위",
  "스트년월관경동중계방치등오소연면세업할있했것진각미생화당재금회용심민행현통적실개체모강마명영단유습니까요"
)
const SIMPLIFIED = set(
  "的一是不了人在有我他这个上们来到时大地为子中你说生国年着就那和要出也得里后自以会家可下而过天去能对小多然于心学么之都",
  "好看起发当没成只如事把还用第样道想作种开美总从无情面最但现前些所同日手又行意动方期它头经长回位分老因很给名法间知世两",
  "次使者被高已其进此与正见明问力理点文定本公特做外相西果将月十实向车全信重三机工物气每并别真新比部水等体加电主界利海",
  "报记市民者企业京华社据表示"
)
const TRADITIONAL = set(
  "的一是不了人我在有他這為之大來以個中上們到說國和地也子時道出而要於就下得可你年生自會那後能對著事其里所去行過家十用發",
  "天如然作方成者多日都三小軍二無同麼經法當起與好看學進種將還分此心前面又定見只主沒公從台灣北新聞報導記網民眾黨總統局市",
  "員工場問題機區部電話開關長實現點體業務處理應該變動"
)
const KANA = set(
  "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐげござじずぜぞだでどばびぶべぼっゃゅょ",
  "アイウエオカキクケコサシスセソタチツテトナニネノハヒフホマミムメモヤユヨラリルレロワンガグジズダデドバビブベボパピプポッャュョーィェ",
  "日本国人年月大一事者会社東京都時分新聞"
)
const RUSSIAN = set("оеаинтсрвлкмдпуяыьгзбчй")
const UKRAINIAN = set("іїєґў")
const GREEK = set("αοιετσνηυρπκμλςωδγχθφάέήίόύώβ")
const HEBREW = set("אבגדהוזחטיכלמנסעפצקרשתםןךףץ")
const ARABIC = set("اليمونرتبةعدسفهأحقك")
const THAI = set("านรอกเงมยลวดทสตะปบคหแจพชขใไโผถศธซ่้ิีัุูึื็์ำ")
const WESTERN = set("éèàçêùâîôûëïüöäßñóíáúãõåæøœÉÀÄÖÜÅØ")
const CENTRAL = set("ąćęłńóśźżáéíčďěňřšťůúýžőűöüăâîşţđäĺľŕŠŽČŚŁ")
const TURKISH = set("ığşçöüİŞÇÖÜâ")
const BALTIC = set("āčēģīķļņšūžąęėįųõäöüČŠŽ")
const VIETNAMESE = set("àáâãèéêìíòóôõùúýăđĩũơư\u0300\u0301\u0303\u0309\u0323")

const cyrillic = (name: string): Candidate => ({
  name,
  frequent: new Set([...RUSSIAN, ...(name === "koi8-r" ? [] : UKRAINIAN)]),
  script: /[\u0400-\u045f\u0490\u0491]/,
  kind: "foreign",
  prior: name === "windows-1251" ? 0.02 : -0.02,
  places:
    name === "koi8-u"
      ? ["ua"]
      : ["ru", "by", "kz", "bg", "su", "kg", ...(name === "windows-1251" ? ["ua", "rs", "mk"] : [])],
  languages: ["ru", "uk", "be", "bg", "sr", "mk", "kk"]
})

type Maker = (
  name: string,
  frequent: ReadonlySet<string>,
  script: RegExp,
  places: ReadonlyArray<string>,
  languages: ReadonlyArray<string>,
  prior?: number
) => Candidate

const latin: Maker = (name, frequent, script, places, languages, prior = 0) => ({
  name,
  frequent,
  script,
  kind: "latin",
  prior,
  places,
  languages
})
const foreign: Maker = (name, frequent, script, places, languages, prior = 0) => ({
  name,
  frequent,
  script,
  kind: "foreign",
  prior,
  places,
  languages
})
const east: Maker = (name, frequent, script, places, languages, prior = 0) => ({
  name,
  frequent,
  script,
  kind: "east",
  prior,
  places,
  languages
})

const IDEOGRAPH = /[\u4e00-\u9fff\u3400-\u4dbf]/
const CENTRAL_PLACES = ["pl", "cz", "sk", "hu", "ro", "hr", "si", "ba", "rs", "al"]
const CENTRAL_LANGUAGES = ["pl", "cs", "sk", "hu", "ro", "hr", "sl", "bs", "sq"]
/** Latin letters of the rest of Europe: possible in Western text, not usual. */
const LATIN = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]/

/** What detection tries; the order decides between equals. UTF-8 is settled before. */
export const candidates: ReadonlyArray<Candidate> = [
  east("euc-kr", KOREAN, /[\uac00-\ud7a3]/, ["kr"], ["ko"]),
  east("shift_jis", KANA, IDEOGRAPH, ["jp"], ["ja"]),
  east("euc-jp", KANA, IDEOGRAPH, ["jp"], ["ja"]),
  east("gb18030", SIMPLIFIED, IDEOGRAPH, ["cn", "sg"], ["zh"]),
  east("big5", TRADITIONAL, IDEOGRAPH, ["tw", "hk", "mo"], ["zh"]),
  cyrillic("windows-1251"),
  cyrillic("koi8-r"),
  cyrillic("koi8-u"),
  cyrillic("iso-8859-5"),
  cyrillic("ibm866"),
  latin(
    "windows-1252",
    WESTERN,
    LATIN,
    [],
    ["en", "fr", "de", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "is", "ca"],
    0.05
  ),
  latin("windows-1250", CENTRAL, LATIN, CENTRAL_PLACES, CENTRAL_LANGUAGES),
  latin("iso-8859-2", CENTRAL, LATIN, CENTRAL_PLACES, CENTRAL_LANGUAGES, -0.02),
  latin("windows-1254", TURKISH, LATIN, ["tr"], ["tr"]),
  latin("windows-1257", BALTIC, LATIN, ["lt", "lv", "ee"], ["lt", "lv", "et"]),
  foreign("windows-1253", GREEK, /[\u0370-\u03ff]/, ["gr", "cy"], ["el"]),
  foreign("iso-8859-7", GREEK, /[\u0370-\u03ff]/, ["gr", "cy"], ["el"]),
  foreign("windows-1255", HEBREW, /[\u05b0-\u05ff]/, ["il"], ["he", "iw"]),
  foreign("windows-1256", ARABIC, /[\u0600-\u06ff]/, ["sa", "eg", "ae", "ir", "pk", "ma", "dz"], ["ar", "fa", "ur"]),
  foreign("windows-874", THAI, /[ฉฌภฆณญฎฏฐฑฒฟซฮ๊๋ๆฯ]/u, ["th"], ["th"]),
  latin("windows-1258", VIETNAMESE, LATIN, ["vn"], ["vi"], -0.1)
]
