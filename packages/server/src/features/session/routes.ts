import type { FastifyInstance } from 'fastify'
import { success } from '@caretaker/contract/refusal.ts'
import { getClientSettings, getSession, getTenants, logError } from '@caretaker/contract/session.ts'
import { servePerson, servePublic } from '../../http/serve.ts'
import { tenantsOf } from '../../identity/person.ts'
import { recordClientError } from './store.ts'

export function sessionRoutes(app: FastifyInstance): void {
  servePublic(app, getClientSettings, async ({ context }) => {
    const { oidc, appUrl, support } = context.config
    const { issuer, clientId, audience } = oidc
    return { oidc: { issuer, clientId, audience }, appUrl: appUrl ?? null, support }
  })

  servePerson(app, getSession, async ({ context, person }) => {
    const { id: userId, name, email, pictureUrl } = person
    return { userId, name, email, pictureUrl, tenants: await tenantsOf(context.db, userId) }
  })

  servePerson(app, getTenants, async ({ context, person }) => success(await tenantsOf(context.db, person.id)))

  servePerson(app, logError, async ({ context, person, body }) => {
    const { tenant, message, stack, componentStack } = body
    await recordClientError(context.db, { tenant: tenant ?? null, personId: person.id, message, stack, componentStack })
  })
}
