/** Device status values (core specification, section 4.1). */
export const deviceStatuses = [
  'Ok',
  'Allocated',
  'Installed',
  'DisabledNonPayment',
  'DisabledOther',
  'PreventativeMaintenance',
  'RepairedDevice',
  'RepairedEquipment',
  'Inventory',
  'Unknown',
  'Factory',
  'AwaitingRecycling',
  'REMOVED',
  'DISPOSED',
  'FailedEquipment',
  'FailedDevice',
] as const
export type DeviceStatus = (typeof deviceStatuses)[number]

export const displayGroups = {
  Passed: ['Ok'],
  Warning: [
    'Allocated',
    'Installed',
    'DisabledNonPayment',
    'DisabledOther',
    'PreventativeMaintenance',
    'RepairedDevice',
    'RepairedEquipment',
  ],
  NotInstalled: ['Inventory', 'Unknown', 'Factory', 'REMOVED', 'Repair', 'Disposed', 'AwaitingRecycling'],
  Failed: ['FailedEquipment'],
  FailedDevice: ['FailedDevice'],
} as const
export type DisplayGroup = keyof typeof displayGroups
export const displayGroupNames = Object.keys(displayGroups) as DisplayGroup[]

/** Labels of the groups (visual language). */
export const displayGroupWords: Record<DisplayGroup, string> = {
  Passed: 'Passed',
  Warning: 'Warning',
  Failed: 'Failed',
  FailedDevice: 'Device failed',
  NotInstalled: 'Not installed',
}

const groupOfStatus = new Map(
  displayGroupNames.flatMap((group) => displayGroups[group].map((status) => [status.toLowerCase(), group] as const)),
)

/** The group of a status on chips, listings and the dashboard; ignores case (core gaps A5). */
export function displayGroup(status: string): DisplayGroup | undefined {
  return groupOfStatus.get(status.toLowerCase())
}

const groupSeverity: Record<DisplayGroup, number> = {
  Failed: 5,
  Warning: 4,
  FailedDevice: 3,
  Passed: 2,
  NotInstalled: 1,
}

/** Severity for chips and the order of listings, highest first; 0 for a status without a group. */
export function severityOf(status: string): number {
  const group = displayGroup(status)
  return group ? groupSeverity[group] : 0
}

export const statusCategories = {
  installed: ['Installed', 'Ok'],
  inventory: ['Inventory'],
  failed: ['FailedDevice', 'FailedEquipment'],
  warning: [
    'DisabledNonPayment',
    'DisabledOther',
    'PreventativeMaintenance',
    'RepairedDevice',
    'RepairedEquipment',
    'Allocated',
  ],
} as const satisfies Record<string, readonly DeviceStatus[]>
export type StatusCategory = keyof typeof statusCategories

/** The category for the Bcms filter; never used for chips or offered actions (decisions, 6). */
export function statusCategory(status: string): StatusCategory | undefined {
  return (Object.keys(statusCategories) as StatusCategory[]).find((category) =>
    (statusCategories[category] as readonly string[]).includes(status),
  )
}

/** Whether a device is in service: not in stock, in transit or removed. Conditions can be set only on such devices. */
export function isInService(status: string): boolean {
  return displayGroup(status) !== 'NotInstalled' && status !== 'Allocated'
}

/** Statuses of devices that were removed from their location. */
export const takenDownStatuses = ['AwaitingRecycling', 'REMOVED', 'DISPOSED'] as const satisfies DeviceStatus[]

/** Whether a status means that the device or its equipment has failed. */
export function hasFailed(status: string): boolean {
  const group = displayGroup(status)
  return group === 'Failed' || group === 'FailedDevice'
}

const installed: readonly string[] = [
  'Ok',
  'RepairedDevice',
  'RepairedEquipment',
  'Installed',
  'FailedDevice',
  'FailedEquipment',
  'PreventativeMaintenance',
] satisfies DeviceStatus[]

/** Whether a status counts as installed for offered actions (devices specification, section 4). */
export function countsAsInstalled(status: string): boolean {
  return installed.includes(status)
}

/** The exact status in words: 'RepairedDevice' is 'Repaired device'. */
export function statusWords(status: string): string {
  if (status === status.toUpperCase()) return status.charAt(0) + status.slice(1).toLowerCase()
  const spaced = status.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return spaced.charAt(0) + spaced.slice(1).toLowerCase()
}

/** The exact status in words, if it adds to the label of its group. */
export function furtherWord(status: string): string | undefined {
  const group = displayGroup(status)
  const words = statusWords(status)
  if (!group || group === 'Passed' || group === 'Failed' || group === 'FailedDevice') return undefined
  return words === displayGroupWords[group] ? undefined : words
}

/** A status as one text: the label of its group, and the exact status if that adds to it. */
export function statusText(status: string): string {
  const group = displayGroup(status)
  const further = furtherWord(status)
  return (group ? displayGroupWords[group] : statusWords(status)) + (further ? `: ${further}` : '')
}

/** The six counts of a device family on the dashboard. */
export interface DeviceSummary {
  total: number
  pass: number
  warn: number
  fail: number
  inventory: number
  installed: number
}

/** Status counts as shown on the dashboard (decisions, 6): installed = pass + warn + fail, total = all. */
export function summarise(counts: Iterable<readonly [status: string, count: number]>): DeviceSummary {
  const summary = { total: 0, pass: 0, warn: 0, fail: 0, inventory: 0, installed: 0 }
  for (const [status, count] of counts) {
    const group = displayGroup(status)
    summary.total += count
    if (group === 'Passed') summary.pass += count
    if (group === 'Warning') summary.warn += count
    if (group === 'Failed' || group === 'FailedDevice') summary.fail += count
    if (status === 'Inventory') summary.inventory += count
  }
  summary.installed = summary.pass + summary.warn + summary.fail
  return summary
}
