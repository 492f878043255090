import { z } from 'zod'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { messageChannels } from '@caretaker/rules/messages/parsed.ts'
import { Position } from './changes.ts'
import { RejectedMessages } from './devices.ts'
import { route } from './route.ts'
import { DeviceId, Instant, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import * as calls from './calls/messages.ts'

export { mostMessages } from './calls/messages.ts'

/** A message of a device or to it (devices specification, section 3). */
export const DeviceMessage = z
  .object({
    /** Of a reading when it was measured, of all others when it came or was sent. */
    time: Timestamp,
    /** Its topic, and the module that spoke for the device where it has no connection of its own. */
    source: z.string(),
    /** As it came; of readings what was stored of them, of one that is very long its beginning. */
    message: z.string(),
    /** What it says in words, or why it was refused. */
    parsedMessage: z.string(),
    messageId: z.string(),
    /** The topic; null for one that no device has. */
    channel: z.enum(messageChannels).nullable(),
    /** Bytes as it came. */
    bytes: z.number().int(),
    /** Of a state: what the fields were that it changed. */
    was: z.record(z.string(), z.unknown()).nullable(),
    /** Of an answer: the command that it answers, as the device link names it. */
    command: z.string().nullable(),
    /** Parts of it that no rule knows. */
    notUnderstood: z.number().int(),
    /** Why it, or parts of it, were not stored; null when all was. */
    refused: z
      .object({
        reason: z.string(),
        detail: z.string(),
        /** Each part that was set aside: its path in the message ('' for the message as a whole), and why. */
        parts: z.array(z.object({ path: z.string(), reason: z.string(), detail: z.string() })),
        /** Whether the rest of it is stored. */
        isPartial: z.boolean(),
      })
      .nullable(),
  })
  .meta({ id: 'DeviceMessage' })
export type DeviceMessage = z.infer<typeof DeviceMessage>

export const getDeviceMessages = route({
  ...calls.getDeviceMessages,
  summary: `The messages of a device of one day, newest first, at most ${calls.mostMessages}: older ones of the day are asked for by \`before\`, newer ones by \`after\`.`,
  body: z.strictObject({
    tenant: TenantId,
    deviceId: DeviceId,
    /** A day as YYYY-MM-DD in the client's time zone, or any instant of it. */
    date: z.union([z.string().refine(isDay, 'must be a day as YYYY-MM-DD'), Instant]),
    before: Instant.optional(),
    after: Instant.optional(),
    limit: z.number().int().min(1).max(calls.mostMessages).default(calls.mostMessages),
  }),
  reply: envelope(z.array(DeviceMessage)),
})

export const followDeviceMessages = route({
  ...calls.followDeviceMessages,
  internal: true,
  summary:
    'The messages of a device of one day that have come since a position, whatever time they bear, newest first; without a position none, and the position to begin with.',
  body: z.strictObject({
    tenant: TenantId,
    deviceId: DeviceId,
    date: z.string().refine(isDay, 'must be a day as YYYY-MM-DD'),
    position: Position.optional(),
  }),
  reply: envelope(
    z.object({
      /** Some may have been told before: of the last minute, and readings between such as have come together. */
      messages: z.array(DeviceMessage),
      /** More came, or it is longer ago, than is told: the day is to be asked for anew. */
      isIncomplete: z.boolean(),
      /** To ask with next time. */
      position: Position,
    }),
  ),
})

/** A device as it is stored: what was asked for beside what it reports, its ids and its connection. */
export const DeviceDebug = z
  .object({
    desired: z.record(z.string(), z.unknown()),
    reported: z.record(z.string(), z.unknown()),
    record: z.object({
      deviceId: z.string(),
      serialNumber: z.string(),
      product: z.enum(productCodes),
      model: z.string(),
      monitoring: z.string().nullable(),
      listing: z.string().nullable(),
      parentId: z.string().nullable(),
      propertyId: z.string().nullable(),
      buildingId: z.string().nullable(),
      floorId: z.string().nullable(),
      accessRightsTagId: z.string().nullable(),
      createdAt: Timestamp,
    }),
    link: z.object({
      /** Whether it has credentials of its own; otherwise its parent speaks for it. */
      hasOwnKey: z.boolean(),
      /** Whether a session of its own is open. */
      connected: z.boolean(),
      heardAt: Timestamp.nullable(),
      /** Connections that broke off in the last day, newest first. */
      drops: z.array(Timestamp),
      /** Seconds. */
      reportingInterval: z.number().int(),
      messagesToday: z.number().int(),
    }),
    /** What was not taken within the last day, the latest reason first. */
    refused: z.array(RejectedMessages),
  })
  .meta({ id: 'DeviceDebug' })
export type DeviceDebug = z.infer<typeof DeviceDebug>

export const getDeviceDebug = route({
  ...calls.getDeviceDebug,
  summary: 'What is stored of a device and its connection, for developers.',
  body: z.strictObject({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(DeviceDebug),
})
