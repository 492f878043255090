import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '@caretaker/server/context.ts'
import { startDeviceLink } from '@caretaker/server/mqtt/device-link.ts'
import { startChild } from './children.ts'
import type { LoadDevice, LoadOrder, LoadReport, LoadTotals } from './load-order.ts'
import { drainsWithin } from './load-order.ts'

const connections = 160

/** How long the first report of the generator may take, including all sign-ins, in ms. */
const signInWithin = 120_000

/** Makes the tenant's devices send a number of messages a second to the process that serves the calls. */
export async function ingestInto(context: Context, tenant: string, messagesPerSecond: number) {
  const devices = await connectingDevices(context, tenant)
  const link = await startDeviceLink(context)
  const load = startChild<LoadReport | LoadTotals>('load.ts')
  load.send({
    port: link.port!,
    atOnce: Math.max(1, Math.floor(context.config.mqtt.waitingPerAddress / 2)),
    ...{ window: 1, pause: (connections * 1000) / messagesPerSecond, devices },
  } satisfies LoadOrder)
  await load.next(signInWithin)
  const begun = performance.now()
  return {
    stop: async () => {
      const seconds = (performance.now() - begun) / 1000
      load.send('stop')
      const { acknowledged } = await load.find(
        (report): report is LoadTotals => report.kind === 'totals',
        2 * drainsWithin,
      )
      await load.kill()
      await link.stop()
      return { messagesPerSecond: Math.round(acknowledged / seconds) }
    },
  }
}

/** Gives some lights their own key and connection. */
async function connectingDevices({ owner }: Context, tenant: string): Promise<LoadDevice[]> {
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
