import { refuse } from '@caretaker/contract/refusal.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
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

/** Sets up a rule for a client, on one of its tags: nobody of its own deletes it, or changes whom an EMAILUNEDITABLE one tells. */
export async function predefine({ tx, person }: Call, definition: Omit<Definition, 'tagId'> & { tag: string }) {
  const { tag, ...written } = definition
  const found = await tx
    .selectFrom('tag')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('name', '=', tag)
    .executeTakeFirst()
  if (!found || !(await store.holdsTag(tx, found.id))) throw refuse('not found', `There is no tag ${tag}.`)
  const rule = { ...written, tagId: found.id }
  const faults = definitionFaults(rule)
  if (faults.length) throw refuse('invalid', `${faults[0]!.message}.`, faults)
  const made = await store.insertDefinition(tx, { definition: rule, by: null, now: new Date(), isPredefined: true })
  await audit(tx, { person, action: 'alert created', subject: subjectOf(made), after: recordOf(made) })
  return made
}

/** Takes such a rule away again; those that the client made are its own to delete. */
export async function withdraw({ tx, person }: Call, alertId: string): Promise<AlertDefinition> {
  const former = await store.holdDefinition(tx, alertId)
  if (!former) throw refuse('not found', `There is no alert ${alertId}.`)
  if (former.definedByTenant) throw refuse('refused', 'That alert is of the client, who deletes it in the portal.')
  await store.deleteDefinition(tx, alertId, new Date())
  await audit(tx, { person, action: 'alert deleted', subject: subjectOf(former), before: recordOf(former) })
  return former
}
