import { z } from 'zod'
import type { WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { deliveryStates, trialEvent, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { Id, Timestamp, inTenant, line, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/webhooks.ts'

const oneEndpoint = inTenant.extend({ endpointId: Id })

/** Where a client's own software is told of what happens. */
export const WebhookEndpoint = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    createdAt: Timestamp,
    createdBy: z.string(),
    /** Why it is told nothing; null while it is. */
    disabled: z.object({ at: Timestamp, reason: z.string() }).nullable(),
    /** Since when nothing was taken there; null after a delivery. */
    failingSince: Timestamp.nullable(),
    /** Until when the former secret signs too; null when only one does. */
    formerSecretUntil: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookEndpoint' })
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

export const EndpointName = line(60).pipe(z.string().min(1, 'Name is required!'))
export const EndpointAddress = text(2_000).pipe(z.string().trim().min(1, 'Address is required!'))

export const EndpointSettings = z.strictObject({
  name: EndpointName,
  url: EndpointAddress,
  events: z.array(z.enum(webhookEvents)).min(1, 'Choose at least one kind of event'),
})

const Secret = z.object({
  endpoint: WebhookEndpoint,
  /** `whsec_` and the key in Base64; in no other answer. */
  secret: z.string(),
})

export const getWebhooks = route({
  ...calls.getWebhooks,
  internal: true,
  summary: 'The webhook endpoints of the client.',
  params: inTenant,
  reply: z.object({ results: z.array(WebhookEndpoint) }),
})

export const addWebhook = route({
  ...calls.addWebhook,
  recentSignIn: true,
  internal: true,
  summary:
    'Adds an endpoint, which is told of these events from now on; the secret that signs is in this answer and never again. Addresses that are not public are refused.',
  status: 201,
  params: inTenant,
  body: EndpointSettings,
  reply: Secret,
})

export const updateWebhook = route({
  ...calls.updateWebhook,
  recentSignIn: true,
  internal: true,
  summary: 'Changes an endpoint, disables it or enables it again. While it is disabled nothing is kept for it.',
  params: oneEndpoint,
  body: EndpointSettings.extend({ enabled: z.boolean() }),
  reply: WebhookEndpoint,
})

export const deleteWebhook = route({
  ...calls.deleteWebhook,
  recentSignIn: true,
  internal: true,
  summary: 'Deletes an endpoint with its log; what waits for it is not sent.',
  status: 204,
  params: oneEndpoint,
})

export const rotateWebhookSecret = route({
  ...calls.rotateWebhookSecret,
  recentSignIn: true,
  internal: true,
  summary: 'Gives an endpoint a new secret; for 24 hours the former one signs too.',
  status: 201,
  params: oneEndpoint,
  reply: Secret,
})

export const tryWebhook = route({
  ...calls.tryWebhook,
  internal: true,
  summary: `Sends an endpoint a message of the kind '${trialEvent}', to see whether it arrives.`,
  status: 202,
  params: oneEndpoint,
})

/** One message to one endpoint, and what became of it so far. */
export const WebhookDelivery = z
  .object({
    /** The `webhook-id` of the message: the same however often it is sent. */
    messageId: z.string(),
    event: z.enum([...webhookEvents, trialEvent]),
    at: Timestamp,
    state: z.enum(deliveryStates),
    attempts: z.number().int(),
    /** When it is tried next; null when it is over. */
    nextAt: Timestamp.nullable(),
    triedAt: Timestamp.nullable(),
    /** The status of the last answer; null without one. */
    status: z.number().int().nullable(),
    /** Why the last attempt failed, in words. */
    fault: z.string().nullable(),
    /** The first kilobyte of the last answer. */
    answer: z.string().nullable(),
    /** Of the last attempt, in ms. */
    duration: z.number().int().nullable(),
    /** As it is sent. */
    body: z.string(),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const getWebhookDeliveries = route({
  ...calls.getWebhookDeliveries,
  internal: true,
  summary: 'The deliveries to an endpoint of the last 30 days, the newest first, 50 at a time.',
  params: oneEndpoint,
  query: z.object({
    state: z.enum(deliveryStates).optional(),
    /** `next` of the page before. */
    after: z
      .string()
      .max(100)
      .regex(/^\d{1,16}-[0-9a-f-]{36}$/)
      .optional(),
  }),
  reply: z.object({ results: z.array(WebhookDelivery), next: z.string().nullable() }),
})

export const sendWebhookAgain = route({
  ...calls.sendWebhookAgain,
  internal: true,
  summary: 'Sends a message again, with the same id; 409 while it still waits or the endpoint is disabled.',
  status: 202,
  params: oneEndpoint.extend({ messageId: Id }),
})

const ofDevice = z.object({
  id: z.string(),
  serial: z.string(),
  product: z.string(),
  buildingId: z.string().nullable(),
  propertyId: z.string().nullable(),
})
const happened = (more: z.ZodRawShape) => z.object({ device: ofDevice, ...more })
const changedFrom = { from: z.string(), to: z.string() }
const fault = {
  ...{ kind: z.string(), source: z.string(), code: z.string().nullable(), description: z.string().nullable() },
}
const test = {
  ...{ id: z.string(), testType: z.string(), result: z.string(), reason: z.string() },
  componentStates: z.record(z.string(), z.string()),
}
const alert = {
  ...{
    id: z.string(),
    rule: z.unknown(),
    began: Timestamp,
    ended: Timestamp.nullable(),
    ending: z.string().nullable(),
  },
  ...{ unstable: z.boolean(), devicesBehind: z.unknown(), about: z.string().nullable() },
}
const ofHome = z.object({ id: z.string(), reference: z.string(), buildingId: z.string().nullable() })
/** An alert is about a device or a home: the message has one of them. */
const alerted = z.object({ device: ofDevice.optional(), property: ofHome.optional(), alert: z.object(alert) })

/** What a message of each kind holds as `data`. */
export const webhookData: Record<WebhookEvent, z.ZodType> = {
  'device.statusChanged': happened(changedFrom),
  'device.connectionChanged': happened(changedFrom),
  'fault.began': happened({ fault: z.object(fault) }),
  'fault.ended': happened({ fault: z.object({ ...fault, began: Timestamp }) }),
  'test.finished': happened({ test: z.object({ ...test, startedAt: Timestamp }) }),
  'test.corrected': happened({ test: z.object(test), former: z.object({ result: z.string(), reason: z.string() }) }),
  'alert.told': alerted,
  'alert.over': alerted,
  'command.ended': happened({
    command: z.object({ id: z.string(), name: z.string(), status: z.string(), message: z.string().nullable() }),
  }),
  [trialEvent]: z.object({ sentBy: z.string() }),
}
