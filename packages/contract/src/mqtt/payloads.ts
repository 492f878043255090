import { z } from 'zod'
import { componentStates, testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { testEnders } from '@caretaker/rules/lighting/verdict.ts'
import { severities } from '@caretaker/rules/telemetry/events.ts'
import { commandNames } from '@caretaker/rules/commands/commands.ts'
import { text } from '../scalars.ts'

const Milliseconds = z.number().int().min(0).max(8_640_000_000_000_000)

/** Reported state. Each field replaces the stored value of that field. */
export const State = z
  .record(text(60), z.union([z.string().max(500), z.number(), z.boolean(), z.null(), z.record(text(60), z.unknown())]))
  .refine((state) => Object.keys(state).length > 0 && Object.keys(state).length <= 100, 'needs 1 to 100 fields')

export const Event = z.object({
  eventId: z.uuid(),
  start: Milliseconds,
  end: Milliseconds.optional(),
  severity: z.enum(severities),
  category: text(100),
  description: text(1000),
})

const Byte = z.number().int().min(0).max(255)

/** A test of an emergency light. Without a result it awaits analysis; a later message with the same eventId adds the result. */
export const Test = z.object({
  eventId: z.uuid(),
  testType: z.enum(testTypes),
  start: Milliseconds,
  componentStates: z.object({
    Battery: z.enum(componentStates).optional(),
    Inverter: z.enum(componentStates).optional(),
    Lamp: z.enum(componentStates).optional(),
    Emered: z.enum(componentStates).optional(),
  }),
  /** The result that the light reports. The evidence determines the verdict (`rules/lighting/verdict.ts`). */
  result: z.enum(testResults).optional(),
  series: z
    .array(
      z.object({
        seconds: z.number().min(0),
        batteryVoltage: z.number(),
        lampPower: z.number().optional(),
        lampCurrent: z.number().optional(),
        lampVoltage: z.number().optional(),
        pLive: z.number().optional(),
      }),
    )
    .max(2000),
  /** DALI part 202: failure status, emergency status, and the duration result in steps of two minutes. */
  statusBits: z
    .object({ failure: Byte.optional(), emergency: Byte.optional(), durationResult: Byte.optional() })
    .optional(),
  /** Who or what ended the test early. */
  endedBy: z.enum(testEnders).optional(),
  /** The group test run that the command belonged to. */
  runId: z.uuid().optional(),
})

export const Reply = z.object({
  commandId: z.uuid(),
  status: z.enum(['confirmed', 'failed']),
  message: text(500).optional(),
})

/** The payload that a device receives on its `commands` topic. */
export const CommandMessage = z.object({
  commandId: z.uuid(),
  name: z.enum(commandNames),
  args: z.record(z.string(), z.unknown()),
  expiresAt: Milliseconds,
})
export type CommandMessage = z.infer<typeof CommandMessage>
