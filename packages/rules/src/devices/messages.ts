/**
 * Why a message of a device, or a part of one, is not stored, with what people read behind 'Some messages, or parts of them, were not
 * stored:'. Each is also a label of the counts that `/metrics` gives.
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

/** What people are told of messages that were stored: their time is that of their receipt. */
export const clockNotSet = 'clock not set'

export type BadMessageReason = keyof typeof notTaken | typeof clockNotSet
export const badMessageReasons: BadMessageReason[] = [
  ...(Object.keys(notTaken) as (keyof typeof notTaken)[]),
  clockNotSet,
]

/** Why a message, or a part of it, is set aside. */
export interface Fault {
  reason: BadMessageReason
  detail: string
  /** The part that is wrong, as a path into the payload; left out where it is the message as a whole. */
  field?: string | undefined
}

/** A part of a message that was set aside, as it is stored: its path ('' for the message as a whole), and why. */
export interface BadPart {
  path: string
  reason: BadMessageReason
  detail: string
}
