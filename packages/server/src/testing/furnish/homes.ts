import { randomUUID } from 'node:crypto'
import { refreshCases } from '../../features/properties/law-cases.ts'
import { keyOf } from '../../files/keys.ts'
import { queueCommands } from '../../features/commands/store.ts'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'
import type { Estate } from './estate.ts'

/** Records of a property: Awaab's Law, licences, damp and void mode. */
export async function furnishHomes(furnishing: Furnishing, { boiler }: Devices, { property }: Estate) {
  const { test, tenant, secret } = furnishing
  const [lawCase, lawFile, file] = [randomUUID(), randomUUID(), randomUUID()]
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('awaabs_law_step')
      .values({
        ...{ tenant_id: tenant, id: lawCase, property_id: property, status: 'Investigation' as const },
        ...{ hazard: null, happened_on: '2026-01-05', entered_at: new Date(), due_on: null, corrects: null },
        ...{ entered_by: randomUUID(), entered_by_name: secret },
      })
      .execute()
    await refreshCases(tx, [property])
    await tx
      .insertInto('file')
      .values({
        ...{ tenant_id: tenant, id: file, referrer: 'awaabs_law_record', name: `${secret}.pdf` },
        ...{ content_type: 'application/pdf', size: secret.length, sha256: Buffer.alloc(32) },
        ...{ created_at: new Date(), created_by: null },
      })
      .execute()
    await tx
      .insertInto('awaabs_law_record')
      .values({
        ...{ tenant_id: tenant, id: lawFile, case_id: lawCase, property_id: property, kind: 'file', text: secret },
        ...{ file_id: file, readings: null, added_at: new Date(), added_by: randomUUID(), added_by_name: secret },
      })
      .execute()
    await tx
      .insertInto('device_licence')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        device_id: boiler,
        type: secret,
        start_on: new Date().toISOString().slice(0, 10),
        period_months: 24,
        renewed_on: null,
      })
      .execute()
    await tx
      .insertInto('licence')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        type: secret,
        property_id: property,
        start_on: new Date().toISOString().slice(0, 10),
        period_months: 36,
        renewed_on: null,
      })
      .execute()
    const assessed = { until: new Date(0), reckoned_at: new Date(0), since: new Date(0), hours: Buffer.alloc(0) }
    await tx
      .insertInto('damp_room')
      .values({
        ...{ tenant_id: tenant, device_id: boiler, level: 'watch', reason: secret, ...assessed },
        ...{ humid_days: 3, mould_index: 0, assumed: 'none', mould: 0, dry: 0 },
      })
      .execute()
    await tx
      .insertInto('void_effect')
      .values({
        ...{ tenant_id: tenant, device_id: boiler, effect: 'heating', property_id: property, is_held: false },
        ...{ former: 60, command_id: null, asked_at: new Date() },
      })
      .execute()
    await tx
      .insertInto('void_firing')
      .values({
        ...{ tenant_id: tenant, device_id: boiler, monday: '2026-01-05', property_id: property, state: 'missed' },
        ...{ due_at: new Date('2026-01-05T09:00:00Z'), command_id: null },
      })
      .execute()
  })
  await test.context.files.put(keyOf(tenant, file), new Blob([secret]))
  return {
    lawCase,
    lawFile,
    /** A command of void mode that the boiler rejected. */
    newRefusedEffect: () =>
      write(furnishing, async (tx) => {
        const asked = { deviceIds: [boiler], name: 'setChMax' as const, args: { chSetPoint: 10 }, createdBy: null }
        const id = (await queueCommands(tx, asked)).get(boiler)!
        await tx
          .updateTable('command')
          .set({ status: 'failed', answered_at: new Date() })
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute()
        await tx
          .updateTable('void_effect')
          .set({ command_id: id })
          .where('tenant_id', '=', tenant)
          .where('device_id', '=', boiler)
          .execute()
        return 'heating' as const
      }),
  }
}
