/** Letters of other scripts, and the Latin letters that they resemble. */
const cyrillic = 'АВЕЗІЈКМНОРЅТУХаеіјорѕухсС'
const latinOfCyrillic = 'ABE3IJKMHOPSTYXaeijopsyxcC'
const greek = 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο'
const latinOfGreek = 'ABEZHIKMNOPTYXo'
const latin = new Map([...`${cyrillic}${greek}`].map((sign, at) => [sign, `${latinOfCyrillic}${latinOfGreek}`[at]!]))

/** Invisible characters: zero width, soft hyphens, direction marks, controls. */
const unseen = /(?!\s)[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g

/**
 * A short text in plain characters: invisible ones removed, full-width letters and digits normalised, and words of
 * another script replaced by Latin look-alikes if all their letters have one. Plain text is unchanged.
 */
export function plainSigns(text: string): string {
  const usual = text
    .normalize('NFC')
    .replaceAll(unseen, '')
    .replaceAll(dashes, '-')
    .replaceAll(/[\uFF01-\uFF5E]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll('\u3000', ' ')
  const likened = [...usual].map((sign) => latin.get(sign) ?? sign).join('')
  return /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(likened) ? usual : likened
}

/** The same without accents and apostrophes: references that readers would take for the same. */
export const bareSigns = (text: string): string =>
  plainSigns(text)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F'`\u00B4\u2018\u2019\u201B\u02BB\u02BC\u2032]/g, '')
    .normalize('NFKC')

/** Whether a text contains characters that imitate others. */
export const isDisguised = (text: string): boolean => plainSigns(text) !== text.normalize('NFC')
