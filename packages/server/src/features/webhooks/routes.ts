import type { FastifyInstance } from 'fastify'
import {
  addWebhook,
  deleteWebhook,
  getWebhookDeliveries,
  getWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  sendWebhookAgain,
  tryWebhook,
  updateWebhook,
} from '@caretaker/contract/webhooks.ts'
import { replaysOfTenant } from '@caretaker/rules/webhooks/webhooks.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { expectWithin } from '../../postgres/throttle.ts'
import { openReach } from '../../webhooks/reach.ts'
import * as service from './service.ts'
import * as store from './store.ts'

export function webhookRoutes(app: FastifyInstance): void {
  const reach = openReach(app.services.context.config.webhookNetworks)
  serveTenant(app, getWebhooks, async ({ tx }) => ({ results: await service.endpoints(tx, new Date()) }))
  serveTenantInSteps(app, addWebhook, async ({ authorise, inTx, body }) => {
    await authorise()
    const url = await service.expectAddress(reach, body.url)
    return inTx((call) => service.addEndpoint(call, url, body, new Date()))
  })
  serveTenantInSteps(app, updateWebhook, async ({ authorise, inTx, body, params }) => {
    await authorise()
    const url = await service.expectAddress(reach, body.url)
    return inTx((call) => service.updateEndpoint(call, url, params.endpointId, body, new Date()))
  })
  serveTenant(app, deleteWebhook, async (call) => service.deleteEndpoint(call, call.params.endpointId))
  serveTenant(app, rotateWebhookSecret, async (call) => service.rotateSecret(call, call.params.endpointId, new Date()))
  serveTenant(app, tryWebhook, async (call) => service.tryEndpoint(call, call.params.endpointId, new Date()))
  serveTenant(app, getWebhookDeliveries, async ({ tx, params, query }) => {
    await service.expectEndpoint(tx, params.endpointId)
    return store.deliveries(tx, params.endpointId, query)
  })
  serveTenant(app, sendWebhookAgain, async (call) =>
    service.sendAgain(call, call.params.endpointId, call.params.messageId, new Date()),
  )
  serveTenantInSteps(app, replayWebhook, async ({ authorise, inTx, body, params, context, tenant }) => {
    await authorise()
    await expectWithin(context.db, ['webhook replays', tenant], replaysOfTenant)
    return inTx((call) => service.replay(call, params.endpointId, body, new Date()))
  })
}
