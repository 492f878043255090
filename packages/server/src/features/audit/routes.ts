import type { FastifyInstance } from 'fastify'
import { getAudit } from '@caretaker/contract/audit.ts'
import { auditActions } from '@caretaker/rules/audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { listEntries } from './store.ts'

export function auditRoutes(app: FastifyInstance): void {
  serveTenant(app, getAudit, async ({ tx, actor, query }) => {
    const hidePersonal = actor.features.includes('HideCustomerPersonalData')
    return { ...(await listEntries(tx, query, { hidePersonal })), actions: [...auditActions] }
  })
}
