import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'

/** Readings of the boiler in every form in which they are stored. */
export async function furnishTelemetry(furnishing: Furnishing, { boiler }: Devices): Promise<void> {
  const { tenant } = furnishing
  await write(furnishing, async (tx) => {
    const series = await tx
      .insertInto('series')
      .values({ tenant_id: tenant, device_id: boiler, metric: 'flowTemperature' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('point')
      .values({ tenant_id: tenant, series_id: series.id, at: new Date(), value: 55 })
      .execute()
    const packedDay = new Date(Math.floor(Date.now() / 86_400_000 - 2) * 86_400_000)
    await tx
      .insertInto('packed_day')
      .values({ tenant_id: tenant, series_id: series.id, day: packedDay, n: 1, gaps: [3_600_000], readings: [54] })
      .execute()
    await tx
      .insertInto('packed_hours')
      .values({ tenant_id: tenant, series_id: series.id, day: packedDay, low: 54, high: 54, means: Buffer.alloc(12) })
      .execute()
    const hourOf = { hours: [12], n: [1], totals: [53], lows: [53], highs: [53], last_ms: [0], last_values: [53] }
    const longAgo = new Date(Math.floor(Date.now() / 86_400_000 - 90) * 86_400_000)
    await tx
      .insertInto('packed_roll_up')
      .values({ tenant_id: tenant, series_id: series.id, day: longAgo, ...hourOf })
      .execute()
    const rollUp = { tenant_id: tenant, series_id: series.id, n: 1, total: 55, low: 55, high: 55 }
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
    await tx
      .insertInto('hourly')
      .values({ ...rollUp, hour, last_at: new Date(), last_value: 55 })
      .execute()
    // The air in the boiler's room.
    for (const [metric, value] of [
      ['temperature', 19],
      ['humidity', 60],
    ] as const) {
      const air = await tx
        .insertInto('series')
        .values({ tenant_id: tenant, device_id: boiler, metric })
        .returning('id')
        .executeTakeFirstOrThrow()
      const read = { series_id: air.id, n: 1, total: value, low: value, high: value, last_value: value }
      await tx
        .insertInto('hourly')
        .values({ tenant_id: tenant, ...read, hour, last_at: new Date() })
        .execute()
    }
    await tx
      .insertInto('daily')
      .values({ ...rollUp, day: new Date(new Date().toISOString().slice(0, 10)) })
      .execute()
    // A removed series keeps the negative of its id.
    await tx.insertInto('erasure').values({ tenant_id: tenant, series_id: -series.id, erased_at: null }).execute()
  })
}
