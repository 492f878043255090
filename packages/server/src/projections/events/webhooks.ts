import type { Audited } from './audit.ts'

/** A change to a webhook endpoint, with its name in the audit log. */
interface AuditedWebhook extends Audited {
  webhookId: string
  webhookName: string
}

export interface WebhookAdded extends AuditedWebhook {
  type: 'WebhookAdded'
}
export interface WebhookChanged extends AuditedWebhook {
  type: 'WebhookChanged'
}
export interface WebhookDeleted extends AuditedWebhook {
  type: 'WebhookDeleted'
}
/** The system disabled it, because it does not accept messages. */
export interface WebhookDisabled extends AuditedWebhook {
  type: 'WebhookDisabled'
}
export interface WebhookSecretReplaced extends AuditedWebhook {
  type: 'WebhookSecretReplaced'
}
/** Stored messages were enqueued again; the outbox announces them. */
export interface WebhookMessagesResent extends AuditedWebhook {
  type: 'WebhookMessagesResent'
}
/** The results of deliveries were stored, or messages were not sent while webhooks are switched off. */
export interface WebhookDeliveriesEnded {
  type: 'WebhookDeliveriesEnded'
  webhookId: string
}

export type EndpointEvent =
  | WebhookAdded
  | WebhookChanged
  | WebhookDeleted
  | WebhookDisabled
  | WebhookSecretReplaced
  | WebhookMessagesResent
  | WebhookDeliveriesEnded
