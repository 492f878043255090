import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { addressesIn } from '@caretaker/rules/alerts/definition.ts'
import { delayWords } from '@caretaker/rules/alerts/delay.ts'
import { isSameScope, scopeOf, scopeWords } from '@caretaker/rules/alerts/scope.ts'
import { isOfHome } from '@caretaker/rules/alerts/triggers.ts'
import { changed } from '../../changes/changed.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { namesIn, scopeColumn, scopeIn, scopeValues, tagsOfRule } from './scopes.ts'

const definitionsIn = (tx: TenantTx) =>
  tx
    .selectFrom('alert_definition as rule')
    .where('rule.tenant_id', '=', tx.tenant)
    .select(['rule.id', 'tag_id', 'enabled', 'defined_by_tenant', 'delay', 'delay_unit', 'revision'])
    .select(scopeColumn(tx))
    .select(['notification_type', 'notification_target', 'trigger_type', 'trigger_condition'])

type Row = Awaited<ReturnType<ReturnType<typeof definitionsIn>['execute']>>[number]

interface Left {
  address: string
  at: string
}

/** The addresses of each rule that have unsubscribed. */
async function leftOf(tx: TenantTx, rows: readonly Row[]): Promise<Map<string, Left[]>> {
  if (!rows.length) return new Map()
  const left = await tx
    .selectFrom('alert_recipient')
    .select(['definition_id', 'address', 'unsubscribed_at'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`definition_id = any(${rows.map(({ id }) => id)}::uuid[])`)
    .where('unsubscribed_at', 'is not', null)
    .orderBy('address')
    .execute()
  const byRule = Map.groupBy(left, (row) => row.definition_id)
  return new Map(
    rows.map(({ id, notification_type: type, notification_target: target }) => {
      const named = new Set(type === 'EMAIL' ? addressesIn(target).map((address) => address.toLowerCase()) : [])
      const gone = (byRule.get(id) ?? []).filter(({ address }) => named.has(address))
      return [id, gone.map(({ address, unsubscribed_at: at }) => ({ address, at: at!.toISOString() }))]
    }),
  )
}

const asDefinition = (tx: TenantTx, row: Row, left: ReadonlyMap<string, Left[]>): AlertDefinition => ({
  tagTenant: tx.tenant,
  tagId: row.tag_id ?? '',
  tagName: namesIn(row.scope).tags.join(', '),
  scope: scopeIn(row.scope),
  covers: scopeWords(namesIn(row.scope), isOfHome(row.trigger_type, row.trigger_condition)),
  enabled: row.enabled,
  alertId: row.id,
  definedByTenant: row.defined_by_tenant,
  delay: row.delay,
  delayUnit: row.delay_unit,
  delayDisplay: delayWords(row.delay, row.delay_unit),
  notificationType: row.notification_type,
  notificationTarget: row.notification_target,
  left: left.get(row.id) ?? [],
  triggerType: row.trigger_type,
  triggerCondition: row.trigger_condition,
  version: row.revision,
})

export async function listDefinitions(tx: TenantTx): Promise<AlertDefinition[]> {
  const rows = await definitionsIn(tx).orderBy('rule.id').execute()
  const left = await leftOf(tx, rows)
  return rows.map((row) => asDefinition(tx, row, left)).toSorted((a, b) => a.covers.localeCompare(b.covers))
}

/** The number of void properties, whose devices raise no notifications. */
export async function countVoid(tx: TenantTx): Promise<number> {
  const { count } = await tx
    .selectFrom('property')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tx.tenant)
    .where('void_flag', '=', 'Void')
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Whether all these tags or buildings exist; locks them until the transaction ends. */
export async function holdsAll(tx: TenantTx, table: 'tag' | 'building', ids: readonly string[]): Promise<boolean> {
  if (!ids.length) return true
  const found = await tx
    .selectFrom(table)
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return found.length === new Set(ids).size
}

/** Finds a rule and locks it until the transaction ends. */
export async function holdDefinition(tx: TenantTx, id: string): Promise<AlertDefinition | undefined> {
  const row = await definitionsIn(tx).where('rule.id', '=', id).forUpdate('rule').executeTakeFirst()
  return row && asDefinition(tx, row, await leftOf(tx, [row]))
}

/** The name of the user or API key that changed a rule last; undefined if it is unknown. */
export async function lastChanger(tx: TenantTx, id: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('alert_definition as rule')
    .innerJoin('person', 'person.id', 'rule.changed_by')
    .select('person.name')
    .where('rule.tenant_id', '=', tx.tenant)
    .where('rule.id', '=', id)
    .executeTakeFirst()
  return row?.name
}

interface Saved {
  definition: Definition
  /** Null if the author was not a member. */
  by: string | null
  now: Date
}

const valuesOf = ({ definition, by, now }: Saved) => ({
  ...scopeValues(scopeOf(definition)),
  enabled: definition.enabled ?? true,
  delay: definition.delay,
  delay_unit: definition.delayUnit,
  notification_type: definition.notificationType,
  notification_target: definition.notificationType === 'NONE' ? '' : definition.notificationTarget,
  trigger_type: definition.triggerType,
  trigger_condition: definition.triggerCondition,
  changed_at: now,
  changed_by: by,
  pending: definition.enabled ?? true,
})

export async function insertDefinition(
  tx: TenantTx,
  saved: Saved & { isPredefined?: boolean },
): Promise<AlertDefinition> {
  const id = randomUUID()
  await tx
    .insertInto('alert_definition')
    .values({ tenant_id: tx.tenant, id, defined_by_tenant: !saved.isPredefined, ...valuesOf(saved) })
    .execute()
  await wasSaved(tx, id, saved.now)
  return (await holdDefinition(tx, id))!
}

/** Changes a locked rule. If its scope or condition changes, or it is disabled, all its alerts end. */
export async function changeDefinition(
  tx: TenantTx,
  former: AlertDefinition,
  saved: Saved & { invited?: readonly string[] },
): Promise<AlertDefinition> {
  const { definition, now, invited = [] } = saved
  await tx
    .updateTable('alert_definition')
    .set({ ...valuesOf(saved), revision: former.version + 1 })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', former.alertId)
    .execute()
  const isOther =
    !isSameScope(scopeOf(definition), former.scope) ||
    (['triggerType', 'triggerCondition'] as const).some((field) => definition[field] !== former[field])
  if (isOther || definition.enabled === false) await closeAlerts(tx, [former.alertId], 'rule changed', now)
  // An unsubscribed recipient is notified again only if that exact address is added.
  const before = new Set(addressesIn(former.notificationTarget).map((address) => address.toLowerCase()))
  const added = addressesIn(definition.notificationTarget).filter((address) => !before.has(address.toLowerCase()))
  await resubscribe(tx, former.alertId, [...added, ...invited])
  await wasSaved(tx, former.alertId, now)
  return (await holdDefinition(tx, former.alertId))!
}

async function resubscribe(tx: TenantTx, id: string, addresses: readonly string[]): Promise<void> {
  if (!addresses.length) return
  await tx
    .updateTable('alert_recipient')
    .set({ unsubscribed_at: null })
    .where('tenant_id', '=', tx.tenant)
    .where('definition_id', '=', id)
    .where(sql<boolean>`address = any(${addresses.map((address) => address.toLowerCase())}::text[])`)
    .execute()
}

async function wasSaved(tx: TenantTx, id: string, now: Date): Promise<void> {
  await changed(tx, 'alert', [id])
  await changed(tx, 'tag', null)
  await makeDue(tx, 'watch alerts', now)
}

export async function deleteDefinition(tx: TenantTx, id: string, now: Date): Promise<void> {
  await closeAlerts(tx, [id], 'rule deleted', now)
  await tx.deleteFrom('alert_definition').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  await changed(tx, 'alert', [id])
  await changed(tx, 'tag', null)
}

/**
 * Alerts that are not closed, written as in their index predicates: those with a next step, those that wait for their
 * device, and those of a device. The last index leaves out alerts closed by a change to their rule.
 */
export const isLive = sql<boolean>`((alert.next_at is not null or (alert.next_at is null and alert.closed_at is null))
  and alert.ending is distinct from 'rule changed')`

/** Ends the alerts of rules without an e-mail. Notified alerts stay on record. */
export async function closeAlerts(
  tx: TenantTx,
  definitionIds: readonly string[],
  ending: 'rule changed' | 'rule deleted',
  now: Date,
): Promise<void> {
  const ids = sql`any(${definitionIds}::uuid[])`
  await sql`
    delete from alert where tenant_id = ${tx.tenant} and definition_id = ${ids} and told_at is null and ${isLive}
    `.execute(tx)
  await sql`
    update alert set closed_at = ${now}, over_at = coalesce(over_at, ${now}), ending = ${ending}, next_at = null
    where tenant_id = ${tx.tenant} and definition_id = ${ids} and ${isLive}`.execute(tx)
}

/**
 * Removes a tag that is about to be deleted from the rules. A rule without another tag is deleted, because it would
 * otherwise cover devices that nobody chose.
 */
export async function forgetTag(tx: TenantTx, tagId: string, now: Date): Promise<void> {
  const rows = await tx
    .selectFrom('alert_definition as rule')
    .select(['id', sql<boolean>`cardinality(${tagsOfRule}) = 1`.as('isOnly')])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`${tagId}::uuid = any(${tagsOfRule})`)
    .execute()
  if (!rows.length) return
  const ids = (isOnly: boolean) => rows.filter((row) => row.isOnly === isOnly).map(({ id }) => id)
  await closeAlerts(tx, ids(true), 'rule deleted', now)
  await sql`
    delete from alert_definition where tenant_id = ${tx.tenant} and id = any(${ids(true)}::uuid[])`.execute(tx)
  await sql`
    update alert_definition set scope_tags = array_remove(scope_tags, ${tagId}::uuid)
    where tenant_id = ${tx.tenant} and id = any(${ids(false)}::uuid[])`.execute(tx)
  await changed(tx, 'alert', null)
}
