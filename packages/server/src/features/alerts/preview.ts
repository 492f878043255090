import type { AlertPreview } from '@caretaker/contract/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import type { Pace, Preview } from '@caretaker/rules/alerts/engine.ts'
import { previewOf } from '@caretaker/rules/alerts/engine.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { asRule, devicesTagged, historiesOf } from './histories.ts'

type Asked = Pick<Definition, 'tagId' | 'delay' | 'delayUnit' | 'triggerType' | 'triggerCondition'>

/** What rules would have told in the last thirty days: the worker's own question, asked of the same history. */
export async function previewsOf(
  tx: TenantTx,
  asked: readonly Asked[],
  { pace, now }: { pace: Pace; now: number },
): Promise<Preview[]> {
  const devices = await devicesTagged(tx, [...new Set(asked.map(({ tagId }) => tagId))], now)
  const histories = await historiesOf(tx, devices, now)
  const carriers = new Map<string, string[]>()
  for (const device of devices)
    for (const tag of histories.tagsOf(device)) carriers.set(tag, [...(carriers.get(tag) ?? []), device])
  return asked.map((definition) => {
    const of = (carriers.get(definition.tagId) ?? []).map((device) => histories.history(device, definition))
    return previewOf(asRule(definition, 0, pace), of, now)
  })
}

/** One of them as the call tells it, with the device of the last time. */
export async function previewTold(tx: TenantTx, { latest, ...preview }: Preview): Promise<AlertPreview> {
  const device = latest
    ? await tx
        .selectFrom('device')
        .select(['serial', 'product'])
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', latest.deviceId)
        .executeTakeFirst()
    : undefined
  return {
    ...preview,
    latest: latest && device ? { ...latest, ...device, at: new Date(latest.at).toISOString() } : null,
  }
}
