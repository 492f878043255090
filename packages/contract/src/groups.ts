import { z } from 'zod'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { groupNameLength, startReasonLength } from '@caretaker/rules/lighting/groups.ts'
import { askedTypes } from '@caretaker/rules/lighting/plan.ts'
import { runOutcomes } from '@caretaker/rules/lighting/run-outcome.ts'
import { runStates } from '@caretaker/rules/lighting/runs.ts'
import { components, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { RunningTest } from './equipment.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { DeviceId, inTenant, Instant, line, TenantId, text, Timestamp, Version } from './scalars.ts'
import * as calls from './calls/groups.ts'

/** The most lights in one group. */
export const mostLights = 5000

const tooLate = 'must be before the year 2100'
const Start = z.union([
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:00)?$/)
    .meta({ examples: ['2026-11-30T22:00'] })
    .refine((localTime) => localTime < '2100', tooLate)
    .transform((localTime) => localTime.slice(0, 16)),
  Instant.refine((at) => +at < Date.UTC(2099, 11, 31), tooLate),
])
const Lights = z.array(DeviceId).max(mostLights)
const ExtraTypes = z.array(z.enum(askedTypes)).max(askedTypes.length)
const Count = z.number().int().min(0)
const Duration = z.number().int().min(0)
/** An empty name is rejected with the message of the specification. */
const GroupName = line(groupNameLength).default('')

const Confirmation = z
  .object({
    reason: line(startReasonLength).refine((reason) => reason !== '', 'is required'),
    /** Confirms that the responsible person has agreed. */
    agreed: z.literal(true),
  })
  .optional()

export const Group = z
  .object({
    groupId: z.string(),
    groupName: z.string(),
    /** The id of the building. */
    building: z.string(),
    buildingName: z.string(),
    /** In the time zone of the tenant: 'YYYY-MM-DDTHH:mm'. */
    t180StartDate: z.string(),
    /** Test types of the group in addition to T0 and T180. */
    alsoTypes: z.array(z.enum(testTypes)),
    deviceIds: z.array(z.string()),
    /** Send it with a change, so that a change by someone else is detected. */
    version: z.number().int(),
  })
  .meta({ id: 'Group' })
export type Group = z.infer<typeof Group>

const Next = z.object({ testDate: Timestamp, duration: Duration, testType: z.enum(testTypes) })

export const GroupRow = z
  .object({
    ...Group.omit({ deviceIds: true }).shape,
    address: z.string(),
    lights: Count,
    passed: Count,
    warning: Count,
    failed: Count,
    /** The next test of each type, soonest first. */
    next: z.array(Next),
    /**
     * The last T180, if lights of the group missed it and have had none since: its date and the number of those lights.
     */
    missed: z.object({ testDate: Timestamp, lights: Count }).nullable(),
  })
  .meta({ id: 'GroupRow' })
export type GroupRow = z.infer<typeof GroupRow>

/** T180 tests, of one group or several, that leave no light of a building with a charged battery. */
export const DarkNight = z
  .object({
    building: z.string(),
    buildingName: z.string(),
    lights: Count,
    runs: z.array(z.object({ groupId: z.string(), groupName: z.string(), testDate: Timestamp, lights: Count })),
    /**
     * A start at which one of the groups would not collide, in the time zone of the tenant; null when one group
     * contains all lights.
     */
    move: z.object({ groupName: z.string(), t180StartDate: z.string() }).nullable(),
  })
  .meta({ id: 'DarkNight' })
export type DarkNight = z.infer<typeof DarkNight>

export const getEmeredGroups = route({
  ...calls.getEmeredGroups,
  summary:
    'The groups of emergency lights by name, with the state of their lights and their next tests, and the nights in which groups would test all lights of a building.',
  body: inTenant,
  reply: envelope(
    z.object({
      groups: z.array(GroupRow),
      collisions: z.array(DarkNight),
      /** Installed emergency lights without a group, whose tests are not scheduled by a group. */
      ungrouped: Count,
      /** The current hour in the time zone of the tenant: the default T180 start of a new group. */
      hour: z.string(),
    }),
  ),
})

/** A planned or past test of a group. */
export const ScheduleEntry = z
  .object({
    testDate: Timestamp,
    /** In minutes; displayed as T and the duration. */
    duration: Duration,
    /** Whether every light has confirmed that it started. */
    isSynced: z.boolean(),
    testType: z.enum(testTypes),
    groupId: z.string(),
    groupName: z.string(),
    building: z.string(),
    state: z.enum(runStates),
    outcome: z.enum(runOutcomes),
    /** The number of lights that were tested or will be. */
    lights: Count,
    passed: Count,
    degraded: Count,
    failed: Count,
    missed: Count,
    /**
     * When the lights that missed a yearly test are tested again; null when there are none, or when no repeat is
     * planned.
     */
    again: Timestamp.nullable(),
    /** The start of the missed test that this one repeats; null when it repeats none. */
    repeats: Timestamp.nullable(),
  })
  .meta({ id: 'ScheduleEntry' })
export type ScheduleEntry = z.infer<typeof ScheduleEntry>

export const getTenantEmeredTestShedules = route({
  ...calls.getTenantEmeredTestShedules,
  summary:
    'The scheduled tests of all groups with lights of these types, or of one group: the coming year unless a range is given.',
  body: z.object({
    tenant: TenantId,
    deviceTypes: z.array(z.enum(productCodes)).optional(),
    groupName: line(groupNameLength).optional(),
    from: Instant.optional(),
    to: Instant.optional(),
  }),
  reply: envelope(z.array(ScheduleEntry)),
})

export const getDeviceTestSchedule = route({
  ...calls.getDeviceTestSchedule,
  summary:
    'The group, next tests and past group tests of an emergency light. For a gateway or extender, `group` is null and the tests are those of the lights connected through it. Only lights that the user may see are included.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(
    z.object({
      group: z.object({ groupName: z.string(), lights: Count }).nullable(),
      next: z.array(ScheduleEntry),
      past: z.array(ScheduleEntry.extend({ reason: z.string().nullable() })),
    }),
  ),
})

const GroupLight = z.object({
  deviceId: z.string(),
  deviceName: z.string(),
  deviceStatus: z.enum(deviceStatuses),
  floor: z.string().nullable(),
  floorNumber: z.number().int().nullable(),
})

export const GroupDetails = z
  .object({
    ...Group.shape,
    members: z.array(GroupLight),
    /** How many lights passed their latest T180, and how many have had one. */
    lastT180: z.object({ passed: Count, of: Count }),
    /** The number of lights by failed part. */
    failedParts: z.partialRecord(z.enum(components), Count),
    connected: Count,
    withoutT180: Count,
    /** The running tests, with the number of lights that have not finished. */
    running: z.array(RunningTest.extend({ lights: Count })),
  })
  .meta({ id: 'GroupDetails' })
export type GroupDetails = z.infer<typeof GroupDetails>

export const getEmeredGroup = route({
  ...calls.getEmeredGroup,
  hasVersion: true,
  summary: 'One group of emergency lights: its lights by floor, and their state.',
  body: z.object({ tenant: TenantId, groupName: line(groupNameLength) }),
  reply: envelope(GroupDetails),
})

/** An emergency light as the group dialog shows it. */
export const TenantEmered = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    deviceProductId: z.enum(productCodes),
    serialNumber: z.string(),
    deviceStatus: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    building: z.string().nullable(),
    buildingName: z.string().nullable(),
    floor: z.string().nullable(),
    floorName: z.string().nullable(),
    floorNumber: z.number().int().nullable(),
    room: z.string().nullable(),
    lat: z.number().nullable(),
    lng: z.number().nullable(),
    /** Null when it is in none, or when the caller may not see groups. */
    groupName: z.string().nullable(),
  })
  .meta({ id: 'TenantEmered' })
export type TenantEmered = z.infer<typeof TenantEmered>

export const getTenantEmereds = route({
  ...calls.getTenantEmereds,
  summary: 'The emergency lights of the client, by name; optionally of one building.',
  body: z.object({ tenant: TenantId, building: text(64).optional() }),
  reply: envelope(z.array(TenantEmered)),
})

export const StartCheck = z.object({
  /** Why the start is invalid; null when it is valid. */
  fault: z.string().nullable(),
  conflicts: z.array(
    z.object({
      deviceId: z.string(),
      groupName: z.string(),
      testDate: Timestamp,
      duration: Duration,
      testType: z.enum(testTypes),
    }),
  ),
  /** The tests of the group in the next twelve months, or up to its T180 if that is later. */
  runs: z.array(Next),
  /** The requested T180: at the start, or at its next anniversary if the start is in the past. */
  t180: z.object({ from: Timestamp, to: Timestamp }).nullable(),
  night: DarkNight.nullable(),
  /** When the start falls into the hour that daylight saving skips: a sentence with the actual start time. */
  moved: z.string().nullable(),
  /** The facts that the user has to confirm before this start is saved; null if there are none. */
  question: z
    .object({
      /** Within the next four hours, or in the current hour. */
      isSoon: z.boolean(),
      isByDay: z.boolean(),
      lights: Count,
      from: Timestamp,
      to: Timestamp,
      /** When the batteries will be charged again. */
      chargedBy: Timestamp,
      title: z.string(),
      text: z.string(),
      floors: z.array(z.object({ floorName: z.string(), lights: Count })),
      /** Lights with less than 24 hours of charge by then, which the test skips. */
      charging: z.array(z.object({ deviceId: z.string(), deviceName: z.string(), until: Timestamp })),
    })
    .nullable(),
  /** The coming 14 nights at 02:00 in the time zone of the tenant, with the tests planned for each. */
  nights: z.array(
    z.object({
      t180StartDate: z.string(),
      from: Timestamp,
      isFree: z.boolean(),
      taken: z.array(z.object({ groupName: z.string(), testType: z.enum(testTypes), lights: Count })),
      charging: Count,
      /** Whether a test on this night would leave the building without a charged light. */
      isDark: z.boolean(),
    }),
  ),
  /** The first free night among the next 60, in the time zone of the tenant. */
  freeNight: z.string().nullable(),
  /** In the time zone of the tenant. */
  freeStarts: z.array(z.string()),
})
export type StartCheck = z.infer<typeof StartCheck>

export const getConflictingTestSchedules = route({
  ...calls.getConflictingTestSchedules,
  summary:
    'The conflicts of a start time for a group: scheduled tests of its lights that overlap the 180 minutes from the start, and a night in which all lights of the building would be tested. Also returns the resulting test dates and the free start times.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    building: text(64).optional(),
    t180StartDate: Start,
    deviceIds: Lights.default([]),
    alsoTypes: ExtraTypes.default([]),
    /** Includes the conflicts of all lights in the building, not only the group's. */
    ofBuilding: z.boolean().default(false),
  }),
  limit: 1_048_576,
  reply: envelope(StartCheck),
})

export const addEmeredGroup = route({
  ...calls.addEmeredGroup,
  summary:
    'Creates a group of emergency lights in a building and schedules its tests. Lights in another group are moved to this one.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    building: text(64).default(''),
    t180StartDate: Start,
    deviceIds: Lights,
    alsoTypes: ExtraTypes.default([]),
    /** Required when the T180 starts in daytime or within four hours. */
    confirmation: Confirmation,
  }),
  limit: 1_048_576,
  reply: envelope(Group),
})

export const updateEmeredGroup = route({
  ...calls.updateEmeredGroup,
  hasVersion: true,
  summary: 'Changes the start and the lights of a group, and reschedules the tests that have not begun.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    t180StartDate: Start,
    deviceIds: Lights,
    /** Unchanged when absent. */
    alsoTypes: ExtraTypes.optional(),
    /**
     * The version that the change is based on: if someone else has changed the group since, the call is rejected with
     * 409.
     */
    version: Version.optional(),
    /**
     * Required when the T180 moves to daytime or to within four hours, or when lights join a group whose T180 starts
     * within four hours.
     */
    confirmation: Confirmation,
    /** Stops the running test of the group. Otherwise lights that have received the command finish the test. */
    stopTest: z.boolean().optional(),
  }),
  limit: 1_048_576,
  reply: envelope(Group),
})

export const deleteEmeredGroup = route({
  ...calls.deleteEmeredGroup,
  summary:
    'Deletes a group with its scheduled tests, and withdraws the unsent commands of its running test. Test results are kept.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    /** Stops the running test of the group. Otherwise lights that have received the command finish the test. */
    stopTest: z.boolean().optional(),
  }),
  reply: envelope(
    z.object({
      groupName: z.string(),
      /**
       * The number of lights whose command was withdrawn before it was sent, and of lights that were sent a stop
       * command.
       */
      withdrawn: Count,
      stopped: Count,
    }),
  ),
})
