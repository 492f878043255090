import { z } from 'zod'
import { effectStandings, firingStandings, heldEffects, voidEffects } from '@caretaker/rules/properties/void.ts'
import { Command } from './lighting.ts'
import { route } from './route.ts'
import { Id, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/void-mode.ts'

/** A device that void mode has to do with; of one that the person may not see there is neither id nor serial number. */
const device = { deviceId: z.string().nullable(), serialNumber: z.string().nullable() }

/** What void mode means for one home: what turning it the other way would do, and what became of what it asked. */
export const PropertyVoid = z
  .object({
    isVoid: z.boolean(),
    /** What turning it the other way does to this home, effect by effect, in their order. */
    plan: z.array(z.object({ effect: z.enum(voidEffects), applies: z.boolean(), title: z.string(), text: z.string() })),
    /** Values of devices that are held, or were given back. */
    effects: z.array(
      z.object({
        ...device,
        effect: z.enum(heldEffects),
        isHeld: z.boolean(),
        /** Of heating: what is asked for, in °C; null where nobody knows what was there before. */
        celsius: z.number().nullable(),
        /** Null where nothing could be asked. */
        standing: z.enum(effectStandings).nullable(),
        command: Command.nullable(),
        askedAt: Timestamp,
      }),
    ),
    /** Firings of the boiler, the newest first: the one that is planned, and the last five. */
    firings: z.array(
      z.object({
        ...device,
        at: Timestamp,
        standing: z.enum(firingStandings),
        reason: z.string().nullable(),
      }),
    ),
    /** Boilers and heat pumps that are locked out: these can neither heat nor fire the home, whose pipes may freeze. */
    lockedOut: z.array(z.object({ ...device, since: Timestamp })),
    /** Alerts of its devices that hold now and of which nobody is told because the home is void. */
    mutedAlerts: z.number().int(),
    deviceCount: z.number().int(),
  })
  .meta({ id: 'PropertyVoid' })
export type PropertyVoid = z.infer<typeof PropertyVoid>

export const getPropertyVoid = route({
  ...calls.getPropertyVoid,
  summary:
    'What the void flag of a home asks of its devices: what turning it would do, and what became of what was asked.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  reply: PropertyVoid,
})

export const askVoidAgain = route({
  ...calls.askVoidAgain,
  summary:
    'Asks a device once more for what void mode holds on it or gives back, where it refused that or never heard it.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  body: z.strictObject({ deviceId: Id, effect: z.enum(heldEffects) }),
  reply: PropertyVoid,
})
