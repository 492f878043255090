import { z } from 'zod'
import { changeSubjects } from '@caretaker/rules/changes/changes.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { route } from './route.ts'
import { DeviceId, inTenant } from './scalars.ts'
import * as calls from './calls/changes.ts'

export { mostWatched } from './calls/changes.ts'

/**
 * Marks the changes that a reader has received. It is returned with data and sent back to read later changes. Opaque to callers; it
 * holds a snapshot of the database's transactions and the time of that snapshot in milliseconds since the epoch.
 */
export const Position = z
  .string()
  .max(8000)
  .refine(isSnapshot, 'must be a position returned by an earlier call')
  .meta({ examples: ['1041:1041:-1795600000000'] })

/** Checks the parts: the first running transaction, the first that had not begun, and between them the running ones in order. */
function isSnapshot(position: string): boolean {
  const found = /^(\d{1,15}):(\d{1,15}):((?:\d{1,15}(?:,\d{1,15})*)?)-\d{1,16}$/.exec(position)
  if (!found) return false
  const [first, end] = [Number(found[1]), Number(found[2])]
  const running = found[3] ? found[3].split(',').map(Number) : []
  const isRunning = (one: number, at: number) => one < end && one >= first && (at === 0 || one > running[at - 1]!)
  return first > 0 && first <= end && running.every(isRunning)
}

/**
 * The start of the interval for which changes are wanted, in microseconds since the epoch. Accepts an ISO 8601
 * timestamp from an earlier response or milliseconds since the epoch.
 */
export const Since = z.union([
  z.iso.datetime({ offset: true }).transform((value) => {
    const [, below = ''] = /\.\d{3}(\d{1,3})/.exec(value) ?? []
    return new Date(value).getTime() * 1000 + Number(below.padEnd(3, '0'))
  }),
  z
    .number()
    .int()
    .min(0)
    .max(8_640_000_000_000_000)
    .transform((value) => value * 1000),
])

/** Changes, limited to what the user may see. */
export const ChangeEvent = z
  .object({
    /** Whether everything that is shown may be outdated: too many changes were missed, or the user's rights have changed. */
    everything: z.boolean(),
    changes: z.array(
      z.object({
        subject: z.enum(changeSubjects),
        /** Ids of the changed devices, and their products; null when any may have changed. */
        ids: z.array(z.string()).nullable(),
        products: z.array(z.enum(productCodes)).nullable(),
      }),
    ),
  })
  .meta({ id: 'ChangeEvent' })
export type ChangeEvent = z.infer<typeof ChangeEvent>

export const streamChanges = route({
  ...calls.streamChanges,
  summary:
    'The changes of the client from now on, as server-sent events. The id of an event is a position: sent as Last-Event-ID, the stream starts with the changes missed since then. It ends when the token or API key expires.',
  params: inTenant,
  query: z.object({
    /** Without a Last-Event-ID: the age of the shown data, in milliseconds. */
    age: z.coerce.number().int().min(0).max(3_600_000).default(0),
    /**
     * Ids of the devices that an open page shows, separated by commas, its own device first. For other devices, the stream reports
     * only changes that appear in listings.
     */
    device: z
      .string()
      .max(calls.mostWatched * 37)
      .transform((ids) => ids.split(','))
      .pipe(z.array(DeviceId).min(1).max(calls.mostWatched))
      .optional(),
  }),
  reply: ChangeEvent,
  stream: true,
})
