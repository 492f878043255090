import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { LicenceBatch } from '@caretaker/rules/properties/licences.ts'
import { isOver, licenceEnd, managedServices } from '@caretaker/rules/properties/licences.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { zoneOf } from '../../lists/read.ts'
import type { Paging } from './lists.ts'

/** One page of the homes that the actor may see: a limited user those that carry one of the user's tags. */
export async function listProperties(tx: TenantTx, actor: Actor, { page, pageSize }: Paging) {
  const seen = tx
    .selectFrom('property')
    .where('tenant_id', '=', tx.tenant)
    .where('archived_at', 'is', null)
    .$if(isLimited(actor), (limited) => limited.where('access_rights_tag_id', 'in', [...actor.tags]))
  const { total } = await seen.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await seen
    .select(['id', 'reference', 'address1', 'address2', 'address3', 'town', 'county', 'postcode'])
    .orderBy('reference')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  const hidden = hidesPersonalData(actor)
  const results = rows.map(({ id, reference, ...lines }) => ({
    id,
    reference,
    address: hidden ? null : Object.values(lines).filter(Boolean).join(', ') || null,
  }))
  return { results, total, page, pageSize }
}

/** Licences of the managed service; a limited user learns of those that homes have which they see, and of no others. */
export async function licenceSummary(tx: TenantTx, actor: Actor) {
  const today = dayAt(Date.now(), await zoneOf(tx))
  const begins = sql<string>`to_char(coalesce(renewed_on, start_on), 'YYYY-MM-DD')`
  const rows = await tx
    .selectFrom('licence')
    .leftJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'licence.property_id'),
    )
    .where('licence.tenant_id', '=', tx.tenant)
    .$if(isLimited(actor), (limited) => limited.where('property.access_rights_tag_id', 'in', [...actor.tags]))
    .select([
      'type',
      'period_months as period',
      begins.as('start'),
      (eb) => eb.fn.count<number>('licence.property_id').as('assigned'),
      (eb) => eb.fn.countAll<number>().as('total'),
    ])
    .groupBy(['type', 'period_months', begins])
    .orderBy('type')
    .orderBy(begins)
    .execute()
  const batches: (LicenceBatch & { type: string })[] = rows
  const licences = batches
    .filter((batch) => !isOver(batch, today))
    .map((batch) => ({ ...batch, end: licenceEnd(batch) }))
  return { ...managedServices(batches, today), licences }
}
