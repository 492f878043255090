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
import { DeviceId, Id, TenantId, Timestamp, Version, inTenant, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/equipment.ts'

/** The equipment of an emergency light; null for fields that were not entered. */
export const Equipment = z
  .object({
    luminaireName: z.string().nullable(),
    luminaireType: z.string().nullable(),
    inverter: z.string().nullable(),
    monitoredLedCircuit: z.enum(monitoredLedCircuits).nullable(),
    operatingMode: z.enum(operatingModes).nullable(),
    /** The location of its key switch. */
    keySwitch: z.string().nullable(),
    /** The day on which the battery was fitted, YYYY-MM-DD: the later of the equipment's date and the last battery replacement. */
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

/** The equipment columns of a listing, without circuit and operating mode. */
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
    /** YYYY-MM-DD: the later of the equipment's date and the last battery replacement. */
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

/** Who disputed a result, when and why, and which result applies until an administrator decides. */
export const Dispute = z
  .object({ at: Timestamp, by: z.string(), reason: z.string(), countsAs: z.enum(testResults) })
  .meta({ id: 'Dispute' })
export type Dispute = z.infer<typeof Dispute>

/** A test that a light has started and that is within its rated duration. */
export const RunningTest = z
  .object({ testType: z.enum(testTypes), startedAt: Timestamp, endsAt: Timestamp })
  .meta({ id: 'RunningTest' })

/** The latest test of its type. */
export const LatestTest = z
  .object({
    eventId: z.string(),
    testType: z.enum(testTypes),
    testDate: Timestamp,
    result: z.enum(testResults),
    reason: z.string(),
    componentStates: ComponentStates,
    /** Seconds for which the lamp is known to have been lit; null when it was not measured. */
    lasted: z.number().nullable(),
    evidenceEnd: z.enum(evidenceEnds).nullable(),
    disputed: Dispute.nullable(),
    /**
     * The previous result of the same battery in this type of test, when both tests found it degraded or failed; null otherwise.
     */
    sameBattery: z.object({ state: z.enum(['Degraded', 'Failed']), testDate: Timestamp }).nullable(),
  })
  .meta({ id: 'LatestTest' })
export type LatestTest = z.infer<typeof LatestTest>

/**
 * Converts the input for the domain rule: a missing value becomes an empty text, and a value that is neither text nor number
 * becomes an invalid text.
 */
const readInput = (input: unknown) =>
  typeof input === 'string' || typeof input === 'number' ? input : input === undefined || input === null ? '' : '{}'
/** A missing value, or one of the wrong type, gets the message of its field, if the field has one. */
const faultOf = (field: LuminaireField) => ({
  error: ({ input }: { input?: unknown }) => luminaireFault(field, readInput(input)),
})
const luminaireRule =
  (field: LuminaireField) =>
  (value: string | number, context: z.RefinementCtx): void => {
    const message = luminaireFault(field, value)
    if (message) context.addIssue({ code: 'custom', message })
  }
const luminaireField = (field: LuminaireField) =>
  z.string(faultOf(field)).pipe(line(luminaireText)).superRefine(luminaireRule(field))

/** The six fields of a luminaire: capacity in Ah, voltage in V. */
export const luminaireShape = {
  name: luminaireField('name'),
  lampType: luminaireField('lampType'),
  inverterType: luminaireField('inverterType'),
  batteryType: z.enum(batteryTypes, faultOf('batteryType')),
  /** The client's settings determine which voltages are valid. */
  batteryVoltage: z.number(faultOf('batteryVoltage')).meta({ minimum: wideVoltage.least, maximum: wideVoltage.most }),
  batteryCapacity: z.number(faultOf('batteryCapacity')).superRefine(luminaireRule('batteryCapacity')).meta({
    exclusiveMinimum: batteryRanges.capacity.above,
    exclusiveMaximum: batteryRanges.capacity.below,
  }),
}

const ofLight = { tenant: TenantId, deviceId: DeviceId }
const Equipped = envelope(z.object({ deviceId: z.string(), version: z.number().int() }))

export const updateEmeredLuminaire = route({
  ...calls.updateEmeredLuminaire,
  hasVersion: true,
  summary:
    'Sets all six luminaire fields of an emergency light and, optionally, the day on which its battery was fitted; null for an unknown day.',
  body: z.strictObject({
    ...ofLight,
    ...luminaireShape,
    batteryInstalledDate: z.string().refine(isDay, 'must be a day in the format YYYY-MM-DD').nullable().optional(),
    version: Version.optional(),
  }),
  reply: Equipped,
})

export const updateEmeredMonitoredLedCircuit = route({
  ...calls.updateEmeredMonitoredLedCircuit,
  hasVersion: true,
  summary: 'Sets which circuits of an emergency light its monitor measures.',
  body: z.strictObject({
    ...ofLight,
    monitoredLedCircuit: z.enum(monitoredLedCircuits),
    version: Version.optional(),
  }),
  reply: Equipped,
})

export const updateEmeredOperation = route({
  ...calls.updateEmeredOperation,
  hasVersion: true,
  summary:
    'Sets whether an emergency light is maintained, and the location of its key switch; null for unknown. Fields that are not sent keep their values.',
  body: z.strictObject({
    ...ofLight,
    operatingMode: z.enum(operatingModes).nullable().optional(),
    keySwitch: line(keySwitchText).nullable().optional(),
    version: Version.optional(),
  }),
  reply: Equipped,
})

/** A luminaire that the client uses often. Deleting it does not change the lights that use it. */
export const StandardLuminaire = z
  .object({
    luminaireId: z.string(),
    /** Equal to `luminaireId`. */
    id: z.string(),
    name: z.string(),
    lampType: z.string(),
    inverterType: z.string(),
    batteryType: z.enum(batteryTypes),
    /** V */
    batteryVoltage: z.number(),
    /** Ah */
    batteryCapacity: z.number(),
    /** The number of emergency lights with the same six fields, among those the caller may see. */
    lights: z.number().int(),
  })
  .meta({ id: 'StandardLuminaire' })
export type StandardLuminaire = z.infer<typeof StandardLuminaire>

export const getStandardLuminaires = route({
  ...calls.getStandardLuminaires,
  summary: "The client's standard luminaires by name, with the number of emergency lights that use each.",
  body: inTenant,
  reply: envelope(z.array(StandardLuminaire)),
})

export const addStandardLuminaire = route({
  ...calls.addStandardLuminaire,
  summary: 'Adds a standard luminaire. Its name must be unique.',
  body: z.strictObject({ tenant: TenantId, ...luminaireShape }),
  reply: envelope(StandardLuminaire),
})

export const deleteStandardLuminaire = route({
  ...calls.deleteStandardLuminaire,
  summary: 'Deletes a standard luminaire. Lights that use it do not change.',
  body: z.strictObject({ tenant: TenantId, luminaireId: Id }),
  reply: envelope(z.object({ luminaireId: z.string() })),
})

export const BatteryLimits = z.object({ isWide: z.boolean(), version: z.number().int() }).meta({ id: 'BatteryLimits' })

export const getBatteryLimits = route({
  ...calls.getBatteryLimits,
  hasVersion: true,
  summary:
    'Whether luminaires of the client can have batteries from 2.4 V to 24 V, or only above 2.6 V and up to 12 V.',
  params: z.object({ tenant: TenantId }),
  reply: BatteryLimits,
})

export const putBatteryLimits = route({
  ...calls.putBatteryLimits,
  hasVersion: true,
  summary:
    'Allows battery voltages from 2.4 V (packs of two cells) to 24 V (central supplies), or restores the standard limits. Luminaires outside the limits keep their voltage.',
  params: z.object({ tenant: TenantId }),
  body: z.strictObject({ isWide: z.boolean(), version: Version.optional() }),
  reply: BatteryLimits,
})
