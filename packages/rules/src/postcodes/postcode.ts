/** The areas of post codes: those of the United Kingdom, of Guernsey, Jersey and the Isle of Man, of the Forces (BF) and of Gibraltar (GX). */
const areas = new Set(
  `AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GX GY
  HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR
  RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE`.split(
    /\s+/,
  ),
)
/** Overseas territories have one post code each. */
const overseas = /^(ASCN|BBND|BIQQ|FIQQ|PCRN|SIQQ|STHL|TDCU|TKCA)(1ZZ)$/
/** The older addresses of the Forces: 'BFPO 61'. */
const forces = /^(BFPO)([0-9]{1,4})$/
const girobank = /^(GIR)(0AA)$/
/**
 * The outward code, as 'HX1' or 'EC1A', and the inward one, as '5TX' (Royal Mail's Programmers' Guide). Royal Mail gives out no inward code
 * with C, I, K, M, O or V; lists hold such codes all the same, and they harm nobody.
 */
const usual = /^(([A-Z]{1,2})(?:[0-9]{1,2}|[0-9][A-HJKMNPR-Y]))([0-9][A-Z]{2})$/

export interface Postcode {
  outward: string
  inward: string
  /** As it is written: 'HX1 5TX'. */
  text: string
}

/** A post code in whatever letters and spaces it was typed; undefined where it cannot be one. */
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

/** What is wrong with a post code; undefined where nothing is (estate specification, sections 5 and 8). */
export const postcodeFault = (typed: string): string | undefined =>
  postcodeOf(typed) ? undefined : 'Postcode must be valid'

/** A post code in its one normal form, 'HX1 5TX'; what cannot be one stays as it is. */
export const normalPostcode = (typed: string): string => postcodeOf(typed)?.text ?? typed

/** Whether a line ends with what has the shape of a post code and cannot be one. */
export function endsInImpossiblePostcode(line: string): boolean {
  const ending = /(?:^|[\s,])([A-Za-z]{1,2}\d{1,2}[A-Za-z]?\s*\d[A-Za-z]{2})\s*$/.exec(line)
  return ending !== null && postcodeOf(ending[1]!) === undefined
}

/** An address on one line, apart from the post code with which it ends; either is empty where there is none. */
export function splitAddress(line: string): { address: string; postcode: string } {
  for (const ending of [/(?:^|[\s,])([^\s,]+\s+[^\s,]+)\s*$/, /(?:^|[\s,])(\S+)\s*$/]) {
    const found = ending.exec(line)
    const postcode = found && postcodeOf(found[1]!)
    if (postcode) return { address: line.slice(0, found.index).replace(/[\s,]+$/, ''), postcode: postcode.text }
  }
  return { address: line.trim(), postcode: '' }
}
