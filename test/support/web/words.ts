/** Word lists of the two languages the web is written in. They are ours and mean nothing in particular. */
const split = (text: string) => text.trim().split(/\s*,\s*/)

export const english = {
  actors: split(`the finance ministry, the city council, a Seoul court, the central bank, the opposition, the regulator,
    a shipping group, the chip maker, the hospital board, the teachers' union, the weather service, the transport agency,
    a research team, the fire department, the film festival, the national side, the housing office, a food company,
    the prosecutors' office, the harbour authority, the power utility, the space agency`),
  things:
    split(`a revised budget, the new tariff plan, a coastal rail line, the rent subsidy, a battery plant, the data law,
    a vaccine trial, the flood barrier, the pension reform, a merger review, the export licence, a bus strike,
    the school calendar, a satellite launch, the interest rate, the wage agreement, a water shortage, the airport terminal,
    the safety inspection, a software fault, the harvest forecast, the stadium roof`),
  verbs: split(`approved, delayed, questioned, defended, published, withdrew, welcomed, rejected, expanded, reviewed,
    announced, suspended`),
  places: split(`in Busan, in the capital, on the east coast, at a briefing, in parliament, near the border, in Incheon,
    at the harbour, on Jeju island, in the southern provinces`),
  days: split(`on Monday, on Tuesday, late on Wednesday, on Thursday morning, on Friday, over the weekend, last month,
    earlier this year`),
  effects: split(`prices could settle by spring, the talks will take longer, households may notice little at first,
    a second review is likely, most of the cost falls on the state, the first results look sound,
    nobody expects a quick answer, smaller firms need more time`),
  people: split(`Nora Whitfield, Samuel Osei, Ingrid Halvorsen, Peter Lang, Mina Kwon, Rafael Duarte, Claire Donnelly,
    Viktor Hale, Aisha Rahman, Owen Park`),
  sections: split(`politics, economy, society, culture, sports, science, international, health`)
} as const

export const korean = {
  actors:
    split(`기획재정부, 서울시의회, 한국은행, 금융당국, 야당, 검찰, 해운업계, 반도체 업체, 대학병원, 교원단체, 기상청,
    국토교통부, 공동 연구팀, 소방본부, 영화제 조직위, 축구 대표팀, 주택공사, 식품 기업, 항만공사, 전력거래소, 우주청, 시민단체`),
  things:
    split(`내년도 예산안, 관세 대책, 동해안 철도, 월세 지원금, 배터리 공장, 개인정보 보호법, 백신 임상시험, 방파제 공사,
    연금 개편안, 합병 심사, 수출 허가, 버스 파업, 학사 일정, 위성 발사, 기준금리, 임금 협약, 물 부족 문제, 공항 터미널,
    안전 점검, 전산 장애, 쌀 수확량, 경기장 지붕`),
  verbs: split(`승인했다, 미뤘다, 검토했다, 공개했다, 철회했다, 환영했다, 확대했다, 재논의했다, 발표했다, 중단했다`),
  states: split(`늘어날 것, 안정될 것, 길어질 것, 쉽지 않을 것, 나아질 것, 줄어들 것`),
  places: split(`부산, 국회, 세종시, 강원도, 인천항, 제주도, 광주, 대전 청사, 울산, 전북 전주`),
  days: split(`월요일, 화요일, 수요일 오후, 목요일 오전, 금요일, 지난 주말, 지난달, 올해 초`),
  linking: split(`이에 따라, 다만, 앞서, 반면, 특히, 한편, 이와 함께`),
  people: split(`한지안, 오세린, 문태윤, 배도경, 송아람, 임규리, 노하준, 권이서, 신유담, 장온유`),
  sections: split(`정치, 경제, 사회, 문화, 스포츠, 과학, 국제, 건강`)
} as const
