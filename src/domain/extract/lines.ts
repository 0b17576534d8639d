import { type Block, linkDensity } from "./blocks.ts"

/** A longer block is prose: what it says is not a label. Characters. */
const labelMax = 220

/** Labels that introduce links to other articles, in the languages of the sources. */
const pointer =
  /^[^\p{L}\p{N}]*(?:(?:also |please )?(?:read|see|watch|listen|hear|learn|find out|discover|check out)(?: (?:also|more|next|now|this|it))?\b\s*(?:[:：–|»>-]|about\b|on\b|here\b|$)|(?:related|recommended|suggested|trending|popular|sponsored|featured|must[- ]read|required reading|further reading|don.?t miss|up next|read next|more (?:from|on|about|in|news|stories|like this|to read|coverage)|you (?:may|might) (?:also )?(?:like|enjoy)|see also|latest (?:news|stories)|most (?:read|popular|viewed)|in case you missed|editor.?s (?:picks?|choice)|click here|tap here|story continues|article continues|continue reading|advertisement|scroll to continue)\b.{0,60}$|(?:lesen sie|lies|hören sie|sehen sie) (?:auch|hier|dazu|mehr|weiter|jetzt)|(?:mehr|weitere|passend|verwandte)\s(?:zum thema|dazu|news|artikel|themen|aus|infos|informationen|nachrichten|lesen|meldungen).{0,60}$|auch interessant|das könnte (?:sie|dich)|weiterlesen|zum thema\b.{0,40}$|(?:à )?lire (?:aussi|également|la suite|plus)|voir aussi|à voir|sur le même (?:sujet|thème)|(?:lee|leer|ver|mira|vea) (?:también|más|además)|te puede interesar|más información|noticias? relacionadas?|(?:leggi|guarda) (?:anche|tutto)|articoli correlati|potrebbe interessarti|(?:leia|veja) (?:também|mais)|saiba mais|lees ook|les også|läs (?:också|även|mer)|lue myös|læs også|czytaj (?:też|także|więcej)|zobacz (?:też|także)|przeczytaj|читайте (?:также|ще)|читай(?:те)?|читати також|ilgili haber|baca juga|διαβάστε|olvasta már|čtěte|관련\s?기사|관련\s?뉴스|더\s?보기|추천\s?기사|많이\s?본|이\s?기사도|함께\s?보면|관련\s?(?:링크|콘텐츠)|関連記事|あわせて読みたい|相关(?:阅读|新闻)|延伸阅读|阅读更多)/iu

/** Notices that stand in for rights, letters, apps and accounts. */
const notice =
  /^[^\p{L}\p{N}]*(?:(?:copyright|©|ⓒ|\(c\)|℗)|all rights reserved|photo(?:s|graph)?(?: (?:by|credit))?\s*:|image(?: (?:by|credit|source))?\s*:|(?:picture|credit|source|getty|file photo|illustration)s?\s*:|foto\s*:|bild(?:quelle)?\s*:|fotos?\s*:|crédits?(?: photo)?\s*:|사진\s*[=:]|자료\s*[=:]|출처\s*[=:]|(?:sign|sign-) ?up\b.{0,80}(?:newsletter|here|free|today|inbox|email)|subscribe (?:to|now|here|for)\b|(?:get|receive) (?:the|our|all|more)?.{0,60}(?:newsletter|inbox|alerts)\b|follow (?:us|@?\w+(?: \w+){0,3}) (?:on|at|auf)\b|join (?:our|the|us) .{0,40}(?:newsletter|whatsapp|telegram|channel|community|conversation)|download (?:the|our) .{0,40}app\b|(?:share|teilen|compartir|partager|condividi|공유)(?: (?:this|on|auf|via|sur|en).{0,40})?$|(?:print|comments?|kommentare|drucken|reply|login|log in|sign in|anmelden|registrieren|subscribe|abonnieren|loading|advertisement|anzeige|werbung|publicidad|publicité|pubblicità|reklam|広告|광고|AD)[^\p{L}\p{N}]*$|(?:min(?:ute)?s?|\d+ ?-?min(?:ute)?n?)[ -](?:read|lesezeit)|lesezeit\b|(?:last )?(?:updated|published|posted|modified)\s*(?:on|at|:|\d)|(?:zuletzt )?(?:aktualisiert|veröffentlicht|stand)\s*(?:am|:)|(?:입력|수정|등록|승인|최종수정)\s*[:：]?\s*\d{4}|기사\s?(?:입력|수정|제보)|無断転載|무단\s?(?:전재|복제|배포)|저작권자?\s*[ⓒ©(:]|<?\s*저작권자|.{0,16}(?:シェアする|印刷する|공유하기|인쇄하기|스크랩하기|URL ?복사)(?:list)?\s*$|.{0,40}(?:会員登録が必要です|会員限定の有料記事)|(?:this )?(?:content|article|story) is (?:reserved |available |only )*for (?:\w+ )?subscribers)/iu

const rights =
  /무단\s?(?:전재|복제|배포)|재배포\s?금지|저작권자\s*[ⓒ©(]|無断転載|\b(?:all rights reserved|tous droits réservés|alle rechte vorbehalten|todos los derechos reservados|may not be (?:published|reproduced|republished), (?:broadcast|rewritten|republished)|may (?:earn|receive|get|collect) (?:an? |us )?(?:small |affiliate )*(?:commission|compensation)|independently (?:select|review|cho[so]|research|pick)|(?:consider|please) subscrib|(?:may|can) be reached (?:at|by)\b.*@|(?:reach|contact|email|follow) (?:him|her|them|the author) (?:at|on)\b|provision (?:erhalten|bekommen)|affiliate[- ]links?\b)/i

/** What stands for a film or post of another site until a reader agrees to load it. */
const embed =
  /^(?:(?:empfohlener )?(?:redaktioneller|externer) inhalt\W*$|\S+-inhalte? (?:erlauben|anzeigen|laden|zulassen))|\b(?:an dieser stelle (?:findest|finden|befindet|steht|ist) .{0,40}\bextern[a-z]* inhalt|(?:eingebettete|externe) inhalte (?:anzuzeigen|anzeigen|erlauben|laden|zulassen)|einverstanden, dass mir (?:externe )?inhalte|personenbezogene daten (?:können|werden)? ?(?:dabei )?an dritt|to (?:view|see|show) this (?:content|embed|post|video),? (?:you|please|we)|contains content provided by .{0,60} permission|video has failed to load|(?:ce|le) contenu (?:est|a été) bloqué|contenu (?:externe|tiers) .{0,60}cookies|(?:ver|visualizar|mostrar) este (?:contenido|conteúdo).{0,60}cookies|visualizzare questo contenuto.{0,60}(?:cookie|consenso))/i
const embedMax = 1000

/** A line that is a reporter's name and address and nothing else. */
const signature =
  /^[\s/·([]*(?:[가-힣]{2,4}\s*(?:선임|인턴|객원|전문|수습)?\s*(?:기자|특파원|논설위원)?\s*[=·]?\s*)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+[\s)\]]*$/u
const reporterOnly =
  /^[\s[(=/·]*(?:[가-힣]{2,10}\s*[=·]\s*)?[가-힣]{2,4}\s*(?:선임|인턴|객원|전문|수습)?기자[\s)\]=]*$/u
const counter = /^[\d\s.,:/|·+-]+(?:[kKmM]|h|min|views?|likes?|shares?|comments?)?[^\p{L}\p{N}]*$/u

/** How old a post or a card is, in a short line. */
export const age =
  /\bago\b|^(?:vor|hace|il y a) |\d+\s?(?:분|시간|일|주|개월|달|년) ?전|\d+(?:分|時間|日|か月|年)前|^[·\s]*\d+\s?(?:m|h|d|w|mo|y|yr)$/iu

/** Whether a line is a label or notice that no article contains. */
export const isNoise = (block: Block): boolean => {
  const { text } = block
  if (block.pre) return false
  if (block.chars < embedMax && embed.test(text)) return true
  if (block.chars > labelMax) return block.chars < 500 && rights.test(text)
  if (rights.test(text) || notice.test(text) || signature.test(text) || reporterOnly.test(text)) return true
  if (pointer.test(text)) return linkDensity(block) > 0.3 || block.chars < 60
  return !block.cell && !block.item && counter.test(text)
}

/** A label that says that what follows belongs to other articles: the list behind it goes with it. */
export const isPointer = (block: Block): boolean => block.chars < 60 && pointer.test(block.text)
