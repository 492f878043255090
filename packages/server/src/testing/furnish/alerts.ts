import { randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'
import type { Devices } from './devices.ts'
import type { Estate } from './estate.ts'
import type { Tags } from './tags.ts'

/** Alert rules, their recipients, and alerts. */
export async function furnishAlerts(
  furnishing: Furnishing,
  { light }: Devices,
  { tag: tagId, keptTag }: Tags,
  { building, property }: Estate,
) {
  const { tenant, secret, manager } = furnishing
  const definition = randomUUID()
  const now = new Date()
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('alert_definition')
      .values([
        { tenant_id: tenant, id: randomUUID(), tag_id: tagId },
        {
          ...{ tenant_id: tenant, id: definition, tag_id: null, notification_type: 'EMAIL' },
          ...{ scope_families: ['emered'], scope_buildings: [building], scope_tags: [keptTag] },
          ...{ notification_target: manager, trigger_type: 'DEVICESTATUS', trigger_condition: 'FailedEquipment' },
        },
      ])
      .execute()
    await tx
      .insertInto('device_spell')
      .values({
        ...{ tenant_id: tenant, device_id: light, kind: 'DEVICESTATUS', key: 'FailedEquipment' },
        ...{ began_at: now, seen_at: now, ended_at: now },
      })
      .execute()
    await tx
      .insertInto('home_spell')
      .values({
        ...{ tenant_id: tenant, property_id: property, kind: 'ALERTABLEEVENT', key: 'gasCheckFailed' },
        ...{ began_at: now, seen_at: now, ended_at: now },
      })
      .execute()
    await tx
      .insertInto('alert_recipient')
      .values({
        ...{ tenant_id: tenant, definition_id: definition, address: manager },
        ...{ token: secret.padEnd(32, '-').slice(0, 32), unsubscribed_at: null },
      })
      .execute()
    await tx
      .insertInto('alert_progress')
      .values({
        ...{ tenant_id: tenant, position: null },
        ...{ started_at: new Date(+now - 2 * 86_400_000), done_until: new Date(0), homes_since: now },
      })
      .execute()
  })
  const newAlert = async () => {
    const id = randomUUID()
    const times = { began_at: new Date(0), seen_at: new Date(nextNumber()), due_at: new Date(0), tell_at: new Date(0) }
    const open = { told_at: new Date(), ended_at: null, over_at: null, over_tell_at: null, over_told_at: null }
    const scope = { families: ['emered'], buildings: [secret], tags: [secret] }
    const rule = { tagName: secret, scope, triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' }
    await write(furnishing, async (tx) => {
      await tx
        .insertInto('alert')
        .values({
          ...{ tenant_id: tenant, id, definition_id: definition, device_id: light, place: light, held: null },
          ...{ rule: JSON.stringify({ ...rule, delay: 0, delayUnit: 'mins' }), ...times, ...open },
          ...{ ending: null, next_at: null, closed_at: null },
        })
        .execute()
      await tx
        .insertInto('alert_mail')
        .values({
          ...{ tenant_id: tenant, alert_id: id, mail_id: randomUUID(), kind: 'told' },
          ...{ recipient: secret, at: new Date() },
        })
        .execute()
    })
    return id
  }
  await newAlert()
  await write(furnishing, async (tx) => {
    const rule = { tagName: secret, triggerType: 'ALERTABLEEVENT', triggerCondition: 'gasCheckFailed' }
    await tx
      .insertInto('alert')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), definition_id: definition, property_id: property, place: property },
        ...{ rule: JSON.stringify({ ...rule, delay: 0, delayUnit: 'mins' }), began_at: now, seen_at: now },
        ...{ due_at: now, tell_at: now, told_at: now, held: null, ended_at: null, over_at: null, over_tell_at: null },
        ...{ over_told_at: null, ending: null, next_at: null, closed_at: null },
      })
      .execute()
  })
  return {
    /** An open alert that was sent. */
    newAlert,
    newDefinition: async () => {
      const alertId = randomUUID()
      await write(furnishing, (tx) =>
        tx.insertInto('alert_definition').values({ tenant_id: tenant, id: alertId, tag_id: tagId }).execute(),
      )
      return { tagId, alertId }
    },
  }
}
