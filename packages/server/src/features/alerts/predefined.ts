import { refuse } from '@caretaker/contract/refusal.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { ScopeNames } from '@caretaker/rules/alerts/scope.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { missingDefaults } from '@caretaker/rules/alerts/defaults.ts'
import { definitionFaults } from '@caretaker/rules/alerts/definition.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { recordOf, subjectOf } from './record.ts'
import * as store from './store.ts'

interface Call {
  tx: TenantTx
  person: Recorded
}

/** A rule that is set up for a client, with its buildings and tags by name. */
export interface Predefined extends Omit<Definition, 'tagId' | 'scope'> {
  covers: ScopeNames
}

/**
 * Sets up a rule for a client. Users of the client cannot delete it, nor change the recipients if it is
 * EMAILUNEDITABLE.
 */
export async function predefine({ tx, person }: Call, { covers, ...written }: Predefined) {
  const [tagIds, buildingIds] = [await idsOf(tx, 'tag', covers.tags), await idsOf(tx, 'building', covers.buildings)]
  const rule = { ...written, tagId: '', scope: { families: covers.families, tagIds, buildingIds } }
  const faults = definitionFaults(rule)
  if (faults.length) throw refuse('invalid', `${faults[0]!.message}.`, faults)
  const made = await insert(tx, rule)
  await recordMade({ tx, person }, made)
  return made
}

const insert = (tx: TenantTx, definition: Definition) =>
  store.insertDefinition(tx, { definition, by: null, now: new Date(), isPredefined: true })

const recordMade = ({ tx, person }: Call, made: AlertDefinition) =>
  audit(tx, { person, action: 'alert created', subject: subjectOf(made), after: recordOf(made) })

async function idsOf(tx: TenantTx, table: 'tag' | 'building', names: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) {
    const found = await tx
      .selectFrom(table)
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('name', '=', name)
      .forKeyShare()
      .executeTakeFirst()
    if (!found) throw refuse('not found', `There is no ${table} ${name}.`)
    ids.push(found.id)
  }
  return ids
}

/** Adds the default rules that the client lacks. Not recorded: for a new client, the audit records its creation. */
export async function insertDefaults(tx: TenantTx): Promise<AlertDefinition[]> {
  const made: AlertDefinition[] = []
  for (const rule of missingDefaults(await store.listDefinitions(tx))) made.push(await insert(tx, rule))
  return made
}

/** Adds the missing default rules on request. */
export async function addDefaults(call: Call): Promise<AlertDefinition[]> {
  const made = await insertDefaults(call.tx)
  for (const rule of made) await recordMade(call, rule)
  return made
}

/** Deletes a predefined rule. Rules that the client created can only be deleted by the client. */
export async function withdraw({ tx, person }: Call, alertId: string): Promise<AlertDefinition> {
  const former = await store.holdDefinition(tx, alertId)
  if (!former) throw refuse('not found', `There is no alert ${alertId}.`)
  if (former.definedByTenant)
    throw refuse('refused', 'This alert rule belongs to the client, who can delete it in the portal.')
  await store.deleteDefinition(tx, alertId, new Date())
  await audit(tx, { person, action: 'alert deleted', subject: subjectOf(former), before: recordOf(former) })
  return former
}
