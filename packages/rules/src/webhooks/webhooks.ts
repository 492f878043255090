/** All webhook events, named as in the payload. */
export const webhookEvents = [
  'device.statusChanged',
  'device.connectionChanged',
  'fault.began',
  'fault.ended',
  'test.finished',
  'test.corrected',
  'alert.told',
  'alert.over',
  'command.ended',
] as const
/** A test message, sent only on request. */
export const trialEvent = 'webhook.trial'
export type SubscribedEvent = (typeof webhookEvents)[number]
export type WebhookEvent = SubscribedEvent | typeof trialEvent

/** Descriptions for the subscription form. */
export const eventTexts: Record<SubscribedEvent, string> = {
  'device.statusChanged': 'The status of a device changed',
  'device.connectionChanged': 'A device connected or disconnected',
  'fault.began': 'A device reports a fault',
  'fault.ended': 'A fault has cleared',
  'test.finished': 'A light test has a result',
  'test.corrected': 'A user corrected the result of a light test',
  'alert.told': 'An alert was sent',
  'alert.over': 'An alert has ended',
  'command.ended': 'A command was answered or expired',
}

/** `suppressed` if the installation sends nothing. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'suppressed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Maximum endpoints of a client. */
export const mostEndpoints = 20
/** Maximum concurrent deliveries to one endpoint, per process. */
export const atATime = 32
/** Timeout of a delivery, in ms. */
export const deliveryTimeout = 10_000
/** How many bytes of a response are read, and how many are stored. */
export const answerRead = 65_536
export const answerKept = 1_024
/** How long the previous secret also signs, in ms. */
export const formerSecretFor = 86_400_000
/** How long deliveries are kept, in ms. */
export const deliveriesKeptFor = 30 * 86_400_000
/** An endpoint that has accepted nothing for this long is disabled, in ms. */
export const failingAtMost = 5 * 86_400_000

/** Seconds between attempts, three days in total; there is no attempt after the last one. */
export const retryAfter = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 93_600] as const
export const mostAttempts = retryAfter.length + 1

/** When to retry after this many attempts, in ms since the epoch; null if given up. */
export function nextAttempt(attempts: number, now: number): number | null {
  const seconds = retryAfter[attempts - 1]
  return seconds === undefined ? null : now + seconds * 1_000
}

/** Whether an answer accepts the message: only 2xx, no redirects. */
export const isTaken = (status: number) => status >= 200 && status < 300

/** Maximum messages that one call enqueues again. */
export const mostReplayed = 1_000
/** Such calls per client. */
export const replaysOfTenant = { most: 60, seconds: 60 } as const

/** Why an endpoint is disabled; undefined if it stays active. */
export function whyDisabled(status: number | null, failingSince: number, now: number): string | undefined {
  if (status === 410) return 'The endpoint answered 410 Gone.'
  if (now - failingSince >= failingAtMost) return 'The endpoint has accepted nothing for 5 days.'
  return undefined
}

/** The validation error of an endpoint's URL; undefined if there is none. */
export function addressFault(text: string, { mayBePlain = false }: { mayBePlain?: boolean } = {}): string | undefined {
  if (!URL.canParse(text)) return 'must be an address beginning with https://'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && !(mayBePlain && protocol === 'http:')) return 'must begin with https://'
  if (username || password) return 'must not contain a user name or password'
  if (hash) return 'must not contain a #'
  return undefined
}
