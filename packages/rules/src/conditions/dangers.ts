/** Dangers to a property and its occupants that events can report, by the event's category. */
const dangers = {
  frostRisk: /\bfrost|freez/i,
  waterLeak: /\bleak|\bflood/i,
  carbonMonoxide: /carbon monoxide|\bCO\b/i,
} as const
export type Danger = keyof typeof dangers

const all = Object.keys(dangers) as Danger[]

/** The danger reported by an event of this category, if any. */
export const dangerOf = (category: string): Danger | undefined => all.find((danger) => dangers[danger].test(category))
