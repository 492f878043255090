import type { FastifyInstance } from 'fastify'
import {
  addSsoConnection,
  addSsoDomain,
  getSsoConnections,
  removeSsoConnection,
  removeSsoDomain,
  replaceSsoSecret,
  testSsoConnection,
  updateSsoConnection,
  verifySsoDomain,
} from '@caretaker/contract/single-sign-on.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Context } from '../../context.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { seal } from '../../idp/sealed.ts'
import { secretOwner } from '../../idp/sso-connections.ts'
import { openProviders, ProviderFault } from '../../idp/sso-provider.ts'
import { expectWithin } from '../../postgres/throttle.ts'
import { recordFault } from './records.ts'
import * as service from './service.ts'

/** Limit on a client's calls that make Caretaker call other servers. */
const outgoing = { most: 120, seconds: 3600 }

export function ssoConnectionRoutes(app: FastifyInstance): void {
  const { context } = app.services
  const providers = openProviders(context)
  const sealed = ({ idp }: Context, tenant: string, id: string, secret: string) =>
    seal(idp, secretOwner({ tenant, id }), Buffer.from(secret))
  const expectFew = ({ db }: Context, tenant: string) => expectWithin(db, ['single sign-on calls', tenant], outgoing)

  serveTenant(app, getSsoConnections, async (call) => ({
    isEmbedded: call.context.config.oidc.embedded,
    results: await service.connections(call),
  }))
  serveTenantInSteps(app, addSsoConnection, async ({ authorise, inTx, tenant, body, context }) => {
    service.expectEmbedded(context)
    await authorise()
    const { clientSecret, ...settings } = body
    const id = service.newConnectionId()
    const secret = await sealed(context, tenant, id, clientSecret)
    return inTx((call) => service.addConnection(call, { ...settings, id, secret }, new Date()))
  })
  serveTenant(app, updateSsoConnection, async (call) => {
    service.expectEmbedded(call.context)
    return service.updateConnection(call, call.params.connectionId, call.body, new Date())
  })
  serveTenantInSteps(app, replaceSsoSecret, async ({ authorise, inTx, tenant, body, params, context }) => {
    service.expectEmbedded(context)
    await authorise()
    const secret = await sealed(context, tenant, params.connectionId, body.clientSecret)
    await inTx((call) => service.replaceSecret(call, params.connectionId, secret, new Date()))
  })
  serveTenant(app, removeSsoConnection, async (call) => service.removeConnection(call, call.params.connectionId))
  serveTenantInSteps(app, testSsoConnection, async ({ inTx, tenant, params, context }) => {
    service.expectEmbedded(context)
    const { issuer, client_id: clientId } = await inTx(({ tx }) => service.expectConnection(tx, params.connectionId))
    await expectFew(context, tenant)
    try {
      return { fault: null, ...(await providers.test(issuer, clientId)) }
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error
      context.log.warn({ tenant, connection: params.connectionId, reason: error.reason }, 'single sign-on test failed')
      return { fault: error.text, authorizationEndpoint: null, hasSignOut: false, hasBackChannel: false }
    }
  })

  serveTenant(app, addSsoDomain, async (call) => {
    service.expectEmbedded(call.context)
    return service.addDomain(call, call.params.connectionId, call.body.domain)
  })
  serveTenantInSteps(app, verifySsoDomain, async ({ inTx, tenant, params, context }) => {
    service.expectEmbedded(context)
    const { connectionId: id, domain } = params
    const record = await inTx(({ tx }) => service.recordOf(tx, id, domain))
    if (!context.config.outbound) throw refuse('unavailable', 'This installation makes no calls to other servers.')
    await expectFew(context, tenant)
    const fault = await recordFault(context, domain, record)
    if (fault === 'no answer')
      throw refuse('unavailable', 'The name servers of the domain did not respond. Please try again in a minute.')
    return inTx((call) => service.noteCheck(call, { id, domain, fault }, new Date()))
  })
  serveTenant(app, removeSsoDomain, async (call) =>
    service.removeDomain(call, call.params.connectionId, call.params.domain),
  )
}
