/** Dangers to a home and the people in it that an event can report, by the category that its device gives. */
const dangers = {
  frostRisk: /\bfrost|freez/i,
  waterLeak: /\bleak|\bflood/i,
  carbonMonoxide: /carbon monoxide|\bCO\b/i,
} as const
export type Danger = keyof typeof dangers

const all = Object.keys(dangers) as Danger[]

/** The danger that an event of this category reports, if any. */
export const dangerOf = (category: string): Danger | undefined => all.find((danger) => dangers[danger].test(category))
