import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { Registry } from 'prom-client'
import { eventually, testLink } from '../testing/device-link.ts'
import { startMosquitto, withoutMosquitto } from '../testing/mosquitto.ts'
import { startDeviceLink } from './device-link.ts'
import { skipBecause } from '../testing/skipping.ts'

test(
  'the limits of a device apply across all processes, and other devices have their own',
  skipBecause(withoutMosquitto),
  async () => {
    const broker = await startMosquitto()
    const world = await testLink({ MQTT_URL: broker.url, CARETAKER_DEVICE_MESSAGES: '60' })
    const metrics = new Registry()
    const second = await startDeviceLink({ ...world.context, metrics })
    try {
      await world.addTenant('north')
      const [noisy, quiet] = [await world.addDevice('north'), await world.addDevice('north')]
      const client = await world.connect(noisy)
      let sent = 0
      const publish = (device = noisy) =>
        world.publish(client, device.id, 'telemetry', { ts: Date.now() - sent++ * 1000, values: { co2: 400 } })
      const stored = async (device = noisy) =>
        (
          await world.rows(
            `select from point join series on series.tenant_id = point.tenant_id and series.id = series_id
             where device_id = $1`,
            [device.id],
          )
        ).length
      const refused = async () => {
        const tallies = [world.context.metrics, metrics].map((one) =>
          one.getSingleMetric('caretaker_bad_messages_total')!.get(),
        )
        const values = (await Promise.all(tallies)).flatMap((one) => one.values)
        return values
          .filter(({ labels }) => labels.reason === 'over the limit')
          .reduce((sum, one) => sum + one.value, 0)
      }
      await Promise.all(Array.from({ length: 60 }, () => publish()))
      await eventually(stored, (count) => count === 60)
      // Within a second each process learns what the other accepted.
      while (!(await refused()) && sent < 200) {
        await publish()
        await sleep(100)
      }
      assert.ok((await stored()) < 90, `${await stored()} are stored`)
      for (let n = 0; n < 10; n++) await publish(quiet)
      await eventually(
        () => stored(quiet),
        (count) => count === 10,
      )
    } finally {
      await second.stop()
      await world.close()
      await broker.stop()
    }
  },
)
