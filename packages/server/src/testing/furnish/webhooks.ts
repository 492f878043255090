import { randomBytes, randomUUID } from 'node:crypto'
import { webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'

/** Webhooks. */
export async function furnishWebhooks({ test, tenant, secret }: Furnishing) {
  /** A webhook for every event, with a delivered message. */
  const newWebhook = () => addWebhook(test, tenant, secret)
  await newWebhook()
  return { newWebhook }
}

async function addWebhook(
  test: TestApp,
  tenant: string,
  secret: string,
): Promise<{ endpointId: string; messageId: string }> {
  const [endpointId, messageId] = [randomUUID(), randomUUID()]
  const [ours, at] = [{ tenant_id: tenant }, new Date()]
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('webhook_endpoint')
      .values({
        ...{ ...ours, id: endpointId, url: `https://${secret}.test/hook`, name: secret, events: [...webhookEvents] },
        ...{ secret: `whsec_${randomBytes(32).toString('base64')}`, created_at: at, created_by: secret },
      })
      .execute()
    await tx
      .insertInto('webhook_message')
      .values({ ...ours, id: messageId, event: 'test.finished', at, written_at: at, body: JSON.stringify({ secret }) })
      .execute()
    await tx
      .insertInto('webhook_delivery')
      .values({
        ...{ ...ours, endpoint_id: endpointId, message_id: messageId, at, state: 'delivered', attempts: 1 },
        ...{ tried_at: at, status_code: 200, answer: secret, duration_ms: 12 },
      })
      .execute()
  })
  return { endpointId, messageId }
}
