import type { FastifyInstance } from 'fastify'
import { getAudit } from '@caretaker/contract/audit.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { auditActions } from '@caretaker/rules/audit/audit.ts'
import { dayAt, dayFault, dayText } from '@caretaker/rules/calendar/days.ts'
import { serveTenant } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { listEntries } from './store.ts'

export function auditRoutes(app: FastifyInstance): void {
  serveTenant(app, getAudit, async ({ tx, actor, query }) => {
    await expectPast(tx, query)
    const hidePersonal = actor.features.includes('HideCustomerPersonalData')
    return { ...(await listEntries(tx, query, { hidePersonal })), actions: [...auditActions] }
  })
}

/** Refuses days in the future, which are always a mistake. */
async function expectPast(tx: TenantTx, { from, to }: { from?: string | undefined; to?: string | undefined }) {
  const zone = await zoneOf(tx)
  const today = dayAt(Date.now(), zone)
  const late = [
    { field: 'query.from', at: from && Date.parse(from) },
    // The end is exclusive: for the whole of today it is the start of tomorrow.
    { field: 'query.to', at: to && Date.parse(to) - 1 },
  ].flatMap(({ field, at }) => {
    const message = at ? dayFault(dayText(dayAt(at, zone)), today) : undefined
    return message ? [{ field, message }] : []
  })
  if (late.length > 0) throw refuse('invalid', late[0]!.message, late)
}
