import { z } from 'zod'
import { componentStates, testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { testEnders } from '@caretaker/rules/lighting/verdict.ts'
import { severities } from '@caretaker/rules/telemetry/events.ts'
import { isMetricKey, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { commandNames } from '@caretaker/rules/commands/commands.ts'
import { text } from '../scalars.ts'

const Milliseconds = z.number().int().min(0).max(8_640_000_000_000_000)

/** `{ts, values}`; every key a known metric, every value a number that its metric can have. */
export const Reading = z.object({
  ts: Milliseconds,
  values: z
    .record(z.string(), z.number())
    .refine((values) => Object.keys(values).length > 0, 'no values')
    .superRefine((values, context) => {
      for (const [key, value] of Object.entries(values)) {
        if (!isMetricKey(key))
          context.addIssue({ code: 'custom', message: `unknown metric ${key.slice(0, 60)}`, path: [key.slice(0, 60)] })
        else if (value < metrics[key].min || value > metrics[key].max)
          context.addIssue({ code: 'custom', message: `${key} out of range`, path: [key] })
      }
    }),
})
export type Reading = z.infer<typeof Reading>

/** One reading or up to 500 of them. */
export const Telemetry = z.union([Reading.transform((one) => [one]), z.array(Reading).min(1).max(500)])

/** Reported state, merged field by field into what is known. */
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

/** A test of an emergency light. Without a result it still awaits analysis; the same eventId brings the result later. */
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
  /** The result that the light reports. The evidence decides (`rules/lighting/verdict.ts`). */
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
  /** Who or what ended the test before its time. */
  endedBy: z.enum(testEnders).optional(),
  /** The run of a group's test to which the command belonged. */
  runId: z.uuid().optional(),
})

export const Reply = z.object({
  commandId: z.uuid(),
  status: z.enum(['confirmed', 'failed']),
  message: text(500).optional(),
})

/** What a device receives below `commands`. */
export const CommandMessage = z.object({
  commandId: z.uuid(),
  name: z.enum(commandNames),
  args: z.record(z.string(), z.unknown()),
  expiresAt: Milliseconds,
})
export type CommandMessage = z.infer<typeof CommandMessage>

/** Telemetry may be at most this old and this far ahead, in milliseconds. */
export const oldestReading = 7 * 86_400_000
export const furthestAhead = 5 * 60_000
