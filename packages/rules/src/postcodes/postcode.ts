/** Post code areas of the United Kingdom, Guernsey, Jersey, the Isle of Man, the Forces (BF) and Gibraltar (GX). */
const areas = new Set(
  `AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GX GY
  HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR
  RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE`.split(
    /\s+/,
  ),
)
/** Overseas territories have one postcode each. */
const overseas = /^(ASCN|BBND|BIQQ|FIQQ|PCRN|SIQQ|STHL|TDCU|TKCA)(1ZZ)$/
/** The older Forces addresses: 'BFPO 61'. */
const forces = /^(BFPO)([0-9]{1,4})$/
const girobank = /^(GIR)(0AA)$/
/**
 * Outward code such as 'HX1' or 'EC1A', and inward code such as '5TX' (Royal Mail's Programmers' Guide). Royal Mail
 * issues no inward codes with C, I, K, M, O or V, but lists contain them and they do no harm.
 */
const usual = /^(([A-Z]{1,2})(?:[0-9]{1,2}|[0-9][A-HJKMNPR-Y]))([0-9][A-Z]{2})$/

export interface Postcode {
  outward: string
  inward: string
  /** Display form: 'HX1 5TX'. */
  text: string
}

/** Parses a postcode in any letter case and spacing; undefined if invalid. */
export function postcodeOf(typed: string): Postcode | undefined {
  const letters = typed.toUpperCase().replaceAll(/\s+/g, '')
  const found = usual.exec(letters)
  const [outward, inward] =
    found && areas.has(found[2]!)
      ? [found[1]!, found[3]!]
      : ([overseas, forces, girobank]
          .map((form) => form.exec(letters))
          .find(Boolean)
          ?.slice(1) ?? [])
  return outward && inward ? { outward, inward, text: `${outward} ${inward}` } : undefined
}

/** The validation error of a postcode; undefined if there is none (estate specification, sections 5 and 8). */
export const postcodeFault = (typed: string): string | undefined =>
  postcodeOf(typed) ? undefined : 'Postcode must be valid'

/** A postcode in normal form, 'HX1 5TX'; invalid ones stay as they are. */
export const normalPostcode = (typed: string): string => postcodeOf(typed)?.text ?? typed

/** Whether a line ends with text in the shape of a postcode that cannot be one. */
export function endsInImpossiblePostcode(line: string): boolean {
  const ending = /(?:^|[\s,])([A-Za-z]{1,2}\d{1,2}[A-Za-z]?\s*\d[A-Za-z]{2})\s*$/.exec(line)
  return ending !== null && postcodeOf(ending[1]!) === undefined
}

/** Splits a one-line address from the postcode at its end; either may be empty. */
export function splitAddress(line: string): { address: string; postcode: string } {
  for (const ending of [/(?:^|[\s,])([^\s,]+\s+[^\s,]+)\s*$/, /(?:^|[\s,])(\S+)\s*$/]) {
    const found = ending.exec(line)
    const postcode = found && postcodeOf(found[1]!)
    if (postcode) return { address: line.slice(0, found.index).replace(/[\s,]+$/, ''), postcode: postcode.text }
  }
  return { address: line.trim(), postcode: '' }
}
