import { z } from 'zod'
import { changeSubjects } from '@caretaker/rules/changes/changes.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { route } from './route.ts'
import { DeviceId, inTenant } from './scalars.ts'
import * as calls from './calls/changes.ts'

export { mostWatched } from './calls/changes.ts'

/**
 * What of all changes a reader has seen: given with data, and sent back to ask what has changed since. Opaque to callers;
 * it is a snapshot of the database's transactions, and when it was taken in milliseconds since the epoch.
 */
export const Position = z
  .string()
  .max(8000)
  .refine(isSnapshot, 'must be a position')
  .meta({ examples: ['1041:1041:-1795600000000'] })

/** The first transaction that was running, the first that had not begun, and between them in their order all that ran. */
function isSnapshot(position: string): boolean {
  const found = /^(\d{1,15}):(\d{1,15}):((?:\d{1,15}(?:,\d{1,15})*)?)-\d{1,16}$/.exec(position)
  if (!found) return false
  const [first, end] = [Number(found[1]), Number(found[2])]
  const running = found[3] ? found[3].split(',').map(Number) : []
  const isRunning = (one: number, at: number) => one < end && one >= first && (at === 0 || one > running[at - 1]!)
  return first > 0 && first <= end && running.every(isRunning)
}

/**
 * Since when somebody wants to know, in microseconds since the epoch: ISO 8601 as it was given out, or milliseconds since
 * the epoch.
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

/** What has changed, as far as the person may see it. */
export const ChangeNews = z
  .object({
    /** Too much was missed to be told, or the person's rights are others now: whatever is shown may be outdated. */
    everything: z.boolean(),
    changes: z.array(
      z.object({
        subject: z.enum(changeSubjects),
        /** Of devices which, and their products; null when any may have changed. */
        ids: z.array(z.string()).nullable(),
        products: z.array(z.enum(productCodes)).nullable(),
      }),
    ),
  })
  .meta({ id: 'ChangeNews' })
export type ChangeNews = z.infer<typeof ChangeNews>

export const streamChanges = route({
  ...calls.streamChanges,
  summary:
    'What changes in the client from now on, as server-sent events. The id of an event is a position: sent as Last-Event-ID, the stream begins with what was missed since. It ends with the token, or when the API key holds no more.',
  params: inTenant,
  query: z.object({
    /** Without a Last-Event-ID: how many milliseconds ago what is shown was asked for. */
    age: z.coerce.number().int().min(0).max(3_600_000).default(0),
    /** The devices that an open page shows, by comma, its own first: of all others only that is told what listings show. */
    device: z
      .string()
      .max(calls.mostWatched * 37)
      .transform((ids) => ids.split(','))
      .pipe(z.array(DeviceId).min(1).max(calls.mostWatched))
      .optional(),
  }),
  reply: ChangeNews,
  stream: true,
})
