import type { DeviceSeeder } from '../seeding.ts'

/** Faults of boilers and autofills, those that are over and those that last. */
export const seedEvents: DeviceSeeder = async ({ write }, devices) => {
  const events = devices.flatMap(({ id, fault, pastFaults = [] }) =>
    [...pastFaults, ...(fault ? [{ ...fault, until: null }] : [])].map((one) => [
      one.eventId,
      id,
      new Date(one.since),
      one.until === null ? null : new Date(one.until),
      'High',
      one.source === 'boiler' ? 'Boiler' : 'Autofill',
      `${one.code}: ${one.description}`,
    ]),
  )
  await write('event', ['id', 'device_id', 'start_at', 'end_at', 'severity', 'category', 'description'], events)
}
