import { z } from 'zod'
import type { WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { deliveryStates, mostReplayed, trialEvent, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { Id, Instant, Timestamp, inTenant, line, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/webhooks.ts'

const oneEndpoint = inTenant.extend({ endpointId: Id })

/** The place where a page ends: the time of its last message in ms, and the id of that message. */
const Next = z
  .string()
  .max(52)
  .regex(/^\d{1,15}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

/** An address of the client's software that receives webhook messages. */
export const WebhookEndpoint = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    createdAt: Timestamp,
    createdBy: z.string(),
    /** When and why it was disabled; null while it is enabled. */
    disabled: z.object({ at: Timestamp, reason: z.string() }).nullable(),
    /** When deliveries began to fail; null after a successful delivery. */
    failingSince: Timestamp.nullable(),
    /** Until when messages are also signed with the previous secret; null when there is none. */
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
  /** `whsec_` and the key in Base64. No other response contains it. */
  secret: z.string(),
})

export const getWebhooks = route({
  ...calls.getWebhooks,
  summary: 'The webhook endpoints of the client.',
  params: inTenant,
  reply: z.object({ results: z.array(WebhookEndpoint) }),
})

export const addWebhook = route({
  ...calls.addWebhook,
  returnsSecret: true,
  recentSignIn: true,
  summary:
    'Adds an endpoint that receives these events from now on. The signing secret is returned only in this response. Addresses that are not public are rejected.',
  status: 201,
  params: inTenant,
  body: EndpointSettings,
  reply: Secret,
})

export const updateWebhook = route({
  ...calls.updateWebhook,
  recentSignIn: true,
  summary: 'Changes, disables or enables an endpoint. While it is disabled, no messages are stored for it.',
  params: oneEndpoint,
  body: EndpointSettings.extend({ enabled: z.boolean() }),
  reply: WebhookEndpoint,
})

export const deleteWebhook = route({
  ...calls.deleteWebhook,
  recentSignIn: true,
  summary: 'Deletes an endpoint with its log. Pending messages are not sent.',
  status: 204,
  params: oneEndpoint,
})

export const rotateWebhookSecret = route({
  ...calls.rotateWebhookSecret,
  returnsSecret: true,
  recentSignIn: true,
  summary: 'Creates a new secret for an endpoint. For 24 hours, messages are also signed with the previous one.',
  status: 201,
  params: oneEndpoint,
  reply: Secret,
})

export const tryWebhook = route({
  ...calls.tryWebhook,
  summary: `Sends an endpoint a test message of the kind '${trialEvent}'.`,
  status: 202,
  params: oneEndpoint,
})

/** One message to one endpoint, with the state of its delivery. */
export const WebhookDelivery = z
  .object({
    /** The `webhook-id` of the message, which is the same for every attempt. */
    messageId: z.string(),
    event: z.enum([...webhookEvents, trialEvent]),
    at: Timestamp,
    state: z.enum(deliveryStates),
    attempts: z.number().int(),
    /** The time of the next attempt; null when there is none. */
    nextAt: Timestamp.nullable(),
    triedAt: Timestamp.nullable(),
    /** The HTTP status of the last response; null without one. */
    status: z.number().int().nullable(),
    /** Why the last attempt failed, as text. */
    fault: z.string().nullable(),
    /** The first kilobyte of the last response. */
    answer: z.string().nullable(),
    /** The duration of the last attempt, in ms. */
    duration: z.number().int().nullable(),
    /** The body as it is sent. */
    body: z.string(),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const getWebhookDeliveries = route({
  ...calls.getWebhookDeliveries,
  summary: 'The deliveries to an endpoint of the last 30 days, newest first, 50 a page.',
  params: oneEndpoint,
  query: z.object({
    state: z.enum(deliveryStates).optional(),
    /** The `next` of the previous page. */
    after: Next.optional(),
  }),
  reply: z.object({ results: z.array(WebhookDelivery), next: z.string().nullable() }),
})

export const sendWebhookAgain = route({
  ...calls.sendWebhookAgain,
  summary: 'Sends a message again with the same id; 409 if it is still pending or the endpoint is disabled.',
  status: 202,
  params: oneEndpoint.extend({ messageId: Id }),
})

export const replayWebhook = route({
  ...calls.replayWebhook,
  summary: `Sends the messages about events of a period again, with the same ids: up to ${mostReplayed} per call, oldest first. Messages that are pending already are left out.`,
  status: 202,
  params: oneEndpoint,
  body: z.strictObject({
    /** The time of the first event, at most 30 days ago. */
    from: Instant,
    /** The time after the last event; now by default. */
    to: Instant.optional(),
    /** Only messages that this endpoint has not accepted. */
    onlyUndelivered: z.boolean().default(false),
    /** The `next` of the previous call. */
    after: Next.optional(),
  }),
  reply: z.object({
    /** The number of messages that this call enqueued. */
    messages: z.number().int(),
    /** Send it as `after` to continue; null after the last message. */
    next: z.string().nullable(),
  }),
})

const ofDevice = z.object({
  id: z.string(),
  serial: z.string(),
  product: z.string(),
  buildingId: z.string().nullable(),
  propertyId: z.string().nullable(),
})
const deviceEvent = (more: z.ZodRawShape) => z.object({ device: ofDevice, ...more })
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
/** An alert concerns a device or a property, and the message contains one of them. */
const alertData = z.object({ device: ofDevice.optional(), property: ofHome.optional(), alert: z.object(alert) })

/** The `data` of the messages of each kind. */
export const webhookData: Record<WebhookEvent, z.ZodType> = {
  'device.statusChanged': deviceEvent(changedFrom),
  'device.connectionChanged': deviceEvent(changedFrom),
  'fault.began': deviceEvent({ fault: z.object(fault) }),
  'fault.ended': deviceEvent({ fault: z.object({ ...fault, began: Timestamp }) }),
  'test.finished': deviceEvent({ test: z.object({ ...test, startedAt: Timestamp }) }),
  'test.corrected': deviceEvent({ test: z.object(test), former: z.object({ result: z.string(), reason: z.string() }) }),
  'alert.told': alertData,
  'alert.over': alertData,
  'command.ended': deviceEvent({
    command: z.object({ id: z.string(), name: z.string(), status: z.string(), message: z.string().nullable() }),
  }),
  [trialEvent]: z.object({ sentBy: z.string() }),
}

/** A message as it is sent, without its headers. */
export const webhookMessage = (event: WebhookEvent) =>
  z.object({
    ...{ type: z.literal(event), timestamp: Timestamp, tenant: z.string(), data: webhookData[event] },
  })
