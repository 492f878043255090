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

/** Most lights of one group. */
export const mostLights = 5000

/** By the clocks of the tenant, 'YYYY-MM-DDTHH:mm', or an instant. */
const tooLate = 'must be before the year 2100'
const Start = z.union([
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:00)?$/)
    .meta({ examples: ['2026-11-30T22:00'] })
    .refine((wall) => wall < '2100', tooLate)
    .transform((wall) => wall.slice(0, 16)),
  Instant.refine((at) => +at < Date.UTC(2099, 11, 31), tooLate),
])
const Lights = z.array(DeviceId).max(mostLights)
const Asked = z.array(z.enum(askedTypes)).max(askedTypes.length)
const Count = z.number().int().min(0)
const Duration = z.number().int().min(0)
/** One that is empty is refused in the words of the specification. */
const GroupName = line(groupNameLength).default('')

const Confirmation = z
  .object({
    reason: line(startReasonLength).refine((reason) => reason !== '', 'is required'),
    /** The responsible person has agreed. */
    agreed: z.literal(true),
  })
  .optional()

export const Group = z
  .object({
    groupId: z.string(),
    groupName: z.string(),
    /** Its id. */
    building: z.string(),
    buildingName: z.string(),
    /** By the clocks of the tenant: 'YYYY-MM-DDTHH:mm'. */
    t180StartDate: z.string(),
    /** Tests that it asks for besides T0 and T180. */
    alsoTypes: z.array(z.enum(testTypes)),
    deviceIds: z.array(z.string()),
    /** Sent back with a change, it says which group one has seen. */
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
    /** The next test of each type, the soonest first. */
    next: z.array(Next),
    /** The last T180, where lights of the group missed it and have had none since: when it was, and how many. */
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
    /** When a group of them could begin instead, by the clocks of the tenant; null where one group holds all lights. */
    move: z.object({ groupName: z.string(), t180StartDate: z.string() }).nullable(),
  })
  .meta({ id: 'DarkNight' })
export type DarkNight = z.infer<typeof DarkNight>

export const getEmeredGroups = route({
  ...calls.getEmeredGroups,
  summary:
    'The groups of emergency lights by name, with how their lights fare and what is tested next, and the nights in which groups would test all lights of a building.',
  body: inTenant,
  reply: envelope(
    z.object({
      groups: z.array(GroupRow),
      collisions: z.array(DarkNight),
      /** Emergency lights that hang somewhere and are in no group: no group plans their tests. */
      ungrouped: Count,
      /** The current hour by the clocks of the tenant: where the T180 of a new group begins. */
      hour: z.string(),
    }),
  ),
})

/** A test of a group, planned or past. */
export const ScheduleEntry = z
  .object({
    testDate: Timestamp,
    /** In minutes; shown as T and the duration. */
    duration: Duration,
    /** Whether every light has confirmed that it has begun. */
    isSynced: z.boolean(),
    testType: z.enum(testTypes),
    groupId: z.string(),
    groupName: z.string(),
    building: z.string(),
    state: z.enum(runStates),
    outcome: z.enum(runOutcomes),
    /** How many lights it was, or would be, of. */
    lights: Count,
    passed: Count,
    degraded: Count,
    failed: Count,
    missed: Count,
    /** When the lights that missed a yearly test are tested in its place; null where none is, or none is planned. */
    again: Timestamp.nullable(),
    /** When the test began that it repeats, for the lights that missed that one; null where it repeats none. */
    repeats: Timestamp.nullable(),
  })
  .meta({ id: 'ScheduleEntry' })
export type ScheduleEntry = z.infer<typeof ScheduleEntry>

export const getTenantEmeredTestShedules = route({
  ...calls.getTenantEmeredTestShedules,
  summary:
    'The test schedules of all groups with lights of these types, or of one group; from now on for a year unless a time is given.',
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
    'The group of an emergency light, what is tested of it next, and the tests of groups that it took part in; of a gateway or an extender the tests of the lights that are connected through it, without a group. Only lights that the person may see count.',
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

export const GroupInFull = z
  .object({
    ...Group.shape,
    members: z.array(GroupLight),
    /** Of their newest T180 each: how many passed, and of how many there is one. */
    lastT180: z.object({ passed: Count, of: Count }),
    /** Lights by the part of them that is failed at present. */
    failedParts: z.partialRecord(z.enum(components), Count),
    connected: Count,
    withoutT180: Count,
    /** Its tests that are running, with the lights that have still to finish them. */
    running: z.array(RunningTest.extend({ lights: Count })),
  })
  .meta({ id: 'GroupInFull' })
export type GroupInFull = z.infer<typeof GroupInFull>

export const getEmeredGroup = route({
  ...calls.getEmeredGroup,
  summary: 'One group of emergency lights: its lights by floor and how they fare.',
  body: z.object({ tenant: TenantId, groupName: line(groupNameLength) }),
  reply: envelope(GroupInFull),
})

/** An emergency light as a group's dialog shows it. */
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
    /** Null where it is in none, or the caller may not see groups. */
    groupName: z.string().nullable(),
  })
  .meta({ id: 'TenantEmered' })
export type TenantEmered = z.infer<typeof TenantEmered>

export const getTenantEmereds = route({
  ...calls.getTenantEmereds,
  summary: 'The emergency lights of the client, by name; those of one building where it is given.',
  body: z.object({ tenant: TenantId, building: text(64).optional() }),
  reply: envelope(z.array(TenantEmered)),
})

export const StartAnswer = z.object({
  /** What is wrong with the start; null when nothing is. */
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
  /** The tests of the group in the twelve months from now, and to its T180 where that is later. */
  runs: z.array(Next),
  /** The T180 that is asked about: the start, or where that is past its next anniversary. */
  t180: z.object({ from: Timestamp, to: Timestamp }).nullable(),
  night: DarkNight.nullable(),
  /** Where the clocks skip the start: the sentence that says when the test starts instead. */
  moved: z.string().nullable(),
  /** What has to be confirmed before this start is saved; null where nothing has. */
  question: z
    .object({
      /** Within four hours, or in the current one. */
      isSoon: z.boolean(),
      isByDay: z.boolean(),
      lights: Count,
      from: Timestamp,
      to: Timestamp,
      /** When the batteries are charged again. */
      chargedBy: Timestamp,
      title: z.string(),
      text: z.string(),
      floors: z.array(z.object({ floorName: z.string(), lights: Count })),
      /** Lights with less than 24 hours of charge by then: the test leaves them out. */
      charging: z.array(z.object({ deviceId: z.string(), deviceName: z.string(), until: Timestamp })),
    })
    .nullable(),
  /** The coming 14 nights at 02:00 by the clocks of the tenant, with what takes them. */
  nights: z.array(
    z.object({
      t180StartDate: z.string(),
      from: Timestamp,
      isFree: z.boolean(),
      taken: z.array(z.object({ groupName: z.string(), testType: z.enum(testTypes), lights: Count })),
      charging: Count,
      /** Whether the building would be left without a charged light. */
      isDark: z.boolean(),
    }),
  ),
  /** The first free one of the next 60, by the clocks of the tenant. */
  freeNight: z.string().nullable(),
  /** By the clocks of the tenant. */
  freeStarts: z.array(z.string()),
})
export type StartAnswer = z.infer<typeof StartAnswer>

export const getConflictingTestSchedules = route({
  ...calls.getConflictingTestSchedules,
  summary:
    'What a group would run into with a start: scheduled tests of its lights that overlap the 180 minutes from it, and a night in which all lights of its building would be tested. Tells also when the group would be tested and which starts are free.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    building: text(64).optional(),
    t180StartDate: Start,
    deviceIds: Lights.default([]),
    alsoTypes: Asked.default([]),
    /** Tells of every light of the building that would be in conflict, not only of those of the group. */
    ofBuilding: z.boolean().default(false),
  }),
  limit: 1_048_576,
  reply: envelope(StartAnswer),
})

export const addEmeredGroup = route({
  ...calls.addEmeredGroup,
  summary:
    'Makes a group of emergency lights of a building, and plans its tests. Lights that are in another group leave it.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    building: text(64).default(''),
    t180StartDate: Start,
    deviceIds: Lights,
    alsoTypes: Asked.default([]),
    /** Required where the T180 starts by day or within four hours. */
    confirmation: Confirmation,
  }),
  limit: 1_048_576,
  reply: envelope(Group),
})

export const updateEmeredGroup = route({
  ...calls.updateEmeredGroup,
  summary: 'Gives a group another start and other lights, and plans the tests that have not begun yet anew.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    t180StartDate: Start,
    deviceIds: Lights,
    /** As they are where they are not given. */
    alsoTypes: Asked.optional(),
    /** The version that was seen: somebody else's change meanwhile is refused with 409. */
    version: Version.optional(),
    /** Required where the T180 is moved to the day or to the next four hours, or lights join a group whose T180 starts within them. */
    confirmation: Confirmation,
    /** Stops the test of the group that is running; without it lights that have received it finish it. */
    stopTest: z.boolean().optional(),
  }),
  limit: 1_048_576,
  reply: envelope(Group),
})

export const deleteEmeredGroup = route({
  ...calls.deleteEmeredGroup,
  summary:
    'Deletes a group and the tests that were planned for it, and takes back the commands of its running test that were not sent yet; what was tested stays.',
  body: z.object({
    tenant: TenantId,
    groupName: GroupName,
    /** Stops the test of the group that is running; without it lights that have received it finish it. */
    stopTest: z.boolean().optional(),
  }),
  reply: envelope(
    z.object({
      groupName: z.string(),
      /** Lights whose test was taken back before it was sent, and lights that were sent a command to stop. */
      takenBack: Count,
      stopped: Count,
    }),
  ),
})
