import { z } from 'zod'

/** Scalars that several calls share. Every text is bounded and free of control characters such as NUL. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    .refine((value) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value), {
      message: 'must not contain control characters',
    })

export const TenantId = z
  .string()
  .max(40)
  .regex(/^[a-z0-9][a-z0-9-]*$/i, 'must be a client id')
  .transform((id) => id.toLowerCase())

export const DeviceId = z.uuid().transform((id) => id.toLowerCase())

/** An instant on the wire: ISO 8601 with offset, or milliseconds since the epoch. Given out as ISO in UTC. */
export const Instant = z.union([
  z.iso.datetime({ offset: true }).transform((value) => new Date(value)),
  z
    .number()
    .int()
    .min(0)
    .max(8_640_000_000_000_000)
    .transform((value) => new Date(value)),
])

/** An instant in an answer. */
export const Timestamp = z.iso.datetime({ offset: true })

export const inTenant = z.object({ tenant: TenantId })
