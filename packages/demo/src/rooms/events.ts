import { topUp } from '@caretaker/rules/boilers/fills.ts'
import type { Severity } from '@caretaker/rules/telemetry/events.ts'
import { chanceOf, demoId } from '../chance.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour, minute, modelOf, statusOfLink } from '../plan/device.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { longestHistory, topUpsOf } from './history.ts'

interface DemoEvent {
  id: string
  since: number
  until: number | null
  severity: Severity
  category: string
  description: string
}

/** Creates past and active faults of boilers and autofills, and other events in properties with a scenario. */
export const seedEvents: DeviceSeeder = async ({ write, now }, devices) => {
  const rows = devices.flatMap((device) =>
    [...faultsOf(device), ...spellsOf(device, now)].map((one) => [
      one.id,
      device.id,
      new Date(one.since),
      one.until === null ? null : new Date(one.until),
      one.severity,
      one.category,
      one.description,
    ]),
  )
  await write('event', ['id', 'device_id', 'start_at', 'end_at', 'severity', 'category', 'description'], rows)
}

export const faultsOf = ({ fault, pastFaults = [] }: DemoDevice): DemoEvent[] =>
  [...pastFaults, ...(fault ? [{ ...fault, until: null }] : [])].map((one) => ({
    id: one.eventId,
    since: one.since,
    until: one.until,
    severity: 'High',
    category: one.source === 'boiler' ? 'Boiler' : 'Autofill',
    description: `${one.code}: ${one.description}`,
  }))

const weeks = 4

/** Minor events of the last weeks, for devices with a detailed history. */
export function spellsOf(device: DemoDevice, now: number): DemoEvent[] {
  if (device.detail !== 'fine' || !device.life) return []
  const some = (category: string, severity: Severity, description: string, times: number, minutes: number) => {
    const chance = chanceOf(`${device.serial} ${category}`)
    return Array.from({ length: times }, (_, n): DemoEvent => {
      const since = Math.floor(now - ((n + 0.1 + chance() * 0.8) / times) * weeks * 7 * day)
      const until = Math.floor(since + minutes * minute * (0.5 + chance()))
      return {
        id: demoId(`${device.serial} ${category} ${n}`),
        since,
        until: Math.min(until, now - hour / 4),
        severity,
        category,
        description: `${category}: ${description}`,
      }
    }).filter(({ since, until }) => until !== null && since < until)
  }
  const model = modelOf(device)
  const dropped =
    statusOfLink(device.link, now) === 'intermittent' ? some('Connection', 'Low', 'the link was down', 60, 25) : []
  if (model === 'boiler')
    return [
      ...some('Short cycling', 'Medium', 'the burner starts more often than it should', 9, 90),
      ...some('Low pressure', 'Medium', 'water is missing in the heating', 4, 150),
      ...dropped,
    ]
  if (model === 'airSourceHeatPump')
    return [...some('Defrost', 'Low', 'ice is melted off the outdoor unit', 30, 8), ...dropped]
  if (model === 'autofill')
    return topUpsOf(device, { from: now - longestHistory * day, to: now }).map(({ since, until }) => ({
      id: demoId(`${device.serial} ${topUp} ${until}`),
      ...{ since, until, severity: 'Low', category: topUp },
      description:
        until === device.fault?.since
          ? `${topUp}: the pressure was not reached`
          : `${topUp}: the heating was filled to its pressure`,
    }))
  return dropped
}
