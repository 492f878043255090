import { z } from 'zod'
import { reasonLength, reasonMissing, resultChangeKinds } from '@caretaker/rules/lighting/decisions.ts'
import { componentStates, otherStates, testResults, testSeriesIds, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { evidenceEnds } from '@caretaker/rules/lighting/verdict.ts'
import { isLocalTime } from '@caretaker/rules/lighting/plan.ts'
import { lightRunStates } from '@caretaker/rules/lighting/runs.ts'
import { commandStatuses } from '@caretaker/rules/commands/commands.ts'
import { ComponentStates, Dispute } from './equipment.ts'
import { Day, DeviceId, Id, TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/lighting.ts'

/** Measurements of a light during a test. Callers who are not administrators receive only the first three series. */
export const TestSeries = z
  .object({
    dataSeriesId: z.enum(testSeriesIds),
    label: z.string(),
    unit: z.string(),
    /** Whether it uses the second axis when all series are shown. */
    secondary: z.boolean(),
    series: z.array(z.object({ seconds: z.number(), value: z.number() })),
  })
  .meta({ id: 'TestSeries' })
export type TestSeries = z.infer<typeof TestSeries>

const result = { result: z.enum(testResults), reason: z.string(), componentStates: ComponentStates }

/** A user's decision about the result of a test. */
export const ResultChange = z
  .object({
    kind: z.enum(resultChangeKinds),
    at: Timestamp,
    by: z.string(),
    /** The user's reason; empty for a correction made before reasons were required. */
    reason: z.string(),
    was: z.enum(testResults),
    now: z.enum(testResults),
  })
  .meta({ id: 'ResultChange' })

export const EmergencyTest = z
  .object({
    eventId: z.string(),
    deviceId: z.string(),
    deviceName: z.string(),
    /** V, from the label of its battery; null when not entered. */
    deviceBatteryVoltage: z.number().nullable(),
    deviceCurrentStatus: z.string(),
    buildingName: z.string().nullable(),
    testDate: Timestamp,
    testType: z.enum(testTypes),
    ...result,
    /** Seconds for which the lamp is known to have been lit; null when it was not measured. */
    lasted: z.number().nullable(),
    /** Why the evidence ends there; null for function tests and for tests stored before this was recorded. */
    evidenceEnd: z.enum(evidenceEnds).nullable(),
    /** The start by the light's clock when that clock was wrong; `testDate` is then the time of receipt. */
    reportedStart: Timestamp.nullable(),
    /** The result that the light reported; null when it reported none. */
    reportedResult: z.enum(testResults).nullable(),
    /** Who corrected the result, when and why, and the previous result; null without a correction. */
    corrected: z.object({ at: Timestamp, by: z.string(), reason: z.string(), was: z.object(result) }).nullable(),
    /**
     * Who disputed the result, when and why, and which result applies until an administrator decides; null without a
     * dispute.
     */
    disputed: Dispute.nullable(),
    /** All decisions of users about the result, oldest first. */
    changes: z.array(ResultChange),
    /** The corrections that the evidence contradicts, with the reason; null when the series were not requested. */
    ruledOut: z.object({ passed: z.string().nullable(), parts: z.record(z.string(), z.string()) }).nullable(),
    series: z.array(TestSeries),
  })
  .meta({ id: 'EmergencyTest' })
export type EmergencyTest = z.infer<typeof EmergencyTest>

export const getAllDeviceTests = route({
  ...calls.getAllDeviceTests,
  summary: 'The test results of one emergency light, newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(EmergencyTest)),
})

export const testSorts = ['testDate', 'testType', 'result', 'deviceName', 'buildingName', 'reason'] as const
export type TestSort = (typeof testSorts)[number]

const lightFilter = {
  /** Searches the names and serial numbers of lights and their building, floor and room. */
  text: text(100).pipe(z.string().trim()).optional(),
  buildingId: Id.optional(),
  /** The current test group of the lights. */
  groupId: Id.optional(),
}
const testFilter = {
  ...lightFilter,
  /** First and last day, in the time zone of the client. */
  from: Day.optional(),
  to: Day.optional(),
  testType: z.enum(testTypes).optional(),
  result: z.enum(testResults).optional(),
  eventId: z.uuid().optional(),
  /** Only tests with an undecided dispute, or with a corrected result. */
  decision: z.enum(['disputed', 'corrected']).optional(),
}
export const getAllTests = route({
  ...calls.getAllTests,
  summary:
    'A page of test results of all emergency lights that the caller may see, newest first unless another order is given. Orders other than by date are rejected with 400 when more than 10,000 tests match.',
  body: z.object({
    tenant: TenantId,
    ...testFilter,
    sort: z.enum(testSorts).default('testDate'),
    descending: z.boolean().default(true),
    /** The `next` of the previous page. */
    after: z.string().max(6000).optional(),
    limit: z.number().int().min(1).max(500).default(100),
    /** Whether to include the measured series. */
    withSeries: z.boolean().default(true),
  }),
  reply: envelope(
    z.object({
      tests: z.array(EmergencyTest),
      /** The start of the next page; null on the last page. */
      next: z.string().nullable(),
      /** The number of matching tests, up to 10,001. Returned with the first page; null with later pages sorted by date. */
      total: z.number().nullable(),
    }),
  ),
})

export const exportAllTests = route({
  ...calls.exportAllTests,
  summary: 'All test results that match a filter, as CSV, newest first.',
  body: z.object({ tenant: TenantId, ...testFilter }),
})

/** A test in a grid of months. */
const TestOfMonth = EmergencyTest.pick({ eventId: true, testDate: true, testType: true, result: true })

export const LightMonths = z.object({
  deviceId: z.string(),
  deviceName: z.string(),
  buildingName: z.string().nullable(),
  /** The tests of the year, newest first. */
  tests: z.array(TestOfMonth),
})
export type LightMonths = z.infer<typeof LightMonths>

export const getTestMonths = route({
  ...calls.getTestMonths,
  internal: true,
  summary:
    'A page of emergency lights that the caller may see, by name, with their tests of one year in the time zone of the client.',
  body: z.object({
    tenant: TenantId,
    ...lightFilter,
    testType: z.enum(testTypes).optional(),
    /** Only lights with a test of this result in the year, and only those tests. */
    result: z.enum(testResults).optional(),
    year: z.number().int().min(2000).max(2100),
    /** The `next` of the previous page. */
    after: z.string().max(500).optional(),
    limit: z.number().int().min(1).max(100).default(50),
  }),
  reply: envelope(
    z.object({
      lights: z.array(LightMonths),
      /** The start of the next page; null on the last page. */
      next: z.string().nullable(),
      /** The number of lights, up to a limit; returned with the first page, null with later ones. */
      total: z.number().nullable(),
    }),
  ),
})

/** Counts of the lights with a test of one type that began in a month. */
export const TestsOfMonth = z
  .object({
    /** YYYY-MM, in the time zone of the client. */
    month: z.string(),
    testType: z.enum(testTypes),
    lights: z.number().int(),
    /** The worst result of the month, and how many lights have it. */
    worst: z.enum(testResults),
    worstLights: z.number().int(),
    /** The number of corrected results, and of disputed results that await a decision. */
    corrected: z.number().int(),
    disputed: z.number().int(),
  })
  .meta({ id: 'TestsOfMonth' })
export type TestsOfMonth = z.infer<typeof TestsOfMonth>

export const getTestOverview = route({
  ...calls.getTestOverview,
  summary:
    'The number of tested lights and the worst result for each type of test in each month of a year that ends with a given month. Months without tests are left out.',
  body: z.object({
    tenant: TenantId,
    ...lightFilter,
    /** The last of the twelve months; the current month by default. */
    until: z
      .string()
      .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month in the format YYYY-MM')
      .optional(),
  }),
  reply: envelope(z.object({ months: z.array(z.string()), cells: z.array(TestsOfMonth) })),
})

/** The state of a part, as a form sends it. */
const FormState = z.enum(componentStates).optional()

export const updateTestResult = route({
  ...calls.updateTestResult,
  summary:
    'Corrects the result of a test. The result follows from the states of the parts, unless another state is chosen. A reason is required, and a correction that contradicts the evidence of the test is rejected. The previous result is kept.',
  form: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    /** The latest test of the light when absent. */
    eventId: z.uuid().optional(),
    /** Limited so that a database index can hold it in any script. */
    reason: text(800).pipe(z.string().trim()).default(''),
    Battery: FormState,
    Inverter: FormState,
    Lamp: FormState,
    Emered: FormState,
    otherState: z.enum(otherStates).optional(),
  }),
  reply: envelope(EmergencyTest),
})

/** A reason that a user enters. */
const OwnReason = text(reasonLength)
  .pipe(z.string().trim())
  .refine((reason) => /[\p{L}\p{N}]/u.test(reason), reasonMissing)

export const disputeTestResult = route({
  ...calls.disputeTestResult,
  summary:
    'Disputes a failed or degraded result with a reason. Until an administrator decides, the result awaits review and the light keeps its previous status.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, eventId: z.uuid(), reason: OwnReason }),
  reply: envelope(EmergencyTest),
})

export const decideTestDispute = route({
  ...calls.decideTestDispute,
  summary: 'Decides a dispute with a reason: keeps the result, or changes it to Indeterminate.',
  body: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    eventId: z.uuid(),
    decision: z.enum(['keep', 'indeterminate']),
    reason: OwnReason,
  }),
  reply: envelope(EmergencyTest),
})

export const LightRun = z
  .object({
    runId: z.string(),
    groupName: z.string(),
    testType: z.enum(testTypes),
    startsAt: Timestamp,
    /** The progress of the test on this light; planned until the run begins. */
    state: z.enum(['planned', ...lightRunStates]),
    reason: z.string().nullable(),
    endedAt: Timestamp.nullable(),
    /** When the light repeats a yearly test that it missed; null when it does not. */
    again: Timestamp.nullable(),
  })
  .meta({ id: 'LightRun' })
export type LightRun = z.infer<typeof LightRun>

export const getDeviceTestRuns = route({
  ...calls.getDeviceTestRuns,
  summary:
    'The tests of one emergency light that have no result: planned and running tests, and tests that were missed, not started or interrupted, with the reason; newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(LightRun)),
})

/** A start in the time zone of the client: 'YYYY-MM-DDTHH:mm'. */
export const PlannedStart = z.string().refine(isLocalTime, 'must be a time in the format YYYY-MM-DDTHH:MM')

export const runTest = route({
  ...calls.runTest,
  summary:
    "Schedules a test of one emergency light, now or at a time in the client's time zone. It replaces an earlier test that was scheduled for this light alone. A 1-hour or 3-hour test requires 24 h of charge, and a confirmation if it takes place in daytime.",
  body: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    testType: z.enum(testTypes),
    startsAt: PlannedStart.optional(),
    isDayConfirmed: z.boolean().default(false),
  }),
  reply: envelope(z.object({ runId: z.string(), startsAt: Timestamp })),
})

export const stopLightTest = route({
  ...calls.stopLightTest,
  summary:
    'Sends an emergency light the command to stop its running test; 409 if none is running. The result is then Indeterminate: ended by a user.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.object({ commandId: z.string() })),
})

export const withdrawTest = route({
  ...calls.withdrawTest,
  summary: 'Cancels a test that is scheduled for one emergency light alone and has not begun.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, runId: Id }),
  reply: envelope(z.object({ runId: z.string() })),
})

const TestNight = z.object({
  startsAt: Timestamp,
  /** The test that occupies the night; null for a free night. */
  taken: z.object({ testType: z.enum(testTypes), startsAt: Timestamp }).nullable(),
})

export const getTestNights = route({
  ...calls.getTestNights,
  summary:
    'The nights in which an emergency light can have a 3-hour test, starting when its battery has charged for 24 h. Takes the battery date of a planned repair into account.',
  body: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    /** When a new battery starts charging: the day and time of the repair, and a later day on which the battery is fitted. */
    batteryOn: Day.optional(),
    batteryTime: z.string().max(5).optional(),
    batteryFittedOn: Day.optional(),
  }),
  reply: envelope(
    z.object({
      nights: z.array(TestNight),
      /** When the battery is charged; null when no discharge is known. */
      chargedAt: Timestamp.nullable(),
      /** The test scheduled for this light alone; null without one. */
      planned: z.object({ runId: z.string(), testType: z.enum(testTypes), startsAt: Timestamp }).nullable(),
    }),
  ),
})

export const runT0Test = route({
  ...calls.runT0Test,
  summary: 'Queues a flick test for one emergency light.',
  /** `bulkActionId` makes it part of a bulk action that the page runs. */
  form: z.object({ tenant: TenantId, deviceId: DeviceId, bulkActionId: Id.optional() }),
  reply: envelope(z.object({ status: z.enum(['queued', 'failed']), commandId: z.string() })),
})

export const Command = z
  .object({
    commandId: z.string(),
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    status: z.enum(commandStatuses),
    message: z.string().nullable(),
    /** The user who requested it; null when the server did. */
    requestedBy: z.string().nullable(),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    answeredAt: Timestamp.nullable(),
    expiresAt: Timestamp,
    /** When, and by whom, it was withdrawn before it was sent, or dismissed after it had failed or expired. */
    withdrawnAt: Timestamp.nullable(),
    withdrawnBy: z.string().nullable(),
    /** The response of the device to a command that had already expired or been withdrawn. */
    lateAnswer: z.enum(['confirmed', 'failed']).nullable(),
    /** For a test command: whether the light has reported a test of that type since it was sent; null for other commands. */
    reportedTest: z.boolean().nullable(),
  })
  .meta({ id: 'Command' })
export type Command = z.infer<typeof Command>

export const getDeviceCommands = route({
  ...calls.getDeviceCommands,
  summary:
    'The last 50 commands of a device and the last of each kind, with their progress and the user who requested them; newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(Command)),
})

export const takeBackCommand = route({
  ...calls.takeBackCommand,
  summary:
    'Withdraws a command that was not sent yet, or dismisses one that was rejected or has expired. The caller must be allowed to request such a command.',
  body: z.strictObject({ tenant: TenantId, deviceId: DeviceId, commandId: Id }),
  reply: envelope(Command),
})
