/** Choices of an alert definition (devices specification, section 3). */
export const delayUnits = ['mins', 'hours', 'days'] as const
export type DelayUnit = (typeof delayUnits)[number]
export const notificationTypes = ['NONE', 'EMAIL', 'EMAILUNEDITABLE'] as const
export type NotificationType = (typeof notificationTypes)[number]
export const triggerTypes = ['NONE', 'DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT'] as const
export type TriggerType = (typeof triggerTypes)[number]

/** The delay of a rule as displayed: '5 mins'. */
export function delayWords(delay: number, unit: string): string {
  return `${delay} ${unit}`
}

/** The same inside a sentence: 'for 1 day'. */
export function delayInSentence(delay: number, unit: DelayUnit): string {
  return delay === 1 ? `1 ${unit.slice(0, -1)}` : delayWords(delay, unit)
}
