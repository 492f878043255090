import type { AlertPreview } from '@caretaker/contract/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import type { Pace, Preview } from '@caretaker/rules/alerts/engine.ts'
import { previewOf } from '@caretaker/rules/alerts/engine.ts'
import { scopeOf } from '@caretaker/rules/alerts/scope.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { asRule, devicesOf, historiesOf } from './histories.ts'

type Asked = Pick<Definition, 'tagId' | 'scope' | 'delay' | 'delayUnit' | 'triggerType' | 'triggerCondition'>

/** What rules would have told in the last thirty days: the worker's own question, asked of the same history. */
export async function previewsOf(
  tx: TenantTx,
  definitions: readonly Asked[],
  { pace, now }: { pace: Pace; now: number },
): Promise<Preview[]> {
  const asked = definitions.map((definition) => ({ ...definition, scope: scopeOf(definition) }))
  const devices = await devicesOf(tx, asked, now)
  const histories = await historiesOf(tx, devices, now)
  return asked.map((rule) => {
    const all = devices.map((device) => histories.history(device, rule))
    return previewOf(
      asRule(rule, 0, pace),
      all.filter(({ so, inScope }) => so.length && inScope.length),
      now,
    )
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
