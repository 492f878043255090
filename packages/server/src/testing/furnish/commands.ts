import { randomUUID } from 'node:crypto'
import { queueCommands } from '../../features/commands/store.ts'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'

/** Commands of the light. */
export async function furnishCommands(furnishing: Furnishing, { light }: Devices) {
  const { tenant, secret } = furnishing
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('command')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: light,
        name: 'runTest',
        args: JSON.stringify({ testType: 'T0' }),
        status: 'confirmed',
        message: secret,
        created_by: null,
        sent_at: null,
        answered_at: null,
        expires_at: new Date(),
      })
      .execute()
  })
  return {
    /** A command of the light that was not sent yet. */
    newCommand: () =>
      write(furnishing, async (tx) => {
        const commands = await queueCommands(tx, { deviceIds: [light], name: 'runTest', args: {}, createdBy: null })
        return commands.get(light)!
      }),
  }
}
