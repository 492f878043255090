import { sql } from 'kysely'
import type { AlertPreview } from '@caretaker/contract/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import type { Pace, Preview } from '@caretaker/rules/alerts/engine.ts'
import { previewDays, previewOf } from '@caretaker/rules/alerts/engine.ts'
import { scopeOf } from '@caretaker/rules/alerts/scope.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Histories } from './histories.ts'
import { asRule, candidatesOf, historiesOf } from './histories.ts'
import { kindNames } from './kinds.ts'

type Asked = Pick<Definition, 'tagId' | 'scope' | 'delay' | 'delayUnit' | 'triggerType' | 'triggerCondition'>

/** The alerts that rules would have raised in the last thirty days: the worker's own query on the same history. */
export async function previewsOf(
  tx: TenantTx,
  definitions: readonly Asked[],
  { pace, now }: { pace: Pace; now: number },
): Promise<Preview[]> {
  const asked = definitions.map((definition) => ({ ...definition, scope: scopeOf(definition) }))
  const known: { histories: Histories; ids: readonly string[] }[] = []
  for (const kind of kindNames) {
    const ids = await candidatesOf(tx, kind, asked, now)
    known.push({ histories: await historiesOf(tx, kind, ids, now), ids })
  }
  return asked.map((rule) => {
    const all = known.flatMap(({ histories, ids }) =>
      ids
        .filter((id) => histories.isSubject(id, rule))
        .flatMap((id) => histories.aboutsOf(id, rule).map((about) => histories.history(id, rule, about))),
    )
    return previewOf(
      asRule(rule, 0, pace),
      all.filter(({ active, inScope }) => active.length && inScope.length),
      now,
    )
  })
}

type Waiting = Pick<Definition, 'triggerType' | 'triggerCondition'>

/**
 * The start of the recorded history of a rule, if it is within the days of a preview. Before it nothing was recorded,
 * which does not mean that nothing happened.
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

/** A preview as the call returns it, with the device or property of the last occurrence. */
export async function previewAnswer(
  tx: TenantTx,
  { latest, ...preview }: Preview,
  since: string | null,
): Promise<AlertPreview> {
  if (!latest) return { ...preview, knownSince: since, latest: null }
  const device = await tx
    .selectFrom('device')
    .select(['id as deviceId', 'serial', 'product'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', latest.subjectId)
    .executeTakeFirst()
  const home = await tx
    .selectFrom('property')
    .select(['id as propertyId', 'reference'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', latest.subjectId)
    .executeTakeFirst()
  const one = {
    ...{ at: new Date(latest.at).toISOString(), devices: latest.subjects, home: home ?? null },
    ...(device ?? { deviceId: null, serial: null, product: null }),
  }
  return { ...preview, knownSince: since, latest: device || home ? one : null }
}
