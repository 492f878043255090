/*
 * The form in which texts are searched. The database has the same rule as the function `search_form` (migration 0299), by which it stores
 * what it looks through; a test compares the two.
 */

/** Apostrophes, and characters that nobody sees: they are left out. */
const leftOut =
  "'`\u2018\u2019\u201B\u02BB\u02BC\u02B9\u2032\u00AD\u200B\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068\u2069\uFEFF"
/** Dashes of every length. */
const dashes = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'
/** Signs that part words. */
const blanks = ',;\t\n\r'
/** Letters that Unicode does not take apart into a letter and its accent. */
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

/** A text without regard to case, accents, apostrophes, kinds of dashes and blanks, and the way in which its letters are composed. */
export function searchForm(text: string): string {
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

/** The words of a search in the form in which texts are searched, each once: all of them must be found, in whatever order. */
export function searchWords(typed: string): string[] {
  return [...new Set(searchForm(typed).split(' ').filter(Boolean))]
}

/**
 * A post code without its blank, whole or as far as it has been typed: its outward part, and the first letters of the inward one. 'GIR' and
 * 'BFPO' stand for themselves, and four letters for the overseas territories.
 */
const joinedPostcode = /^([a-z]{1,2}\d[a-z\d]?|gir|bfpo|[a-z]{4})(\d[a-z\d]{0,3})$/

/** A word in each way in which a text may have it: a post code stands there with its blank, however it was typed. */
export function spellingsOf(word: string): string[] {
  const [, outward, inward] = joinedPostcode.exec(word) ?? []
  return outward && inward ? [word, `${outward} ${inward}`] : [word]
}

/** Whether each word of a search stands in one of the texts. */
export function isFound(typed: string, texts: readonly (string | null | undefined)[]): boolean {
  const whole = searchForm(texts.filter(Boolean).join('\n'))
  return searchWords(typed).every((word) => spellingsOf(word).some((spelling) => whole.includes(spelling)))
}
