import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Context } from '@caretaker/server/context.ts'
import { startDeviceLink } from '@caretaker/server/mqtt/device-link.ts'
import type { LoadOrder, LoadReport } from './load.ts'

const connections = 160

/** Devices of the tenant that keep sending, so many messages a second in all, in the process that answers the calls. */
export async function ingestInto(context: Context, tenant: string, messagesPerSecond: number) {
  const devices = await speakers(context, tenant)
  const link = await startDeviceLink(context)
  const load = fork(new URL('load.ts', import.meta.url))
  let acknowledged = 0
  let seconds = 0
  load.on('message', (report: LoadReport) => {
    acknowledged += report.acknowledged
    seconds++
  })
  const pause = (connections * 1000) / messagesPerSecond
  load.send({ port: link.port!, window: 1, pause, devices } satisfies LoadOrder)
  await once(load, 'message')
  return {
    stop: async () => {
      load.kill()
      await link.stop()
      return { messagesPerSecond: Math.round(acknowledged / seconds) }
    },
  }
}

/** Gives some devices that have nothing to speak through a key of their own. */
async function speakers({ owner }: Context, tenant: string): Promise<LoadOrder['devices']> {
  const { rows } = await owner.query<{ id: string }>(
    `select id from device where tenant_id = $1 and listing = 'EmergencyLights' and status = 'Ok' order by serial limit $2`,
    [tenant, connections],
  )
  const devices = rows.map(({ id }) => ({ deviceId: id, key: randomBytes(16).toString('hex'), children: [] }))
  for (const { deviceId, key } of devices)
    await owner.query('update device_route set key_hash = $2, parent_id = null where device_id = $1', [
      deviceId,
      createHash('sha256').update(key).digest(),
    ])
  return devices
}
