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

/** A message from or to a device (devices specification, section 3). */
export const DeviceMessage = z
  .object({
    /** For readings the time of measurement; for others the time of receipt or sending. */
    time: Timestamp,
    /** Its topic, and the module that sent it if the device has no connection of its own. */
    source: z.string(),
    /** The received message; for readings the stored values. A very long message is truncated. */
    message: z.string(),
    /** A description of its content, or why it was rejected. */
    parsedMessage: z.string(),
    messageId: z.string(),
    /** The channel of its topic; null for a topic that no device uses. */
    channel: z.enum(messageChannels).nullable(),
    /** The size of the received message, in bytes. */
    bytes: z.number().int(),
    /** For a state message: the previous values of the fields that it changed. */
    was: z.record(z.string(), z.unknown()).nullable(),
    /** For a reply: the name of the command, as in the device link. */
    command: z.string().nullable(),
    /** The number of its parts that no rule recognises. */
    notUnderstood: z.number().int(),
    /** Why the message, or parts of it, were not stored; null when all was stored. */
    refused: z
      .object({
        reason: z.string(),
        detail: z.string(),
        /** The rejected parts: path in the message ('' for the whole message) and reason. */
        parts: z.array(z.object({ path: z.string(), reason: z.string(), detail: z.string() })),
        /** Whether the other parts were stored. */
        isPartial: z.boolean(),
      })
      .nullable(),
  })
  .meta({ id: 'DeviceMessage' })
export type DeviceMessage = z.infer<typeof DeviceMessage>

export const getDeviceMessages = route({
  ...calls.getDeviceMessages,
  summary: `The messages of a device on one day, newest first, up to ${calls.mostMessages}. Use \`before\` to read older messages of the day and \`after\` to read newer ones.`,
  body: z.strictObject({
    tenant: TenantId,
    deviceId: DeviceId,
    /** A day, YYYY-MM-DD in the client's time zone, or any instant of that day. */
    date: z.union([z.string().refine(isDay, 'must be a day in the format YYYY-MM-DD'), Instant]),
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
    'The messages of a device of one day that were received after a position, newest first by their own time. Without a position, no messages are returned, only the position to start from.',
  body: z.strictObject({
    tenant: TenantId,
    deviceId: DeviceId,
    date: z.string().refine(isDay, 'must be a day in the format YYYY-MM-DD'),
    position: Position.optional(),
  }),
  reply: envelope(
    z.object({
      /**
       * May repeat messages from earlier responses: messages from the last minute, and readings with times between
       * them.
       */
      messages: z.array(DeviceMessage),
      /** Whether messages are missing because there were too many or the position is too old. Read the whole day again. */
      isIncomplete: z.boolean(),
      /** Send it with the next call. */
      position: Position,
    }),
  ),
})

/** A device as it is stored: requested and reported state, ids and connection. */
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
      /** Whether it has its own credentials; otherwise its parent reports for it. */
      hasOwnKey: z.boolean(),
      /** Whether it has an open session of its own. */
      connected: z.boolean(),
      heardAt: Timestamp.nullable(),
      /** Lost connections in the last day, newest first. */
      drops: z.array(Timestamp),
      /** In seconds. */
      reportingInterval: z.number().int(),
      messagesToday: z.number().int(),
    }),
    /** Messages rejected in the last day, latest reason first. */
    refused: z.array(RejectedMessages),
  })
  .meta({ id: 'DeviceDebug' })
export type DeviceDebug = z.infer<typeof DeviceDebug>

export const getDeviceDebug = route({
  ...calls.getDeviceDebug,
  summary: 'The stored data and connection of a device, for developers.',
  body: z.strictObject({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(DeviceDebug),
})
