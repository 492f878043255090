import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import { commandLifetime } from '@caretaker/rules/commands/commands.ts'
import { demoId } from '../chance.ts'
import { demoDevices } from '../fixtures.ts'
import { day, hour, minute } from '../plan/device.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { personId } from './people.ts'

/** A past command and its result; times in milliseconds before now. */
interface PastCommand {
  name: CommandName
  by: string
  ago: number
  end: 'confirmed' | 'failed' | 'expired'
  message?: string
}

const boiler = 'boiler@northgate.example'
const lighting = 'lighting@northgate.example'

/** Commands with every kind of result, on devices with a scenario. */
const past: Record<string, readonly PastCommand[]> = {
  // It locked out again this morning, so that the next reset would be the third.
  [demoDevices.boilerLockout.deviceId]: [
    { name: 'resetBoiler', by: boiler, ago: 19 * day - 5 * hour, end: 'confirmed' },
    { name: 'resetBoiler', by: boiler, ago: 3 * day + 2 * hour, end: 'confirmed' },
  ],
  [demoDevices.failedT180.deviceId]: [
    { name: 'runTest', by: lighting, ago: 3 * hour, end: 'failed', message: 'The battery is charging' },
    { name: 'leaveNetwork', by: 'manager@northgate.example', ago: 5 * hour, end: 'expired' },
  ],
}

const columns = [
  'id',
  'device_id',
  'name',
  'args',
  'status',
  'message',
  'created_by',
  'created_at',
  'sent_at',
  'attempts',
  'answered_at',
  'expires_at',
]

/** Creates the commands of the last weeks with their results. */
export const seedCommands: DeviceSeeder = async ({ write, now }, devices) => {
  const rows = devices.flatMap(({ id }) =>
    (past[id] ?? []).map(({ name, by, ago, end, message = null }) => {
      const asked = now - ago
      const answered = end === 'expired' ? null : new Date(asked + 4000)
      return [
        demoId(`${id} ${name} ${ago}`),
        id,
        name,
        name === 'runTest' ? { testType: 'T0' } : {},
        end,
        message,
        personId(by),
        new Date(asked),
        answered && new Date(asked + 1000),
        answered ? 1 : 0,
        answered,
        new Date(asked + (commandLifetime[name] / 60) * minute),
      ]
    }),
  )
  if (rows.length) await write('command', columns, rows)
}
