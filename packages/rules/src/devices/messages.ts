/**
 * Why a message, or part of one, was not stored, with the text shown after 'Some messages, or parts of them, were not
 * stored:'. Also the labels of the counters in `/metrics`.
 */
export const rejectionTexts = {
  'not JSON': 'they are not JSON',
  'too large': 'they are too large',
  'unknown metric': 'they contain an unknown measurement',
  'no value': 'a value is missing (null)',
  'not a number': 'a value is text instead of a number',
  'out of range': 'a value is outside the range of its measurement',
  'counter glitch': 'a counter dropped and recovered',
  'impossible rise': 'a counter rose faster than possible',
  'too many series': 'the device sends more extra measurements than can be stored',
  'time in seconds': 'their time is in seconds instead of milliseconds',
  'wrong time': 'their time is too far in the past or in the future',
  'wrong shape': 'they do not have the expected format',
  'unknown device': 'they name an unknown device',
  'not allowed': 'the device is not allowed to send them',
  'other content': 'they repeat a test with different content; the first message counts',
  'over the limit': 'the device sent more than the hourly limit',
  'not installed': 'the device is not installed',
  'key revoked': 'the key of the device is revoked',
  'gateway refused': 'the gateway of the device is not installed, or its key is revoked',
} as const satisfies Record<string, string>

/** Note on messages that were stored with their time of receipt. */
export const clockNotSet = 'clock not set'

export type BadMessageReason = keyof typeof rejectionTexts | typeof clockNotSet
export const badMessageReasons: BadMessageReason[] = [
  ...(Object.keys(rejectionTexts) as (keyof typeof rejectionTexts)[]),
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
