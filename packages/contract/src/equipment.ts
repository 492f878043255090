import { z } from 'zod'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import { batteryTypes } from '@caretaker/rules/lighting/equipment.ts'
import type { LuminaireField } from '@caretaker/rules/lighting/luminaire.ts'
import {
  batteryRanges,
  wideVoltage,
  keySwitchText,
  luminaireFault,
  luminaireText,
  monitoredLedCircuits,
  operatingModes,
} from '@caretaker/rules/lighting/luminaire.ts'
import { componentStates, testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { evidenceEnds } from '@caretaker/rules/lighting/verdict.ts'
import { DeviceId, Id, TenantId, Timestamp, inTenant, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/equipment.ts'

/** What hangs on an emergency light; null where nobody has said it yet. */
export const Equipment = z
  .object({
    luminaireName: z.string().nullable(),
    /** The lamp type. */
    luminaireType: z.string().nullable(),
    inverter: z.string().nullable(),
    monitoredLedCircuit: z.enum(monitoredLedCircuits).nullable(),
    operatingMode: z.enum(operatingModes).nullable(),
    /** Where its key switch is. */
    keySwitch: z.string().nullable(),
    /** The day on which its battery was put in, as YYYY-MM-DD: the later of what its equipment and the last repair of a battery say. */
    batterySince: z.string().nullable(),
    batteries: z.array(
      z.object({
        type: z.enum(batteryTypes),
        /** V */
        voltage: z.number(),
        /** Ah */
        capacity: z.number(),
        /** As `batterySince`. */
        installedDate: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Equipment' })
export type Equipment = z.infer<typeof Equipment>

/** The same of a light among others: without its circuit and how it is worked. */
export const LightEquipment = z
  .object({
    luminaire: z.string().nullable(),
    lampType: z.string().nullable(),
    inverterType: z.string().nullable(),
    batteryType: z.enum(batteryTypes).nullable(),
    /** V */
    batteryVoltage: z.number().nullable(),
    /** Ah */
    batteryCapacity: z.number().nullable(),
    /** YYYY-MM-DD: the later of what its equipment and the last repair of a battery say. */
    batteryFittedOn: z.string().nullable(),
    /** Completed years since then. */
    batteryAge: z.number().int().nullable(),
  })
  .meta({ id: 'LightEquipment' })
export type LightEquipment = z.infer<typeof LightEquipment>

const ComponentState = z.enum(componentStates)
export const ComponentStates = z.object({
  Battery: ComponentState.optional(),
  Inverter: ComponentState.optional(),
  Lamp: ComponentState.optional(),
  Emered: ComponentState.optional(),
})

/** Who disputed a result, when and why, and what it counts as until an administrator has decided. */
export const Dispute = z
  .object({ at: Timestamp, by: z.string(), reason: z.string(), countsAs: z.enum(testResults) })
  .meta({ id: 'Dispute' })
export type Dispute = z.infer<typeof Dispute>

/** A test that a light has begun and that is not over by its rated time. */
export const RunningTest = z
  .object({ testType: z.enum(testTypes), startedAt: Timestamp, endsAt: Timestamp })
  .meta({ id: 'RunningTest' })

/** The newest test of its type. */
export const LatestTest = z
  .object({
    eventId: z.string(),
    testType: z.enum(testTypes),
    testDate: Timestamp,
    result: z.enum(testResults),
    reason: z.string(),
    componentStates: ComponentStates,
    /** Seconds for which the lamp is known to have been lit; null where nothing measured it. */
    lasted: z.number().nullable(),
    evidenceEnd: z.enum(evidenceEnds).nullable(),
    disputed: Dispute.nullable(),
    /** How the same battery did in the test of this type before, where both found it worn; null where it did well or is another one. */
    sameBattery: z.object({ state: z.enum(['Degraded', 'Failed']), testDate: Timestamp }).nullable(),
  })
  .meta({ id: 'LatestTest' })
export type LatestTest = z.infer<typeof LatestTest>

/** As the rule reads it: nothing as an empty text, and what is neither text nor number as none of either. */
const given = (input: unknown) =>
  typeof input === 'string' || typeof input === 'number' ? input : input === undefined || input === null ? '' : '{}'
/** What is not there or of another type is told in the words of the field, where it has some for it. */
const faultOf = (field: LuminaireField) => ({
  error: ({ input }: { input?: unknown }) => luminaireFault(field, given(input)),
})
const obeying =
  (field: LuminaireField) =>
  (value: string | number, context: z.RefinementCtx): void => {
    const message = luminaireFault(field, value)
    if (message) context.addIssue({ code: 'custom', message })
  }
const written = (field: LuminaireField) =>
  z.string(faultOf(field)).pipe(line(luminaireText)).superRefine(obeying(field))

/** The six fields of a luminaire: capacity in Ah, voltage in V. */
export const luminaireShape = {
  name: written('name'),
  lampType: written('lampType'),
  inverterType: written('inverterType'),
  batteryType: z.enum(batteryTypes, faultOf('batteryType')),
  /** Which voltages are taken the client decides. */
  batteryVoltage: z.number(faultOf('batteryVoltage')).meta({ minimum: wideVoltage.least, maximum: wideVoltage.most }),
  batteryCapacity: z.number(faultOf('batteryCapacity')).superRefine(obeying('batteryCapacity')).meta({
    exclusiveMinimum: batteryRanges.capacity.above,
    exclusiveMaximum: batteryRanges.capacity.below,
  }),
}

const ofLight = { tenant: TenantId, deviceId: DeviceId }
const Equipped = envelope(z.object({ deviceId: z.string() }))

export const updateEmeredLuminaire = route({
  ...calls.updateEmeredLuminaire,
  summary:
    'Says what luminaire an emergency light has, in all six fields, and if it is sent since which day its battery is in; null for an unknown day.',
  body: z.strictObject({
    ...ofLight,
    ...luminaireShape,
    batteryInstalledDate: z.string().refine(isDay, 'must be a day as YYYY-MM-DD').nullable().optional(),
  }),
  reply: Equipped,
})

export const updateEmeredMonitoredLedCircuit = route({
  ...calls.updateEmeredMonitoredLedCircuit,
  summary: 'Says which of the circuits of an emergency light its monitor sees.',
  body: z.strictObject({ ...ofLight, monitoredLedCircuit: z.enum(monitoredLedCircuits) }),
  reply: Equipped,
})

export const updateEmeredOperation = route({
  ...calls.updateEmeredOperation,
  summary:
    'Says whether an emergency light is maintained, and where its key switch is; null where nobody knows. What is not sent stays.',
  body: z.strictObject({
    ...ofLight,
    operatingMode: z.enum(operatingModes).nullable().optional(),
    keySwitch: line(keySwitchText).nullable().optional(),
  }),
  reply: Equipped,
})

/** A luminaire that the client uses often; lights that have it keep what they have when it is deleted. */
export const StandardLuminaire = z
  .object({
    luminaireId: z.string(),
    /** The same. */
    id: z.string(),
    name: z.string(),
    lampType: z.string(),
    inverterType: z.string(),
    batteryType: z.enum(batteryTypes),
    /** V */
    batteryVoltage: z.number(),
    /** Ah */
    batteryCapacity: z.number(),
    /** How many of the emergency lights that the caller sees have all six fields alike. */
    lights: z.number().int(),
  })
  .meta({ id: 'StandardLuminaire' })
export type StandardLuminaire = z.infer<typeof StandardLuminaire>

export const getStandardLuminaires = route({
  ...calls.getStandardLuminaires,
  summary: "The client's standard luminaires by name, with how many emergency lights have each.",
  body: inTenant,
  reply: envelope(z.array(StandardLuminaire)),
})

export const addStandardLuminaire = route({
  ...calls.addStandardLuminaire,
  summary: 'Adds a standard luminaire; its name is no other’s.',
  body: z.strictObject({ tenant: TenantId, ...luminaireShape }),
  reply: envelope(StandardLuminaire),
})

export const deleteStandardLuminaire = route({
  ...calls.deleteStandardLuminaire,
  summary: 'Deletes a standard luminaire; no light changes by that.',
  body: z.strictObject({ tenant: TenantId, luminaireId: Id }),
  reply: envelope(z.object({ luminaireId: z.string() })),
})

export const BatteryLimits = z.object({ isWide: z.boolean() }).meta({ id: 'BatteryLimits' })

export const getBatteryLimits = route({
  ...calls.getBatteryLimits,
  summary: 'Whether luminaires of the client may have batteries of 2.4 V to 24 V, or only above 2.6 V up to 12 V.',
  params: z.object({ tenant: TenantId }),
  reply: BatteryLimits,
})

export const putBatteryLimits = route({
  ...calls.putBatteryLimits,
  summary:
    'Widens the voltages of batteries for packs of two cells (2.4 V) and central supplies (24 V), or sets them back. Luminaires that have another voltage keep it.',
  params: z.object({ tenant: TenantId }),
  body: BatteryLimits.strict(),
  reply: BatteryLimits,
})
