/** The lowest voltage of a pack that a label may name, in V: below it the light reports a dead battery, which says nothing of its label. */
const lowestPack = 2
/** A charged pack reports at least this share of its nominal voltage, and while it charges at most that one. */
const [least, most] = [2 / 3, 1.6]
/** So long has the light to have reported: a flat pack needs its charge first. In ms. */
const knownAfter = 86_400_000

/** The highest battery voltage that a light has reported since its battery was put in, in V, and since when it reports any, in ms. */
export interface HighestVoltage {
  highest: number
  since: number
}

/**
 * What to check where a battery label contradicts all that the light has reported; undefined where it does not, or nothing is known. It
 * changes no status: a label that is wrong makes a light fail, or pass, by the wrong limits, and only a person can say which.
 */
export function labelDoubt(
  nominal: number | undefined,
  reported: HighestVoltage | null,
  now: number,
): string | undefined {
  if (!nominal || !reported || reported.highest < lowestPack || now - reported.since < knownAfter) return undefined
  const [label, highest] = [`The label says ${volts(nominal)}, but the light has`, volts(reported.highest)]
  if (reported.highest < nominal * least) return `${label} never reported more than ${highest}. Check the label.`
  if (reported.highest > nominal * most) return `${label} reported ${highest}. Check the label.`
  return undefined
}

const volts = (value: number) => `${value.toLocaleString('en-GB', { maximumFractionDigits: 1 })} V`
