/*
 * The normalised form for text search. The database has the same rule as the function `search_form` (migration 0299),
 * used for stored search columns; a test compares the two.
 */

/** Apostrophes and invisible characters, which are removed. */
const leftOut =
  "'`\u2018\u2019\u201B\u02BB\u02BC\u02B9\u2032\u00AD\u200B\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068\u2069\uFEFF"
/** Dashes of every length. */
const dashes = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'
/** Word separators. */
const blanks = ',;\t\n\r'
/** Letters that Unicode does not decompose into letter and accent. */
const strokes: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ı: 'i', ς: 'σ' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
}

const replaced = new Map<string, string>([
  ...[...leftOut].map((sign) => [sign, ''] as const),
  ...[...dashes].map((sign) => [sign, '-'] as const),
  ...[...blanks].map((sign) => [sign, ' '] as const),
  ...Object.entries(strokes),
])

/** Most texts; nothing to decompose. */
const isAscii = /^[^\u0080-\uFFFF]*$/

/**
 * A text normalised for search: without case, accents, apostrophes, kinds of dashes and blanks, or differences of
 * composition.
 */
export function searchForm(text: string): string {
  if (isAscii.test(text))
    return text
      .toLowerCase()
      .replaceAll(/['`]/g, '')
      .replaceAll(/[,;\t\n\r]/g, ' ')
      .replaceAll('  ', ' ')
  const plain = text
    .replaceAll('\u00B4', '')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
  return Array.from(plain, (letter) => replaced.get(letter) ?? letter)
    .join('')
    .replaceAll('  ', ' ')
    .normalize('NFKC')
}

/** The distinct normalised words of a search: all must match, in any order. */
export function searchWords(typed: string): string[] {
  return [...new Set(searchForm(typed).split(' ').filter(Boolean))]
}

/**
 * A postcode without its blank, complete or partial: outward code and first characters of the inward code. Includes
 * 'GIR', 'BFPO', and four letters for the overseas territories.
 */
const joinedPostcode = /^([a-z]{1,2}\d[a-z\d]?|gir|bfpo|[a-z]{4})(\d[a-z\d]{0,3})$/

/** The spellings of a word in normalised texts: a postcode contains its blank there, however it was typed. */
export function spellingsOf(word: string): string[] {
  const [, outward, inward] = joinedPostcode.exec(word) ?? []
  return outward && inward ? [word, `${outward} ${inward}`] : [word]
}

/**
 * The number of a word with one or two digits, without leading zeros; undefined for other words. A user who types
 * 'level 0' or 'flat 2' means the level and the flat: such a word matches a whole number, as in 'Level 0', 'Flat 02'
 * and '2a', and not part of a longer one such as a serial number. Words of three or more digits match anywhere, like
 * other words.
 */
export function shortNumberOf(word: string): string | undefined {
  return /^\d{1,2}$/.test(word) ? String(Number(word)) : undefined
}

/**
 * A pattern for JavaScript and Postgres that matches a whole number with or without leading zeros. Consuming the
 * surrounding characters instead of lookarounds takes Postgres two thirds longer.
 */
export const wholeNumberPattern = (number: string): string => `(?<![0-9])0*${number}(?![0-9])`

/** Whether each word of a search occurs in one of the texts. */
export function isFound(typed: string, texts: readonly (string | null | undefined)[]): boolean {
  const whole = searchForm(texts.filter(Boolean).join('\n'))
  return searchWords(typed).every((word) => isIn(whole, word, shortNumberOf(word)))
}

/**
 * The words of a 'contains' filter on one field. Short digits alone may match inside a longer number, since that may be
 * all the user knows; beside other words they match whole numbers, as in a search.
 */
export function partsOf(typed: string): { word: string; number: string | undefined }[] {
  const words = searchWords(typed)
  return words.map((word) => ({ word, number: words.length > 1 ? shortNumberOf(word) : undefined }))
}

/** Whether a text contains each word of a 'contains' filter. */
export function containsAll(text: string, typed: string): boolean {
  // Punctuation alone forms no words and is matched literally.
  if (searchWords(typed).length === 0) return text.toLowerCase().includes(typed.toLowerCase())
  const form = searchForm(text)
  return partsOf(typed).every(({ word, number }) => isIn(form, word, number))
}

const isIn = (form: string, word: string, number: string | undefined) =>
  number === undefined
    ? spellingsOf(word).some((spelling) => form.includes(spelling))
    : new RegExp(wholeNumberPattern(number)).test(form)

/** The non-overlapping matches of a search in a text, in order, as [start, end) pairs. */
function placesFound(typed: string, text: string): [from: number, to: number][] {
  let whole = ''
  const from: number[] = []
  const to: number[] = []
  let at = 0
  for (const letter of text) {
    const end = at + letter.length
    let form = searchForm(letter)
    if (form.startsWith(' ') && whole.endsWith(' ')) form = form.slice(1)
    // A separate accent or a removed character belongs to the letter before it.
    if (form === '' && to.length > 0) to[to.length - 1] = end
    for (let unit = 0; unit < form.length; unit++) {
      from.push(at)
      to.push(end)
    }
    whole += form
    at = end
  }
  const marked = new Set<number>()
  for (const [first, length] of searchWords(typed).flatMap((word) => hitsOf(word, whole)))
    for (let place = first; place < first + length; place++) marked.add(place)
  const places: [number, number][] = []
  for (const place of [...marked].sort((a, b) => a - b)) {
    const last = places.at(-1)
    if (last && from[place]! <= last[1]) last[1] = Math.max(last[1], to[place]!)
    else places.push([from[place]!, to[place]!])
  }
  return places
}

/** A text split into consecutive parts, each marked as matching the search or not. */
export function partsFound(typed: string, text: string): { part: string; isFound: boolean }[] {
  const parts: { part: string; isFound: boolean }[] = []
  let at = 0
  for (const [from, to] of placesFound(typed, text)) {
    parts.push({ part: text.slice(at, from), isFound: false }, { part: text.slice(from, to), isFound: true })
    at = to
  }
  parts.push({ part: text.slice(at), isFound: false })
  return parts.filter(({ part }) => part !== '')
}

/** The matches of a word in a normalised text, as start and length. */
function hitsOf(word: string, form: string): [first: number, length: number][] {
  const number = shortNumberOf(word)
  if (number !== undefined)
    return [...form.matchAll(/[0-9]+/g)]
      .filter(([digits]) => digits.replace(/^0+(?=.)/, '') === number)
      .map(({ index, 0: digits }) => [index, digits.length])
  const hits: [number, number][] = []
  for (const spelling of spellingsOf(word))
    for (let at = form.indexOf(spelling); at >= 0; at = form.indexOf(spelling, at + spelling.length))
      hits.push([at, spelling.length])
  return hits
}
