import { map } from '../copy.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { isTested, testsOf } from './light-tests.ts'

/** The number of lights with discharge curves. */
const lightsWithCurves = 100

const columns = [
  ...['event_id', 'device_id', 'test_type', 'started_at', 'result', 'reason', 'component_states', 'series'],
  ...['status_bits', 'lit'],
]

/** Creates the tests of emergency lights, with curves for the first lights of a tenant. */
export const seedLighting: DeviceSeeder = async ({ write, now }, devices, from) => {
  const tests = devices
    .filter(isTested)
    .flatMap((light, index) => testsOf(light, now, from === 0 && index < lightsWithCurves))
  await write(
    'emergency_test',
    columns,
    map(tests, (test) => [
      test.eventId,
      test.deviceId,
      test.testType,
      new Date(test.startedAt),
      test.result,
      test.reason,
      test.componentStates,
      test.series,
      test.bits,
      test.lit,
    ]),
  )
}
