/** Everything that a client can have told to its own software, by the name that stands in the message. */
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
/** What only a person has sent, to see whether it arrives. */
export const trialEvent = 'webhook.trial'
export type SubscribedEvent = (typeof webhookEvents)[number]
export type WebhookEvent = SubscribedEvent | typeof trialEvent

/** What each tells of, where people choose. */
export const eventTexts: Record<SubscribedEvent, string> = {
  'device.statusChanged': 'The status of a device changed',
  'device.connectionChanged': 'A device connected, or is away',
  'fault.began': 'A device reports a fault',
  'fault.ended': 'A fault is gone',
  'test.finished': 'The result of a light test is known',
  'test.corrected': 'A person corrected the result of a light test',
  'alert.told': 'An alert was sent',
  'alert.over': 'An alert is over',
  'command.ended': 'A command was answered, or expired',
}

/** `suppressed` where the installation sends nothing. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'suppressed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Endpoints of a client. */
export const mostEndpoints = 20
/** Deliveries to one endpoint that are under way at a time, in each process. */
export const atATime = 32
/** How long an endpoint may take to answer, in ms. */
export const patience = 10_000
/** Bytes of an answer that are read, and of them those that are kept. */
export const answerRead = 65_536
export const answerKept = 1_024
/** How long a former secret signs too, in ms. */
export const formerSecretFor = 86_400_000
/** How long messages and what became of them are kept, in ms. */
export const deliveriesKeptFor = 30 * 86_400_000
/** An endpoint that has taken nothing for so long is disabled, in ms. */
export const failingAtMost = 5 * 86_400_000

/** Seconds after each failed attempt until the next one; after the last there is none. */
export const retryAfter = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200] as const
export const mostAttempts = retryAfter.length + 1

/** When to try again after so many attempts, in ms since the epoch; null when it is given up. */
export function nextAttempt(attempts: number, now: number): number | null {
  const seconds = retryAfter[attempts - 1]
  return seconds === undefined ? null : now + seconds * 1_000
}

/** Whether an answer says that the message was taken: nothing else does, a redirect neither. */
export const isTaken = (status: number) => status >= 200 && status < 300

/** Why an endpoint is told no more; undefined while it goes on. */
export function whyDisabled(status: number | null, failingSince: number, now: number): string | undefined {
  if (status === 410) return 'It answered 410 Gone.'
  if (now - failingSince >= failingAtMost) return 'It has taken nothing for 5 days.'
  return undefined
}

/** What is wrong with the address of an endpoint as it is written; undefined when nothing is. */
export function addressFault(text: string, { mayBePlain = false }: { mayBePlain?: boolean } = {}): string | undefined {
  if (!URL.canParse(text)) return 'must be an address beginning with https://'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && !(mayBePlain && protocol === 'http:')) return 'must begin with https://'
  if (username || password) return 'must not hold a name or password'
  if (hash) return 'must not hold a #'
  return undefined
}
