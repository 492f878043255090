import { z } from 'zod'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import { emailPattern } from '@caretaker/rules/forms/validators.ts'
import { holdsWebAddress, webAddressFault } from '@caretaker/rules/links/web-address.ts'

/** Scalars that several calls share. Every text has a maximum length and no control characters such as NUL. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    // oxlint-disable-next-line no-control-regex -- control characters are refused
    .refine((value) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value) && value.isWellFormed(), {
      message: 'must not contain control characters',
    })

/**
 * One line, such as a name: normalised, trimmed and without invisible characters (line breaks, zero-width characters,
 * text direction marks), so that names that look the same are equal.
 */
export const line = (max: number) =>
  text(max)
    .refine((value) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value.replaceAll(joinedEmoji, '')), {
      message: 'must be one line of visible characters',
    })
    .transform((value) => value.normalize('NFC').replaceAll(/\s+/g, ' ').trim())

/**
 * The invisible characters that join several emoji into one (UTS 51), such as a family or the flag of Wales. They are
 * allowed.
 */
const joinedEmoji =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=\u{1F3F4})[\u{E0061}-\u{E007A}]+\u{E007F}/gu

/** A name that appears in e-mails: a line without a web address, which would become a link. */
export const nameLine = (max: number) => line(max).refine((value) => !holdsWebAddress(value), webAddressFault)

/** An e-mail address in any script, normalised. */
export const email = (fault = 'must be an e-mail address') =>
  text(320)
    .pipe(z.string().trim())
    .pipe(z.email({ pattern: emailPattern, error: fault }))
    .transform((address) => address.normalize('NFC'))

export const TenantId = z
  .string()
  .max(40)
  .regex(/^[a-z0-9][a-z0-9-]*$/i, 'must be a client id')
  .meta({ examples: ['northgate'] })
  .transform((id) => id.toLowerCase())

/** The id of a user, a tag and most other items. */
export const Id = z.uuid().transform((id) => id.toLowerCase())

export const DeviceId = Id

/**
 * The end of the year 9999, the last instant that ISO 8601 writes with a four-digit year, so that numbers and texts
 * have the same range.
 */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * An instant: ISO 8601 with offset, or milliseconds since the epoch, up to the year 9999. Returned as ISO 8601 in UTC.
 */
export const Instant = z.union([
  z.iso.datetime({ offset: true }).transform((value) => new Date(value)),
  z
    .number()
    .int()
    .min(0)
    .max(lastInstant)
    .transform((value) => new Date(value)),
])

/** A day in the time zone of the client. */
export const Day = z
  .string()
  .refine(isDay, 'must be a day in the format YYYY-MM-DD')
  .meta({ examples: ['2026-11-30'] })

/** The version of an item that the caller read, sent back with a change. */
export const Version = z.number().int().min(0).max(2_147_483_647)

/** An instant in a response. */
export const Timestamp = z.iso.datetime({ offset: true })

export const inTenant = z.object({ tenant: TenantId })
