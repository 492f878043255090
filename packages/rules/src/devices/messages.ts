/**
 * Why a message, or part of one, was not stored, with the text shown after 'Some messages, or parts of them, were not
 * stored:'. Also the labels of the counters in `/metrics`.
 */
export const notTaken = {
  'not JSON': 'they are not JSON',
  'too large': 'they are too large',
  'unknown metric': 'they name a measurement that is not known',
  'no value': 'a value is missing (null)',
  'not a number': 'a text stands where a number belongs',
  'out of range': 'a value lies outside the range of its measurement',
  'counter glitch': 'a counter fell and came back',
  'impossible rise': 'a counter rose by more than it can in the time',
  'too many series': 'there are more extra measurements than are kept of one device',
  'time in seconds': 'their time is in seconds, not in milliseconds',
  'wrong time': 'their time is too long ago or in the future',
  'wrong shape': 'they are not in the expected form',
  'unknown device': 'they speak for a device that is not here',
  'not allowed': 'the device may not say this',
  'other content': 'they repeat a test with other content; the first message counts',
  'over the limit': 'there were more than one device may send in an hour',
  'not installed': 'the device is not installed',
  'key revoked': 'the key of the device is revoked',
  'gateway refused': 'the gateway of the device is not installed, or its key is revoked',
} as const satisfies Record<string, string>

/** Note on messages that were stored with their time of receipt. */
export const clockNotSet = 'clock not set'

export type BadMessageReason = keyof typeof notTaken | typeof clockNotSet
export const badMessageReasons: BadMessageReason[] = [
  ...(Object.keys(notTaken) as (keyof typeof notTaken)[]),
  clockNotSet,
]

/** Why a message, or a part of it, was rejected. */
export interface Fault {
  reason: BadMessageReason
  detail: string
  /** The path of the invalid part in the payload; missing if it is the whole message. */
  field?: string | undefined
}

/** A rejected part of a message, as stored: its path ('' for the whole message) and the reason. */
export interface BadPart {
  path: string
  reason: BadMessageReason
  detail: string
}
