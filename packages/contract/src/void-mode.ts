import { z } from 'zod'
import { effectStandings, firingStandings, heldEffects, voidEffects } from '@caretaker/rules/properties/void.ts'
import { Command } from './lighting.ts'
import { route } from './route.ts'
import { Id, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/void-mode.ts'

/** A device affected by void mode. Id and serial number are null if the user may not see the device. */
const device = { deviceId: z.string().nullable(), serialNumber: z.string().nullable() }

/** Void mode of one property: the effects of changing it, and the results of the commands that it sent. */
export const PropertyVoid = z
  .object({
    isVoid: z.boolean(),
    /** The effects of changing the void flag, in order. */
    plan: z.array(z.object({ effect: z.enum(voidEffects), applies: z.boolean(), title: z.string(), text: z.string() })),
    /** Device settings that void mode holds or has restored. */
    effects: z.array(
      z.object({
        ...device,
        effect: z.enum(heldEffects),
        isHeld: z.boolean(),
        /** For heating: the requested value in °C; null when the previous value is unknown. */
        celsius: z.number().nullable(),
        /** Null when no command could be sent. */
        standing: z.enum(effectStandings).nullable(),
        command: Command.nullable(),
        askedAt: Timestamp,
      }),
    ),
    /** Boiler firings, newest first: the planned one and the last five. */
    firings: z.array(
      z.object({
        ...device,
        at: Timestamp,
        standing: z.enum(firingStandings),
        reason: z.string().nullable(),
      }),
    ),
    /** Boilers and heat pumps with a lockout. They can neither heat the property nor run the weekly firing, so its pipes may freeze. */
    lockedOut: z.array(z.object({ ...device, since: Timestamp })),
    /** Active alerts of its devices that are muted because the property is void. */
    mutedAlerts: z.number().int(),
    deviceCount: z.number().int(),
  })
  .meta({ id: 'PropertyVoid' })
export type PropertyVoid = z.infer<typeof PropertyVoid>

export const getPropertyVoid = route({
  ...calls.getPropertyVoid,
  summary:
    "The effects of a property's void flag on its devices: what changing it would do, and the results of the commands so far.",
  params: z.object({ tenant: TenantId, propertyId: Id }),
  reply: PropertyVoid,
})

export const askVoidAgain = route({
  ...calls.askVoidAgain,
  summary: 'Repeats a void mode command to a device that rejected or never received it.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  body: z.strictObject({ deviceId: Id, effect: z.enum(heldEffects) }),
  reply: PropertyVoid,
})
