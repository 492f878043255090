/** The outward code, as 'HX1', 'SW1A' or 'GIR', and the inward one, as '5TX' (Royal Mail's Programmers' Guide). */
const form = /^(GIR|[A-Z]{1,2}[0-9][0-9A-Z]?)([0-9][ABD-HJLNP-UW-Z]{2})$/

export interface Postcode {
  outward: string
  inward: string
  /** As it is written: 'HX1 5TX'. */
  text: string
}

/** A post code of Great Britain in whatever letters and spaces it was typed; undefined where it cannot be one. */
export function postcodeOf(typed: string): Postcode | undefined {
  const [, outward, inward] = form.exec(typed.toUpperCase().replaceAll(/\s+/g, '')) ?? []
  return outward && inward ? { outward, inward, text: `${outward} ${inward}` } : undefined
}

/** An address on one line, apart from the post code with which it ends; either is empty where there is none. */
export function splitAddress(line: string): { address: string; postcode: string } {
  for (const ending of [/(?:^|[\s,])(\S+\s+\S+)\s*$/, /(?:^|[\s,])(\S+)\s*$/]) {
    const found = ending.exec(line)
    const postcode = found && postcodeOf(found[1]!)
    if (postcode) return { address: line.slice(0, found.index).replace(/[\s,]+$/, ''), postcode: postcode.text }
  }
  return { address: line.trim(), postcode: '' }
}
