/**
 * Why a message of a device is not taken, with what people read behind 'Some messages were not taken:'. Each is also a label
 * of the counts that `/metrics` gives.
 */
export const notTaken = {
  'not JSON': 'they are not JSON',
  'too large': 'they are too large',
  'unknown metric': 'they name a measurement that is not known',
  'not a number': 'a text stands where a number belongs',
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

export type BadMessageReason = keyof typeof notTaken
export const badMessageReasons = Object.keys(notTaken) as BadMessageReason[]

/** Before it no device can have measured anything, in ms: 1 January 2000. */
const firstPossible = 946_684_800_000

/**
 * Whether a time that is far too early is a good one when it is taken for seconds since the epoch.
 * @param time as the device sent it
 * @param latest the latest that would be taken, in ms since the epoch
 */
export function looksLikeSeconds(time: number, latest: number): boolean {
  return time * 1000 >= firstPossible && time * 1000 <= latest
}
