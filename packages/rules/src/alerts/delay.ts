export const delayUnits = ['mins', 'hours', 'days'] as const
export type DelayUnit = (typeof delayUnits)[number]

/** An alert's delay as it is displayed: '5 mins'. */
export function delayWords(delay: number, unit: string): string {
  return `${delay} ${unit}`
}
