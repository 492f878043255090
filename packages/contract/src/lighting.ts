import { z } from 'zod'
import { reasonLength, reasonMissing, resultChangeKinds } from '@caretaker/rules/lighting/decisions.ts'
import { componentStates, otherStates, testResults, testSeriesIds, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { evidenceEnds } from '@caretaker/rules/lighting/verdict.ts'
import { isWallTime } from '@caretaker/rules/lighting/plan.ts'
import { lightRunStates } from '@caretaker/rules/lighting/runs.ts'
import { commandStatuses } from '@caretaker/rules/commands/commands.ts'
import { ComponentStates, Dispute } from './equipment.ts'
import { Day, DeviceId, Id, TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/lighting.ts'

/** What a light measured during a test; only administrators are sent more than the first three. */
export const TestSeries = z
  .object({
    dataSeriesId: z.enum(testSeriesIds),
    label: z.string(),
    unit: z.string(),
    /** Whether it has the second axis, for those who see all series. */
    secondary: z.boolean(),
    series: z.array(z.object({ seconds: z.number(), value: z.number() })),
  })
  .meta({ id: 'TestSeries' })
export type TestSeries = z.infer<typeof TestSeries>

const result = { result: z.enum(testResults), reason: z.string(), componentStates: ComponentStates }

/** What a person has decided about the result of a test. */
export const ResultChange = z
  .object({
    kind: z.enum(resultChangeKinds),
    at: Timestamp,
    by: z.string(),
    /** In the person's own words; '' of a correction from before they were required. */
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
    /** V, as the label of its battery says; null where nobody has said it. */
    deviceBatteryVoltage: z.number().nullable(),
    deviceCurrentStatus: z.string(),
    buildingName: z.string().nullable(),
    testDate: Timestamp,
    testType: z.enum(testTypes),
    ...result,
    /** Seconds for which the lamp is known to have been lit; null where nothing measured it. */
    lasted: z.number().nullable(),
    /** Why the evidence ends there; null of function tests and of tests stored before it was kept. */
    evidenceEnd: z.enum(evidenceEnds).nullable(),
    /** The start by the clock of the light, where that clock was wrong: `testDate` is then the time of receipt. */
    reportedStart: Timestamp.nullable(),
    /** The result that the light reported; null where it reported none. */
    toldResult: z.enum(testResults).nullable(),
    /** Who corrected the result, when and why, and the verdict before; null without a correction. */
    corrected: z.object({ at: Timestamp, by: z.string(), reason: z.string(), was: z.object(result) }).nullable(),
    /** Who disputed the result, when and why, and the result that counts until an administrator has decided; null without a dispute. */
    disputed: Dispute.nullable(),
    /** All decisions of people about the result, the first one first. */
    changes: z.array(ResultChange),
    /** The corrections that the evidence rules out, with the reason; null where the series were not requested. */
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
  /** Looked for in the names and serial numbers of lights, and in where they are: building, floor, room. */
  text: text(100).pipe(z.string().trim()).optional(),
  buildingId: Id.optional(),
  /** The test group that the lights are in now. */
  groupId: Id.optional(),
}
const testFilter = {
  ...lightFilter,
  /** The first day and the last one, by the clocks of the client. */
  from: Day.optional(),
  to: Day.optional(),
  testType: z.enum(testTypes).optional(),
  result: z.enum(testResults).optional(),
  eventId: z.uuid().optional(),
  /** Only tests that were disputed and wait for a decision, or whose result was corrected. */
  decision: z.enum(['disputed', 'corrected']).optional(),
}
export const getAllTests = route({
  ...calls.getAllTests,
  summary:
    'The test results of all emergency lights of the client that the caller may see: a page of them, newest first unless another order is asked for. Orders other than by date are refused (400) while more than 10,000 tests match.',
  body: z.object({
    tenant: TenantId,
    ...testFilter,
    sort: z.enum(testSorts).default('testDate'),
    descending: z.boolean().default(true),
    /** The `next` of the page before. */
    after: z.string().max(6000).optional(),
    limit: z.number().int().min(1).max(500).default(100),
    /** Whether the measured series come along. */
    withSeries: z.boolean().default(true),
  }),
  reply: envelope(
    z.object({
      tests: z.array(EmergencyTest),
      /** Where the next page begins; null after the last. */
      next: z.string().nullable(),
      /** How many meet the filter, counted up to 10,001; asked for with the first page, null with others that are ordered by date. */
      total: z.number().nullable(),
    }),
  ),
})

export const exportAllTests = route({
  ...calls.exportAllTests,
  summary: 'All test results that meet a filter, as CSV, newest first.',
  body: z.object({ tenant: TenantId, ...testFilter }),
})

/** A test as it stands in a grid of months. */
const TestOfMonth = EmergencyTest.pick({ eventId: true, testDate: true, testType: true, result: true })

export const LightMonths = z.object({
  deviceId: z.string(),
  deviceName: z.string(),
  buildingName: z.string().nullable(),
  /** The tests of the year, the newest first. */
  tests: z.array(TestOfMonth),
})
export type LightMonths = z.infer<typeof LightMonths>

export const getTestMonths = route({
  ...calls.getTestMonths,
  internal: true,
  summary:
    'Emergency lights that the caller may see with their tests of one year, by the clocks of the client: a page of them, by name.',
  body: z.object({
    tenant: TenantId,
    ...lightFilter,
    testType: z.enum(testTypes).optional(),
    /** Only lights with a test of this result in the year, and only those tests. */
    result: z.enum(testResults).optional(),
    year: z.number().int().min(2000).max(2100),
    /** The `next` of the page before. */
    after: z.string().max(500).optional(),
    limit: z.number().int().min(1).max(100).default(50),
  }),
  reply: envelope(
    z.object({
      lights: z.array(LightMonths),
      /** Where the next page begins; null after the last. */
      next: z.string().nullable(),
      /** How many lights there are, as far as they are counted; asked for with the first page, null with others. */
      total: z.number().nullable(),
    }),
  ),
})

/** The lights with a test of one type that began in a month. */
export const TestsOfMonth = z
  .object({
    /** YYYY-MM, by the clocks of the client. */
    month: z.string(),
    testType: z.enum(testTypes),
    lights: z.number().int(),
    /** The worst result of the month, and how many lights have it. */
    worst: z.enum(testResults),
    worstLights: z.number().int(),
    /** The numbers of corrected results, and of disputed results that await an administrator's decision. */
    corrected: z.number().int(),
    disputed: z.number().int(),
  })
  .meta({ id: 'TestsOfMonth' })
export type TestsOfMonth = z.infer<typeof TestsOfMonth>

export const getTestOverview = route({
  ...calls.getTestOverview,
  summary:
    'For each month of a year, up to the one that is named, and each type of test: how many lights were tested and the worst result. Months without a test are left out.',
  body: z.object({
    tenant: TenantId,
    ...lightFilter,
    /** The last of the twelve months; the running one unless given. */
    until: z
      .string()
      .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month as YYYY-MM')
      .optional(),
  }),
  reply: envelope(z.object({ months: z.array(z.string()), cells: z.array(TestsOfMonth) })),
})

/** A state of a part as a form sends it. */
const FormState = z.enum(componentStates).optional()

export const updateTestResult = route({
  ...calls.updateTestResult,
  summary:
    'Corrects the result of a test: it follows from the states of the parts, unless another state is chosen. A reason in own words is required, and the evidence of the test is not contradicted. What was said before is kept beside it.',
  form: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    /** The newest test of the light without it. */
    eventId: z.uuid().optional(),
    /** So long that an index holds it, whatever the script. */
    reason: text(800).pipe(z.string().trim()).default(''),
    Battery: FormState,
    Inverter: FormState,
    Lamp: FormState,
    Emered: FormState,
    otherState: z.enum(otherStates).optional(),
  }),
  reply: envelope(EmergencyTest),
})

/** A reason as a person gives it. */
const OwnReason = text(reasonLength)
  .pipe(z.string().trim())
  .refine((reason) => /[\p{L}\p{N}]/u.test(reason), reasonMissing)

export const disputeTestResult = route({
  ...calls.disputeTestResult,
  summary:
    'Disputes a failed or degraded result of a light with a reason. The result awaits review, and the light counts as before until an administrator has decided.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, eventId: z.uuid(), reason: OwnReason }),
  reply: envelope(EmergencyTest),
})

export const decideTestDispute = route({
  ...calls.decideTestDispute,
  summary: 'Decides a disputed result with a reason: it is kept as it was, or changed to Indeterminate.',
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
    /** How far it has come with the light; planned until the run begins. */
    state: z.enum(['planned', ...lightRunStates]),
    reason: z.string().nullable(),
    endedAt: Timestamp.nullable(),
    /** When the light is tested in place of a yearly test that it missed; null where it is not. */
    again: Timestamp.nullable(),
  })
  .meta({ id: 'LightRun' })
export type LightRun = z.infer<typeof LightRun>

export const getDeviceTestRuns = route({
  ...calls.getDeviceTestRuns,
  summary:
    'The planned tests of one emergency light that have no result: those to come or under way, and those that were missed, not started or interrupted with the reason; newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(LightRun)),
})

/** A start by the clocks of the client: 'YYYY-MM-DDTHH:mm'. */
export const PlannedStart = z.string().refine(isWallTime, 'must be a time as YYYY-MM-DDTHH:MM')

export const runTest = route({
  ...calls.runTest,
  summary:
    'Plans a test of one emergency light: now, or at a time by the clocks of the client. It replaces the one that was planned for this light alone before. A 1-hour or 3-hour test needs 24 h of charge, and one by day has to be confirmed.',
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
    'Sends one emergency light the command to stop the test that it has begun; 409 where none is running. Its result is then Indeterminate: ended by a person.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.object({ commandId: z.string() })),
})

export const withdrawTest = route({
  ...calls.withdrawTest,
  summary: 'Withdraws the test that is planned for one emergency light alone, as long as it has not begun.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId, runId: Id }),
  reply: envelope(z.object({ runId: z.string() })),
})

const TestNight = z.object({
  startsAt: Timestamp,
  /** The test that takes it; null of a free night. */
  taken: z.object({ testType: z.enum(testTypes), startsAt: Timestamp }).nullable(),
})

export const getTestNights = route({
  ...calls.getTestNights,
  summary:
    'The nights in which one emergency light can have a 3-hour test, from when its battery has charged for 24 h; also after a repair that is about to be recorded.',
  body: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    /** When a new battery begins to charge: a day, its time, and a later day on which it was fitted. */
    batteryOn: Day.optional(),
    batteryTime: z.string().max(5).optional(),
    batteryFittedOn: Day.optional(),
  }),
  reply: envelope(
    z.object({
      nights: z.array(TestNight),
      /** From when the battery has its charge; null where nothing is known to have emptied it. */
      chargedAt: Timestamp.nullable(),
      /** The test that is planned for this light alone; null where none is. */
      planned: z.object({ runId: z.string(), testType: z.enum(testTypes), startsAt: Timestamp }).nullable(),
    }),
  ),
})

export const runT0Test = route({
  ...calls.runT0Test,
  summary: 'Stores a flick test for one emergency light and sends it to the device.',
  /** `bulkActionId` makes it a part of a bulk action that the page began. */
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
    /** Who asked for it; null when the server itself did. */
    requestedBy: z.string().nullable(),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    answeredAt: Timestamp.nullable(),
    expiresAt: Timestamp,
    /** Since when, and by whom, it is no longer wanted: withdrawn before it was sent, or given up after it came to nothing. */
    takenBackAt: Timestamp.nullable(),
    takenBackBy: z.string().nullable(),
    /** What the device answered, then, to a command that had expired or was withdrawn. */
    lateAnswer: z.enum(['confirmed', 'failed']).nullable(),
    /** Of a test: whether the light has told of one of its type since it was sent; null for other commands. */
    toldTest: z.boolean().nullable(),
  })
  .meta({ id: 'Command' })
export type Command = z.infer<typeof Command>

export const getDeviceCommands = route({
  ...calls.getDeviceCommands,
  summary:
    'The last 50 commands of a device, and of each kind the last, with how far each has come and who asked for it; newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(Command)),
})

export const takeBackCommand = route({
  ...calls.takeBackCommand,
  summary:
    'Takes back a command that one may ask for: one that was not sent yet is withdrawn, one that was refused or has expired is no longer wanted.',
  body: z.strictObject({ tenant: TenantId, deviceId: DeviceId, commandId: Id }),
  reply: envelope(Command),
})
