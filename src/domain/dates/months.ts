/**
 * Month names by language, January first; alternatives (cases, short forms) separated by `|`. Diacritics are dropped
 * on both sides, so they are written plainly where a language often loses them.
 */
const NAMES: Readonly<Record<string, string>> = {
  en: "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct november|nov december|dec",
  de: "januar|jänner|jän februar|feber märz|mär|mrz|maerz april mai juni juli august september oktober|okt november dezember|dez",
  fr: "janvier|janv février|févr|fév|fevr mars avril|avr mai juin juillet|juil août|aout|aoû septembre octobre novembre décembre|déc",
  es: "enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre|set octubre noviembre diciembre|dic",
  it: "gennaio|gen febbraio|febbr marzo aprile maggio|mag giugno|giu luglio|lug agosto settembre|sett ottobre|ott novembre dicembre",
  pt: "janeiro fevereiro|fev março|marco abril maio junho julho agosto setembro outubro|out novembro dezembro",
  ca: "gener febrer març abril|abr maig juny juliol|jul agost|ag setembre octubre novembre desembre|des",
  gl: "xaneiro|xan febreiro marzo abril maio|mai xuño|xuno|xuñ xullo|xul agosto setembro outubro novembro decembro|dec",
  nl: "januari februari maart|mrt april mei juni juli augustus september oktober november december",
  sv: "januari februari mars april maj juni juli augusti september oktober november december",
  da: "januar februar marts april maj juni juli august september oktober november december|dec",
  no: "januar februar mars april mai juni juli august september oktober november desember|des",
  is: "janúar febrúar mars apríl maí júní júlí ágúst|ágú september|sept október|okt nóvember desember",
  fi: "tammikuuta|tammikuu|tammi helmikuuta|helmikuu|helmi maaliskuuta|maaliskuu|maalis huhtikuuta|huhtikuu|huhti toukokuuta|toukokuu|touko kesäkuuta|kesäkuu|kesä heinäkuuta|heinäkuu|heinä elokuuta|elokuu|elo syyskuuta|syyskuu|syys lokakuuta|lokakuu|loka marraskuuta|marraskuu|marras joulukuuta|joulukuu|joulu",
  et: "jaanuar|jaan veebruar|veebr märts aprill mai juuni juuli august september oktoober november detsember|dets",
  pl: "stycznia|styczeń|sty lutego|luty|lut marca|marzec kwietnia|kwiecień|kwi maja czerwca|czerwiec|cze lipca|lipiec|lip sierpnia|sierpień|sie września|wrzesień|wrz października|październik|paź listopada|listopad|lis grudnia|grudzień|gru",
  cs: "ledna|leden|led února|únor|úno března|březen|bře dubna|duben|dub května|květen|kvě června|červen|čvn července|červenec|čvc srpna|srpen|srp září|zář října|říjen|říj listopadu prosince|prosinec|pro",
  sk: "januára|január februára|február marca|marec apríla|apríl mája|máj júna|jún júla|júl augusta septembra októbra|október novembra decembra",
  hr: "siječnja|siječanj|sij veljače|veljača|velj ožujka|ožujak|ožu travnja|travanj|tra svibnja|svibanj|svi lipnja|lipanj srpnja|srpanj kolovoza|kolovoz|kol rujna|rujan|ruj _ studenoga|studenog|studeni|stu prosinca|prosinac",
  sl: "januarja februarja marca aprila maja junija|junij julija|julij avgusta|avg septembra oktobra novembra decembra",
  sr: "januara|јануар|јануара februara|фебруар|фебруара marta|март|марта aprila|април|априла maja|мај|маја juna|јун|јуна jula|јул|јула avgusta|avgust|август|августа septembra|septembar|септембар|септембра oktobra|oktobar|октобар|октобра novembra|novembar|новембар|новембра decembra|decembar|децембар|децембра",
  hu: "január február|febr március|márc április|ápr május|máj június|jún július|júl augusztus|aug szeptember|szept október november december",
  ro: "ianuarie|ian februarie martie aprilie mai iunie|iun iulie|iul august septembrie octombrie noiembrie|noi decembrie",
  tr: "ocak|oca şubat|şub mart nisan|nis mayıs haziran|haz temmuz|tem ağustos|ağu eylül|eyl ekim|eki kasım|kas aralık|ara",
  az: "yanvar|yan fevral|fev mart aprel|apr may iyun|iyn iyul|iyl avqust|avq sentyabr|sen oktyabr|okt noyabr|noy dekabr|dek",
  lt: "sausio|sausis vasario|vasaris kovo|kovas balandžio|balandis gegužės|gegužė birželio|birželis liepos|liepa rugpjūčio|rugpjūtis rugsėjo|rugsėjis spalio|spalis lapkričio|lapkritis gruodžio|gruodis",
  lv: "janvāris|janvārī|janv februāris|februārī|febr marts|martā aprīlis|aprīlī maijs|maijā jūnijs|jūnijā jūlijs|jūlijā augusts|augustā septembris|septembrī oktobris|oktobrī novembris|novembrī decembris|decembrī",
  ru: "января|январь|янв февраля|февраль|фев|февр марта|март|мар апреля|апрель|апр мая|май июня|июнь|июн июля|июль|июл августа|август|авг сентября|сентябрь|сен|сент октября|октябрь|окт ноября|ноябрь|ноя|нояб декабря|декабрь|дек",
  uk: "січня|січень|січ лютого|лютий|лют березня|березень|бер квітня|квітень|кві|квіт травня|травень|тра|трав червня|червень|чер|черв липня|липень|лип серпня|серпень|сер|серп вересня|вересень|вер жовтня|жовтень|жов|жовт листопада|листопад|лис|лист грудня|грудень|гру|груд",
  be: "студзеня|студзень|сту лютага|лют сакавіка|сакавік|сак красавіка|красавік|кра мая чэрвеня|чэрвень|чэр ліпеня|ліпень|ліп жніўня|жнівень|жні верасня|верасень|вер кастрычніка|кастрычнік|кас лістапада|лістапад|ліс снежня|снежань|сне",
  bg: "януари|ян февруари март април май юни юли август септември октомври ноември декември",
  mk: "јануари|јан февруари|фев март|мар април|апр мај јуни|јун јули|јул август|авг септември|септ|сеп октомври|окт ноември|ноем|ное декември|дек",
  el: "ιανουαρίου|ιανουάριος|ιαν φεβρουαρίου|φεβρουάριος|φεβ μαρτίου|μάρτιος|μαρ απριλίου|απρίλιος|απρ μαΐου|μάιος|μαΐ|μαι ιουνίου|ιούνιος|ιουν ιουλίου|ιούλιος|ιουλ|ιούλ αυγούστου|αύγουστος|αυγ σεπτεμβρίου|σεπτέμβριος|σεπ|σεπτ οκτωβρίου|οκτώβριος|οκτ νοεμβρίου|νοέμβριος|νοε δεκεμβρίου|δεκέμβριος|δεκ",
  he: "ינואר|בינואר|ינו|בינו פברואר|בפברואר|פבר|בפבר מרץ|במרץ|מרס|במרס אפריל|באפריל|אפר|באפר מאי|במאי יוני|ביוני יולי|ביולי אוגוסט|באוגוסט|אוג|באוג ספטמבר|בספטמבר|ספט|בספט אוקטובר|באוקטובר|אוק|באוק נובמבר|בנובמבר|נוב|בנוב דצמבר|בדצמבר|דצמ|בדצמ",
  ar: "يناير|جانفي فبراير|فيفري مارس أبريل|ابريل|إبريل|أفريل مايو|ماي يونيو|يونيه|جوان يوليو|يوليه|جويلية أغسطس|اغسطس|أوت سبتمبر أكتوبر|اكتوبر نوفمبر ديسمبر",
  levant: "_ شباط آذار نيسان أيار حزيران تموز آب أيلول _ _ _",
  hi: "जनवरी|जन फरवरी|फ़रवरी|फ़र|फर मार्च अप्रैल मई जून जुलाई|जुल अगस्त|अग सितंबर|सितम्बर|सित अक्टूबर|अक्तूबर|अक्टू|अक्तू नवंबर|नवम्बर|नव दिसंबर|दिसम्बर|दिस",
  bn: "জানুয়ারি|জানুয়ারী|জানুয়ারি|জানু ফেব্রুয়ারি|ফেব্রুয়ারী|ফেব্রুয়ারি|ফেব মার্চ এপ্রিল|এপ্রি মে জুন জুলাই আগস্ট|আগ সেপ্টেম্বর|সেপ অক্টোবর নভেম্বর|নভে ডিসেম্বর|ডিসে",
  ta: "ஜனவரி|ஜன பிப்ரவரி|பிப் மார்ச்|மார் ஏப்ரல்|ஏப் மே ஜூன் ஜூலை ஆகஸ்ட்|ஆக செப்டம்பர்|செப் அக்டோபர்|அக் நவம்பர்|நவ டிசம்பர்|டிச",
  th: "มกราคม|ม.ค กุมภาพันธ์|ก.พ มีนาคม|มี.ค เมษายน|เม.ย พฤษภาคม|พ.ค มิถุนายน|มิ.ย กรกฎาคม|ก.ค สิงหาคม|ส.ค กันยายน|ก.ย ตุลาคม|ต.ค พฤศจิกายน|พ.ย ธันวาคม|ธ.ค",
  id: "januari februari|pebruari maret april mei juni juli agustus|agu|agt september oktober november|nopember|nop desember|des",
  ms: "januari februari|feb mac april mei jun julai ogos|ogo september oktober november disember|dis",
  tl: "enero pebrero|peb marso abril|abr mayo hunyo|hun hulyo|hul agosto|ago setyembre|set oktubre nobyembre|nob disyembre|dis",
  sw: "januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba",
  sq: "janar shkurt|shk mars prill|pri maj qershor|qer korrik|korr gusht|gush shtator|sht tetor|tet nëntor|nën dhjetor|dhj",
  ka: "იანვარი|იან თებერვალი|თებ მარტი|მარ აპრილი|აპრ მაისი|მაი ივნისი|ივნ ივლისი|ივლ აგვისტო|აგვ სექტემბერი|სექ ოქტომბერი|ოქტ ნოემბერი|ნოე დეკემბერი|დეკ",
  hy: "հունվարի|հնվ փետրվարի|փտվ մարտի|մրտ ապրիլի|ապր մայիսի|մյս հունիսի|հնս հուլիսի|հլս օգոստոսի|օգս սեպտեմբերի|սեպ հոկտեմբերի|հոկ նոյեմբերի|նոյ դեկտեմբերի|դեկ",
  ur: "جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر",
  eu: "urtarrilaren|urtarrila|urt otsailaren|otsaila|ots martxoaren|martxoa apirilaren|apirila|api maiatzaren|maiatza ekainaren|ekaina|eka uztailaren|uztaila|uzt abuztuaren|abuztua|abu irailaren|iraila|ira urriaren|urria|urr azaroaren|azaroa|aza abenduaren|abendua|abe",
  cy: "ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr"
}

/** Names that mean another month in one country: Croatian October is Polish November. */
const BY_COUNTRY: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  hr: {
    listopada: 10,
    listopad: 10,
    lis: 10,
    lip: 6,
    srp: 7,
    sij: 1,
    vel: 2,
    ozu: 3,
    tra: 4,
    svi: 5,
    kol: 8,
    ruj: 9,
    stu: 11,
    pro: 12
  },
  cz: { cervna: 6, cervence: 7 }
}

/** Lower case, without diacritics, dots and the Turkish dotless i: how names are compared. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ı", "i")
    .replaceAll("ł", "l")
    .normalize("NFC")

const table: ReadonlyMap<string, number> = new Map(
  Object.values(NAMES)
    .flatMap((language) =>
      language.split(" ").flatMap((month, at) => month.split("|").map((it) => [plain(it), at + 1] as const))
    )
    .reverse()
)

/** The month a word names (1..12) in any known language, or `null`; the country settles what two languages share. */
export const monthOf = (word: string, country: string | undefined): number | null => {
  const name = plain(word).replace(/[.॰׳]+$/, "")
  return BY_COUNTRY[country?.toLowerCase() ?? ""]?.[name] ?? table.get(name) ?? null
}
