import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { CONFIDENCE_FLOOR, decode, encodingName, prescan } from "../../src/domain/charset.ts"
import { law } from "../support/law.ts"

const SITE = "https://news.example/a"
const ascii = (text: string) => new TextEncoder().encode(text)
const join = (...parts: ReadonlyArray<Uint8Array>) => new Uint8Array(Buffer.concat([...parts]))
const read = (bytes: Uint8Array, content_type: string | null = null, url = SITE) => decode(bytes, { content_type, url })

/** The runtime only decodes: inverting its decoder gives an encoder of what can be written in two bytes. */
const encoder = (name: string) => {
  const decoder = new TextDecoder(name)
  const table = new Map<string, ReadonlyArray<number>>()
  for (let high = 0xff; high >= 0x80; high--) {
    const single = decoder.decode(Uint8Array.of(high))
    for (let low = 0xfe; low >= 0x30; low--) {
      const char = decoder.decode(Uint8Array.of(high, low))
      if ([...char].length === 1 && char !== "\ufffd") table.set(char, [high, low])
    }
    if ([...single].length === 1 && single !== "\ufffd") table.set(single, [high])
  }
  return (text: string) =>
    Uint8Array.from([...text].flatMap((it) => (it < "\u0080" ? [it.charCodeAt(0)] : (table.get(it) ?? [0x3f]))))
}

const texts: Readonly<Record<string, string>> = {
  "euc-kr": "정부는 오늘 경제 활성화를 위한 새로운 대책을 발표했다. 똠방각하와 펲시콜라도 언급됐다고 관계자가 전했다.",
  shift_jis: "首相は今日、経済を支える新しい対策を発表した。関係者によると、詳しい内容は明らかにされていない。",
  "euc-jp": "首相は今日、経済を支える新しい対策を発表した。関係者によると、詳しい内容は明らかにされていない。",
  gb18030: "总理今天宣布了支持经济发展的新措施，记者从会议上获悉，这些政策将于下个月开始实施。",
  big5: "總統今天宣布了支持經濟發展的新措施，記者從會議上獲悉，這些政策將於下個月開始實施。",
  "windows-1251": "Правительство сегодня объявило о новых мерах поддержки экономики, сообщает пресс-служба.",
  "koi8-r": "Правительство сегодня объявило о новых мерах поддержки экономики, сообщает пресс-служба.",
  "windows-1253": "Ο πρωθυπουργός ανακοίνωσε σήμερα νέα μέτρα για την οικονομία και τις επιχειρήσεις.",
  "windows-1255": "ראש הממשלה הודיע היום על צעדים חדשים לתמיכה בכלכלה ובעסקים קטנים",
  "windows-1256": "أعلن رئيس الوزراء اليوم إجراءات جديدة لدعم الاقتصاد والشركات الصغيرة",
  "windows-874": "นายกรัฐมนตรีกล่าวว่ารัฐบาลจะเร่งแก้ไขปัญหาเศรษฐกิจและค่าครองชีพของประชาชนในปีนี้",
  "windows-1252": "Der Minister erklärte, die Maßnahmen würden überprüft. L’économie française s’améliore déjà.",
  "windows-1250": "Premier ogłosił dziś nowe działania na rzecz gospodarki, źródła potwierdzają część środków.",
  "windows-1254": "Başbakan bugün ekonomiye ilişkin yeni önlemler açıkladı, işçiler için değişiklik yapılıyor."
}

const page = (name: string, head = "") => {
  const text = texts[name] ?? ""
  return join(
    ascii(`<html><head>${head}</head><body class="main"><nav><a href="/">Home</a></nav><p>`),
    encoder(name)(text),
    ascii("</p></body></html>")
  )
}

describe("what is declared", () => {
  test("UTF-8 under a legacy label is UTF-8, and the contradiction is told", () => {
    const text = "促进航天技术更好惠及人民，为中拉深化航天合作指明方向"
    const bytes = ascii(`<html><head><meta charset="gb2312"></head><body>${text}</body></html>`)
    const found = read(bytes, "text/html; charset=EUC-KR")
    expect(found.charset).toMatchObject({ name: "utf-8", source: "detected" })
    expect(found.text).toContain(text)
    expect(found.contradicted).toBe(true)
    expect(read(page("gb18030", '<meta charset="gb2312">')).contradicted).toBe(false)
  })

  const uhc = Uint8Array.of(0x8c, 0x63, 0xb9, 0xe6, 0xb0, 0xa2, 0xc7, 0xcf)

  test("a syllable of the UHC extension under meta euc-kr decodes (field case B1)", () => {
    const bytes = join(ascii('<meta charset="euc-kr"><title>'), uhc, ascii("</title>"))
    const found = read(bytes)
    expect(found.text).toContain("<title>\ub620방각하")
    expect(found.charset).toEqual({ name: "euc-kr", source: "meta", confidence: 1 })
    expect(found.replaced).toBe(0)
  })

  test.each(["cp949", "MS949", "uhc", "x-windows-949", "ks_c_5601-1987", "ksc5601", "EUC_KR"])(
    "%p in the header means euc-kr (bad input B170)",
    (label) => {
      const found = read(join(ascii("<title>"), uhc), `text/html; charset=${label}`)
      expect(found.charset).toMatchObject({ name: "euc-kr", source: "header" })
      expect(found.text).toBe("<title>\ub620방각하")
    }
  )

  test.each(["ISO-88509-1", "utf-7", "iso-2022-kr", "bogus", ""])(
    "the unknown label %p is the same as none (field case B5, bad input B171)",
    (label) => {
      const found = read(ascii("<p>정부는 오늘</p>"), `text/html; charset=${label}`)
      expect(found).toMatchObject({ text: "<p>정부는 오늘</p>", charset: { name: "utf-8" }, replaced: 0 })
      expect(encodingName(label)).toBeNull()
    }
  )

  test("a byte order mark beats the header, the header beats meta (bad input B172)", () => {
    const text = '<meta charset="windows-1251"><p>정부'
    const marked = join(Uint8Array.of(0xef, 0xbb, 0xbf), ascii(text))
    expect(read(marked, "text/html; charset=euc-kr")).toMatchObject({ text, charset: { name: "utf-8", source: "bom" } })
    const cyrillic = page("windows-1251", '<meta charset="koi8-r">')
    expect(read(cyrillic, "text/html; charset=windows-1251").charset).toMatchObject({
      name: "windows-1251",
      source: "header"
    })
  })

  test("of two labels that disagree the one that reads the bytes wins", () => {
    const korean = page("euc-kr", '<meta charset="euc-kr">')
    expect(read(korean, "text/html; charset=utf-8").charset).toMatchObject({ name: "euc-kr", source: "meta" })
    const utf8 = ascii('<meta charset="euc-kr"><p>정부는 오늘 경제 대책을 발표했다')
    expect(read(utf8, "text/html; charset=utf-8").charset).toMatchObject({ name: "utf-8", source: "header" })
  })

  test("a server's default label yields to bytes that are UTF-8 beyond doubt", () => {
    const found = read(ascii("<p>Überprüfung der Maßnahmen"), "text/html; charset=iso-8859-1")
    expect(found).toMatchObject({ text: "<p>Überprüfung der Maßnahmen", charset: { name: "utf-8" } })
  })

  test("one broken byte and a cut end do not discredit a declaration, but are counted", () => {
    const whole = join(ascii('<meta charset="euc-kr"><p>'), encoder("euc-kr")((texts["euc-kr"] ?? "").repeat(20)))
    const found = read(join(whole, Uint8Array.of(0xc7)))
    expect(found.charset.name).toBe("euc-kr")
    expect(found.replaced).toBe(1)
    expect(found.charset.confidence).toBeGreaterThan(0.99)
  })

  test.each([
    ["utf-16le with a mark", Buffer.from("\ufeff<p>정부", "utf16le"), "utf-16le"],
    ["utf-16le without", Buffer.from("<html><body><p>정부는 오늘 발표했다</p></body></html>", "utf16le"), "utf-16le"],
    ["utf-16be without", Buffer.from("<html><body><p>정부</p></body></html>", "utf16le").swap16(), "utf-16be"]
  ])("%s", (_, bytes, name) => {
    const found = read(new Uint8Array(bytes))
    expect(found.charset.name).toBe(name)
    expect(found.text).toContain("<p>정부")
  })

  test("an XML declaration and a late meta are heard, a commented one is not", () => {
    const xml = join(ascii('<?xml version="1.0" encoding="euc-kr"?><rss><title>'), uhc)
    expect(read(xml).charset).toMatchObject({ name: "euc-kr", source: "xml" })
    const late = join(
      ascii(`<script>${"x".repeat(9000)}</script><meta content="text/html; charset=euc-kr" http-equiv=Content-Type>`),
      uhc
    )
    expect(read(late).charset).toMatchObject({ name: "euc-kr", source: "meta" })
    expect(prescan(ascii('<!-- <meta charset="euc-kr"> --><p>'))).toBeNull()
  })
})

describe("what is not declared", () => {
  test.each(Object.keys(texts))(
    "%p is told from its text alone, without a replacement character (field case B3)",
    (name) => {
      const found = read(page(name))
      expect(found.text).toContain(texts[name] ?? "")
      expect(found.charset).toMatchObject({ name, source: "detected" })
      expect(found.replaced).toBe(0)
      expect(found.charset.confidence).toBeGreaterThanOrEqual(CONFIDENCE_FLOOR)
    }
  )

  test("iso-2022-jp is told by its escapes", () => {
    const bytes = Uint8Array.of(0x3c, 0x70, 0x3e, 0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42)
    expect(read(bytes)).toMatchObject({ text: "<p>日本", charset: { name: "iso-2022-jp" } })
  })

  test("the site's country decides what is close", () => {
    const bytes = join(ascii("<p>A miniszterelnök közölte az "), Uint8Array.of(0xf5), ascii("szi ülés után"))
    expect(read(bytes, null, "https://a.hu/").text).toContain("őszi")
  })

  test("noise is read as UTF-8 with a confidence below the floor", () => {
    const noise = Uint8Array.from({ length: 400 }, (_, at) => 128 + ((at * at * 7919 + at * 104_729) % 127))
    expect(read(noise).charset.confidence).toBeLessThan(CONFIDENCE_FLOOR)
  })

  test("plain ASCII is UTF-8 for certain", () => {
    expect(read(ascii("<p>plain"))).toMatchObject({ charset: { name: "utf-8", source: "default", confidence: 1 } })
    expect(read(new Uint8Array())).toMatchObject({ text: "", replaced: 0 })
  })
})

law("no bytes make decoding fail", Schema.Array(Schema.Int), (numbers) => {
  const bytes = Uint8Array.from(numbers)
  const { charset, replaced } = read(bytes, "text/html; charset=euc-kr")
  return charset.confidence >= 0 && charset.confidence <= 1 && replaced >= 0
})

law("what is written in UTF-8 is read as it was written", Schema.String, (text) => {
  const bytes = ascii(`<meta charset="utf-8"><p>${text}`)
  return read(bytes).text === new TextDecoder().decode(bytes)
})

const folder = new URL("../../../shared/data/conformance/encoding/", import.meta.url).pathname
describe.skipIf(!existsSync(folder))("published vectors (skipped without the data)", () => {
  test("every CP949 pair decodes", () => {
    const lines = readFileSync(`${folder}cp949_pairs.txt`, "utf8")
      .split("\n")
      .filter((it) => it !== "")
    const wrong = lines.filter((it) => {
      const bytes = new Uint8Array(Buffer.from(it.slice(0, 4), "hex"))
      return read(bytes, "text/html; charset=cp949").text !== it.slice(5)
    })
    expect(lines.length).toBeGreaterThan(17_000)
    expect(wrong).toEqual([])
  })

  test("the standard's prescan answers as its own tests want", () => {
    const cases = ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"].flatMap((file) => [
      ...readFileSync(folder + file)
        .toString("latin1")
        .matchAll(/#data\n([\s\S]*?)\n#encoding\n([^\n]+)/g)
    ])
    const wrong = cases.filter(([, data = "", name = ""]) => {
      const found = prescan(new Uint8Array(Buffer.from(data, "latin1"))) ?? "windows-1252"
      return found !== name.trim().toLowerCase()
    })
    expect(cases.length).toBe(82)
    expect(wrong.map(([, , name]) => name)).toEqual([])
  })
})
