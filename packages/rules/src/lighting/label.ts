/**
 * Lowest plausible battery voltage in V: below it the light reports a dead battery, which proves nothing about its
 * label.
 */
const lowestPack = 2
/** The reported voltage as a share of the nominal one: at least this when charged, at most that while charging. */
const [least, most] = [2 / 3, 1.6]
/** Reporting time in ms before a doubt is raised: a flat battery has to charge first. */
const knownAfter = 86_400_000

/** The highest reported voltage since the battery was fitted, in V, and the first report, in ms. */
export interface HighestVoltage {
  highest: number
  since: number
}

/**
 * Advice if a battery label contradicts all reported voltages; undefined if it does not, or nothing is known. It
 * changes no status: with a wrong label a light is judged by the wrong limits, and only a person can decide which is
 * right.
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
