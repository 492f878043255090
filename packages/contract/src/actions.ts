import { z } from 'zod'
import { bulkActions, bulkAtOnce, bulkTags as mostTags, watchedLimit } from '@caretaker/rules/actions/actions.ts'
import { bulkSubjects, homeActions, longestArchiveReason, runActions } from '@caretaker/rules/actions/home-actions.ts'
import { settableKinds } from '@caretaker/rules/conditions/conditions.ts'
import { commandAnswers } from '@caretaker/rules/commands/answers.ts'
import { DeviceSelection } from './devices.ts'
import { PropertySelection } from './property-selection.ts'
import { Day, DeviceId, Id, TenantId, Timestamp, inTenant, line, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Tag } from './tags.ts'
import type { Call } from './call.ts'
import * as calls from './calls/actions.ts'

const oneDevice = z.strictObject({ tenant: TenantId, deviceId: DeviceId })
const AccessRights = z.object({ id: z.string(), displayName: z.string() }).nullable()

/** Tags of one device. */
export const DeviceTags = z.object({ tags: z.array(Tag), accessRightsTag: AccessRights }).meta({ id: 'DeviceTags' })

export const getDeviceTags = route({
  ...calls.getDeviceTags,
  summary: 'The tags and the access rights tag of a device.',
  body: oneDevice,
  reply: envelope(DeviceTags),
})
export const addTagToDevice = route({
  ...calls.addTagToDevice,
  summary: 'Adds a tag to a device.',
  body: oneDevice.extend({ tagId: Id }),
  reply: envelope(DeviceTags),
})
export const updateDeviceTags = route({
  ...calls.updateDeviceTags,
  summary: 'Replaces the tags of a device.',
  body: oneDevice.extend({ tagIds: z.array(Id).max(100) }),
  reply: envelope(DeviceTags),
})
export const removeTagFromDevice = route({
  ...calls.removeTagFromDevice,
  summary: 'Takes a tag off a device.',
  body: oneDevice.extend({ tagId: Id }),
  reply: envelope(DeviceTags),
})

export const setDeviceAccessRightsTags = route({
  ...calls.setDeviceAccessRightsTags,
  summary: 'Sets the access rights tag of a device from a list of at most one; an empty list removes it.',
  params: z.object({ tenant: TenantId, deviceId: DeviceId }),
  body: z.strictObject({
    accessRightsTags: z.array(z.strictObject({ id: Id })).max(1),
    /** Makes it a part of a bulk action that the page began. */
    bulkActionId: Id.optional(),
  }),
  reply: DeviceTags,
})

/** A command that was stored for a device and waits for the device to confirm it. */
const Queued = z.object({ status: z.enum(['queued', 'failed']), commandId: z.string() })

const commandTo = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({ ...call, summary, body: oneDevice, reply: envelope(Queued) })

export const emeredJoinNetwork = commandTo(calls.emeredJoinNetwork, 'Joins an emergency light to the network.')
export const emeredLeaveNetwork = commandTo(calls.emeredLeaveNetwork, 'Makes an emergency light leave the network.')
export const repeaterJoinNetwork = commandTo(calls.repeaterJoinNetwork, 'Joins a repeater to the network.')
export const repeaterLeaveNetwork = commandTo(calls.repeaterLeaveNetwork, 'Makes a repeater leave the network.')

const reset = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    summary,
    body: oneDevice.extend({ serialNumber: text(64).optional() }),
    reply: envelope(Queued),
  })
export const boilerReset = reset(
  calls.boilerReset,
  'Clears the lockout of a boiler, where it says that it can be reset.',
)
export const autofillReset = reset(
  calls.autofillReset,
  'Clears the failure of an autofill that is not below a home hub.',
)
/** One call for whichever lockout the device has, beside the two that the portal sends (devices gaps B12). */
export const resetDevice = reset(calls.resetDevice, 'Resets whichever lockout the device has.')

export const removeDevice = route({
  ...calls.removeDevice,
  summary:
    'Uninstalls a device: it returns to inventory, its data is permanently removed, and its messages are refused until it is installed again.',
  body: oneDevice,
  reply: envelope(z.object({ deviceId: z.string() })),
})

export const installDevice = route({
  ...calls.installDevice,
  summary:
    'Installs a device that is not in service: its status is Installed until it is heard, and a light tested. One that was uninstalled may connect with its key again.',
  body: oneDevice,
  reply: envelope(z.object({ deviceId: z.string() })),
})

/** How one device of a bulk action fared. */
export const bulkStates = ['waiting', 'done', 'failed'] as const
export const BulkResult = z
  .object({
    deviceId: z.string(),
    state: z.enum(bulkStates),
    /** Why it failed, or what was done where that needs saying. */
    message: z.string().nullable(),
  })
  .meta({ id: 'BulkResult' })
export type BulkResult = z.infer<typeof BulkResult>

export const BulkRun = z
  .object({
    bulkActionId: z.string(),
    /** What it is done to. */
    subject: z.enum(bulkSubjects),
    action: z.enum(runActions),
    /** What was added or removed, in words. */
    names: z.array(z.string()),
    startedBy: z.string(),
    startedAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    /** Whether it can still be taken back: tag changes that were not yet. */
    canUndo: z.boolean(),
    undone: z.boolean(),
  })
  .meta({ id: 'BulkRun' })
export type BulkRun = z.infer<typeof BulkRun>

const BulkOutcome = z.object({ bulkActionId: z.string(), results: z.array(BulkResult) })
const DeviceIds = z.array(DeviceId).min(1).max(bulkAtOnce)
const manyDevices = 8 * 1024 * 1024
/** The bulk action that a call goes on with: a selection sent in parts is one action, to look up and to undo. */
const GoesOn = Id.optional()

const bulk = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    summary: `${summary} At most ${bulkAtOnce} devices; more are started as a job by StartBulkAction.`,
    body: z.strictObject({ tenant: TenantId, deviceIds: DeviceIds, bulkActionId: GoesOn }),
    reply: envelope(BulkOutcome),
    limit: 1024 * 1024,
  })
const bulkTags = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    summary: `${summary} Answers for each device.`,
    body: z.strictObject({
      tenant: TenantId,
      deviceIds: DeviceIds,
      tags: z.array(Id).min(1).max(mostTags),
      bulkActionId: GoesOn,
    }),
    reply: envelope(BulkOutcome),
    limit: 1024 * 1024,
  })

export const bulkAddTags = bulkTags(calls.bulkAddTags, 'Adds tags to devices.')
export const bulkRemoveTags = bulkTags(calls.bulkRemoveTags, 'Takes tags off devices.')
export const bulkJoinNetwork = bulk(calls.bulkJoinNetwork, 'Joins devices to the network.')
export const bulkLeaveNetwork = bulk(calls.bulkLeaveNetwork, 'Makes devices leave the network.')
export const bulkUninstall = bulk(calls.bulkUninstall, 'Uninstalls devices.')

/** What an action gives to emergency lights; each takes its own, and no other. */
const LightSettings = z.strictObject({
  buildingId: Id.optional(),
  /** A floor of that building; null or none: on no floor. */
  floorId: Id.nullable().optional(),
  /** A standard luminaire: the lights get all six of its fields. */
  luminaireId: Id.optional(),
  /** The day on which the batteries were fitted. */
  batteryDay: Day.optional(),
  condition: z.enum(settableKinds).optional(),
  /** Why the lights have the status. */
  reason: line(200).optional(),
  /** The last day of the status. */
  until: Day.optional(),
  groupId: Id.optional(),
})

/** What a selection of devices comes to. */
export const SelectionPreview = z.object({
  /** Devices that the person may change: the ones that an action is for. */
  total: z.number().int(),
  /** Devices that they may read, but not change: left out of every action. */
  readOnly: z.number().int(),
  /** What the person is offered with these devices, in the order of the bar. */
  actions: z.array(
    z.object({
      action: z.enum(bulkActions),
      /** Of the total: devices that it would be done to. */
      suitable: z.number().int(),
      /** Why it cannot be done with this selection; null when it can. */
      reason: z.string().nullable(),
    }),
  ),
})
export type SelectionPreview = z.infer<typeof SelectionPreview>

export const previewSelection = route({
  ...calls.previewSelection,
  summary: 'How many devices are selected, and what the person can do with all of them at once.',
  body: z.strictObject({ tenant: TenantId, selection: DeviceSelection }),
  reply: envelope(SelectionPreview),
  limit: manyDevices,
})

/** What a selection of homes comes to. */
export const PropertySelectionPreview = z.object({
  total: z.number().int(),
  /** Homes with devices, which cannot be archived. */
  occupied: z.number().int(),
  /** Homes without devices that have an open case of Awaab's Law, which cannot be archived either. */
  openCases: z.number().int(),
  /** Devices in the homes that the person may change. */
  devices: z.number().int(),
  actions: z.array(
    z.object({
      action: z.enum([...homeActions, 'add tags', 'remove tags']),
      /** Of the homes, or for tags of the devices in them: how many it would be done to. */
      suitable: z.number().int(),
      /** Why it cannot be done with this selection; null when it can. */
      reason: z.string().nullable(),
    }),
  ),
})
export type PropertySelectionPreview = z.infer<typeof PropertySelectionPreview>

export const previewPropertySelection = route({
  ...calls.previewPropertySelection,
  summary: 'How many homes are selected, and what the person can do with all of them at once.',
  body: z.strictObject({ tenant: TenantId, selection: PropertySelection }),
  reply: envelope(PropertySelectionPreview),
  limit: manyDevices,
})

export const startPropertyBulkAction = route({
  ...calls.startPropertyBulkAction,
  summary:
    'Starts a bulk action on homes as a job: archives them, or sets or removes their access rights tag. The tags of their devices are changed by StartBulkAction.',
  body: z.strictObject({
    tenant: TenantId,
    action: z.enum(homeActions),
    selection: PropertySelection,
    accessRightsTagId: Id.optional(),
    /** Why the homes are archived; required for that. */
    reason: line(longestArchiveReason).pipe(z.string().min(1, 'Reason is required')).optional(),
    /** Leaves out homes that cannot be archived as they are. */
    suitableOnly: z.boolean().default(false),
  }),
  reply: envelope(BulkRun),
  limit: manyDevices,
})

export const getSelectionTags = route({
  ...calls.getSelectionTags,
  internal: true,
  summary: 'The tags that devices of a selection carry which one may change, and how many carry each.',
  body: z.strictObject({ tenant: TenantId, selection: DeviceSelection }),
  reply: envelope(z.array(Tag.extend({ devices: z.number().int() }))),
  limit: manyDevices,
})

export const startBulkAction = route({
  ...calls.startBulkAction,
  summary:
    'Starts any bulk action as a job that goes on when the page is closed or the server restarts; on all devices of a listing by sending what the listing was asked for.',
  body: z.strictObject({
    tenant: TenantId,
    action: z.enum(bulkActions),
    selection: DeviceSelection,
    /** Tags to add or remove; for access rights tags at most one, and none when removing. */
    tags: z.array(Id).max(mostTags).default([]),
    settings: LightSettings.default({}),
    /**
     * The page does the devices itself, at most 200, by the calls for one or for some, each of which names this action; a
     * worker goes on with those that are left when the page falls silent.
     */
    watched: z.boolean().default(false),
    /** Leaves out those that it cannot be done to as they are. */
    suitableOnly: z.boolean().default(false),
  }),
  reply: envelope(BulkRun),
  limit: manyDevices,
})
export const getBulkAction = route({
  ...calls.getBulkAction,
  summary: 'How far a bulk action is, and which devices failed, at most 1,000 of them; of one started by the person.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(
    /** Of an action on homes, a failure has the id, the reference and the address of the home. */
    z.object({ run: BulkRun, failures: z.array(BulkResult.extend({ serial: z.string(), name: z.string() })) }),
  ),
})
export const getBulkActionAnswers = route({
  ...calls.getBulkActionAnswers,
  internal: true,
  summary: `How devices answer the command that a bulk action of the person sent them: how many, and each of at most ${watchedLimit}.`,
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(
    z.object({
      counts: z.record(z.enum(commandAnswers), z.number().int()),
      devices: z.array(
        z.object({ deviceId: z.string(), answer: z.enum(commandAnswers), message: z.string().nullable() }),
      ),
    }),
  ),
})
export const getBulkActions = route({
  ...calls.getBulkActions,
  summary: "The person's last 50 bulk actions, newest first.",
  body: inTenant,
  reply: envelope(z.array(BulkRun)),
})
export const retryBulkAction = route({
  ...calls.retryBulkAction,
  summary: 'Does a bulk action again for the devices that failed.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(BulkRun),
})
export const giveUpBulkAction = route({
  ...calls.giveUpBulkAction,
  internal: true,
  summary: 'Lets the devices of a bulk action that still wait fail: the page that does them has told so.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(BulkRun),
})
export const undoBulkAction = route({
  ...calls.undoBulkAction,
  summary:
    'Takes a bulk action back for everything that still has what it left: tags, what lights were given, archived homes.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(z.object({ restored: z.number().int(), skipped: z.number().int() })),
})
