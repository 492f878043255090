import { sql } from 'kysely'
import type { AlertPreview } from '@caretaker/contract/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import type { Pace, Preview } from '@caretaker/rules/alerts/engine.ts'
import { previewDays, previewOf } from '@caretaker/rules/alerts/engine.ts'
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

type Waiting = Pick<Definition, 'triggerType' | 'triggerCondition'>

/**
 * From when on the history answers for a rule, where that is within the days of a preview: before, nothing was recorded, which is not
 * that nothing happened.
 */
export async function knownSince(tx: TenantTx, now: number): Promise<(rule: Waiting) => string | null> {
  const progress = await tx
    .selectFrom('alert_progress')
    .select([sql<Date>`started_at`.as('started'), 'known_since'])
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirst()
  return ({ triggerType, triggerCondition }) => {
    const event = triggerType === 'ALERTABLEEVENT' ? progress?.known_since[triggerCondition] : undefined
    const since = progress ? Math.max(+progress.started, event === undefined ? 0 : Date.parse(event)) : now
    return since > now - previewDays * 86_400_000 ? new Date(since).toISOString() : null
  }
}

/** One of them as the call tells it, with the device of the last time. */
export async function previewTold(
  tx: TenantTx,
  { latest, ...preview }: Preview,
  since: string | null,
): Promise<AlertPreview> {
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
    knownSince: since,
    latest: latest && device ? { ...latest, ...device, at: new Date(latest.at).toISOString() } : null,
  }
}
