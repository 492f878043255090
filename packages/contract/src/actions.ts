import { z } from 'zod'
import { bulkActions, bulkAtOnce, bulkTags as mostTags, watchedLimit } from '@caretaker/rules/actions/actions.ts'
import { bulkSubjects, homeActions, longestArchiveReason, runActions } from '@caretaker/rules/actions/home-actions.ts'
import { settableKinds } from '@caretaker/rules/conditions/conditions.ts'
import { commandAnswers } from '@caretaker/rules/commands/answers.ts'
import { DeviceSelection } from './devices.ts'
import { PropertySelection } from './property-selection.ts'
import { Day, DeviceId, Id, TenantId, Timestamp, Version, inTenant, line, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Tag } from './tags.ts'
import type { Call } from './call.ts'
import * as calls from './calls/actions.ts'

const oneDevice = z.strictObject({ tenant: TenantId, deviceId: DeviceId })
const AccessRights = z.object({ id: z.string(), displayName: z.string() }).nullable()

export const DeviceTags = z
  .object({ tags: z.array(Tag), accessRightsTag: AccessRights, version: z.number().int() })
  .meta({ id: 'DeviceTags' })

export const getDeviceTags = route({
  ...calls.getDeviceTags,
  hasVersion: true,
  summary: 'The tags and the access rights tag of a device.',
  body: oneDevice,
  reply: envelope(DeviceTags),
})
export const addTagToDevice = route({
  ...calls.addTagToDevice,
  hasVersion: true,
  summary: 'Adds a tag to a device.',
  body: oneDevice.extend({ tagId: Id, version: Version.optional() }),
  reply: envelope(DeviceTags),
})
export const updateDeviceTags = route({
  ...calls.updateDeviceTags,
  hasVersion: true,
  summary: 'Replaces the tags of a device.',
  body: oneDevice.extend({ tagIds: z.array(Id).max(100), version: Version.optional() }),
  reply: envelope(DeviceTags),
})
export const removeTagFromDevice = route({
  ...calls.removeTagFromDevice,
  hasVersion: true,
  summary: 'Removes a tag from a device.',
  body: oneDevice.extend({ tagId: Id, version: Version.optional() }),
  reply: envelope(DeviceTags),
})

export const setDeviceAccessRightsTags = route({
  ...calls.setDeviceAccessRightsTags,
  summary: 'Sets the access rights tag of a device from a list of at most one; an empty list removes it.',
  params: z.object({ tenant: TenantId, deviceId: DeviceId }),
  body: z.strictObject({
    accessRightsTags: z.array(z.strictObject({ id: Id })).max(1),
    /** The bulk action that this change belongs to, when the page runs one. */
    bulkActionId: Id.optional(),
  }),
  reply: DeviceTags,
})

/** A command that is stored for a device and waits for the device to confirm it. */
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
export const boilerReset = reset(calls.boilerReset, 'Clears the lockout of a boiler that reports itself as resettable.')
export const autofillReset = reset(
  calls.autofillReset,
  'Clears the failure of an autofill that is not connected through a home hub.',
)
/** One call for any lockout, in addition to the two calls that the portal uses (devices gaps B12). */
export const resetDevice = reset(calls.resetDevice, 'Resets the lockout of a device, whatever its type.')

export const removeDevice = route({
  ...calls.removeDevice,
  summary:
    'Uninstalls a device: it returns to inventory, its data is permanently deleted, and its messages are rejected until it is installed again.',
  body: oneDevice,
  reply: envelope(z.object({ deviceId: z.string() })),
})

export const installDevice = route({
  ...calls.installDevice,
  summary:
    'Installs a device that is not in service. Its status is Installed until it first reports and, for a light, until its first test. A device that was uninstalled can connect with its existing key again.',
  body: oneDevice,
  reply: envelope(z.object({ deviceId: z.string() })),
})

/** The state of one device in a bulk action. */
export const bulkStates = ['waiting', 'done', 'failed'] as const
export const BulkResult = z
  .object({
    deviceId: z.string(),
    state: z.enum(bulkStates),
    /** The reason for a failure, or a note on what was done; null when there is nothing to add. */
    message: z.string().nullable(),
  })
  .meta({ id: 'BulkResult' })
export type BulkResult = z.infer<typeof BulkResult>

export const BulkRun = z
  .object({
    bulkActionId: z.string(),
    /** Whether the action applies to devices or to properties. */
    subject: z.enum(bulkSubjects),
    action: z.enum(runActions),
    /** The names of the tags, or of the settings, that were added or removed. */
    names: z.array(z.string()),
    startedBy: z.string(),
    startedAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    /**
     * Whether the action can still be undone: it changed tags, settings of lights or archived properties, and was not
     * undone yet.
     */
    canUndo: z.boolean(),
    undone: z.boolean(),
  })
  .meta({ id: 'BulkRun' })
export type BulkRun = z.infer<typeof BulkRun>

const BulkOutcome = z.object({ bulkActionId: z.string(), results: z.array(BulkResult) })
const DeviceIds = z.array(DeviceId).min(1).max(bulkAtOnce)
const manyDevices = 8 * 1024 * 1024
/**
 * The bulk action that a call continues. A selection sent in several calls is one action, which can be read and undone
 * as a whole.
 */
const ContinuedAction = Id.optional()

const bulk = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    summary: `${summary} At most ${bulkAtOnce} devices; use StartBulkAction for more.`,
    body: z.strictObject({ tenant: TenantId, deviceIds: DeviceIds, bulkActionId: ContinuedAction }),
    reply: envelope(BulkOutcome),
    limit: 1024 * 1024,
  })
const bulkTags = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    summary: `${summary} Returns a result for each device.`,
    body: z.strictObject({
      tenant: TenantId,
      deviceIds: DeviceIds,
      tags: z.array(Id).min(1).max(mostTags),
      bulkActionId: ContinuedAction,
    }),
    reply: envelope(BulkOutcome),
    limit: 1024 * 1024,
  })

export const bulkAddTags = bulkTags(calls.bulkAddTags, 'Adds tags to devices.')
export const bulkRemoveTags = bulkTags(calls.bulkRemoveTags, 'Removes tags from devices.')
export const bulkJoinNetwork = bulk(calls.bulkJoinNetwork, 'Joins devices to the network.')
export const bulkLeaveNetwork = bulk(calls.bulkLeaveNetwork, 'Makes devices leave the network.')
export const bulkUninstall = bulk(calls.bulkUninstall, 'Uninstalls devices.')

/**
 * The settings that a bulk action applies to emergency lights. Each action accepts its own settings and rejects the
 * others.
 */
const LightSettings = z.strictObject({
  buildingId: Id.optional(),
  /** A floor of that building; null or absent for no floor. */
  floorId: Id.nullable().optional(),
  /** A standard luminaire: all six of its fields are copied to the lights. */
  luminaireId: Id.optional(),
  batteryDay: Day.optional(),
  condition: z.enum(settableKinds).optional(),
  /** The reason for the status of the lights. */
  reason: line(200).optional(),
  /** The last day of the status, inclusive. */
  until: Day.optional(),
  groupId: Id.optional(),
})

export const SelectionPreview = z.object({
  /** Selected devices that the user may change. Actions apply to these. */
  total: z.number().int(),
  /** Selected devices that the user may read but not change. Every action skips them. */
  readOnly: z.number().int(),
  /** The actions that are offered for this selection, in the order of the action bar. */
  actions: z.array(
    z.object({
      action: z.enum(bulkActions),
      /** How many of `total` the action would change. */
      suitable: z.number().int(),
      /** Why the action is not available for this selection; null when it is. */
      reason: z.string().nullable(),
    }),
  ),
})
export type SelectionPreview = z.infer<typeof SelectionPreview>

export const previewSelection = route({
  ...calls.previewSelection,
  summary: 'The number of selected devices, and the actions that the user can apply to them.',
  body: z.strictObject({ tenant: TenantId, selection: DeviceSelection }),
  reply: envelope(SelectionPreview),
  limit: manyDevices,
})

export const PropertySelectionPreview = z.object({
  total: z.number().int(),
  /** Properties with devices, which cannot be archived. */
  occupied: z.number().int(),
  /** Properties without devices that have an open Awaab's Law case and cannot be archived either. */
  openCases: z.number().int(),
  /** Devices in these properties that the user may change. */
  devices: z.number().int(),
  actions: z.array(
    z.object({
      action: z.enum([...homeActions, 'add tags', 'remove tags']),
      /** How many properties the action would change; for tag actions, how many devices in them. */
      suitable: z.number().int(),
      /** Why the action is not available for this selection; null when it is. */
      reason: z.string().nullable(),
    }),
  ),
})
export type PropertySelectionPreview = z.infer<typeof PropertySelectionPreview>

export const previewPropertySelection = route({
  ...calls.previewPropertySelection,
  summary: 'The number of selected properties, and the actions that the user can apply to them.',
  body: z.strictObject({ tenant: TenantId, selection: PropertySelection }),
  reply: envelope(PropertySelectionPreview),
  limit: manyDevices,
})

export const startPropertyBulkAction = route({
  ...calls.startPropertyBulkAction,
  summary:
    'Starts a bulk action on properties as a job: archives them, or sets or removes their access rights tag. Use StartBulkAction to change the tags of their devices.',
  body: z.strictObject({
    tenant: TenantId,
    action: z.enum(homeActions),
    selection: PropertySelection,
    accessRightsTagId: Id.optional(),
    /** Required when archiving. */
    reason: line(longestArchiveReason).pipe(z.string().min(1, 'Reason is required')).optional(),
    /** Skips properties that cannot be archived instead of rejecting the call. */
    suitableOnly: z.boolean().default(false),
  }),
  reply: envelope(BulkRun),
  limit: manyDevices,
})

export const getSelectionTags = route({
  ...calls.getSelectionTags,
  internal: true,
  summary:
    'The tags of the selected devices, with the number of devices for each tag. Only devices that the user may change count.',
  body: z.strictObject({ tenant: TenantId, selection: DeviceSelection }),
  reply: envelope(z.array(Tag.extend({ devices: z.number().int() }))),
  limit: manyDevices,
})

export const startBulkAction = route({
  ...calls.startBulkAction,
  summary:
    'Starts a bulk action as a job, which continues when the page is closed or the server restarts. To select all devices of a listing, send its filters.',
  body: z.strictObject({
    tenant: TenantId,
    action: z.enum(bulkActions),
    selection: DeviceSelection,
    /** Tags to add or remove. Setting an access rights tag accepts at most one tag; removing it accepts none. */
    tags: z.array(Id).max(mostTags).default([]),
    settings: LightSettings.default({}),
    /**
     * Whether the page applies the action itself, to at most 200 devices, with calls that name this action. If the page
     * stops calling, a worker processes the remaining devices.
     */
    watched: z.boolean().default(false),
    /** Skips devices that the action cannot be applied to instead of rejecting the call. */
    suitableOnly: z.boolean().default(false),
  }),
  reply: envelope(BulkRun),
  limit: manyDevices,
})
export const getBulkAction = route({
  ...calls.getBulkAction,
  looksAt: { of: 'home', as: 'list', name: 'Bulk action', fields: ['name'] },
  summary: 'The progress of a bulk action that the user started, with up to 1,000 of its failures.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(
    /** For an action on properties, each failure holds the id, reference and address of the property. */
    z.object({ run: BulkRun, failures: z.array(BulkResult.extend({ serial: z.string(), name: z.string() })) }),
  ),
})
export const getBulkActionAnswers = route({
  ...calls.getBulkActionAnswers,
  internal: true,
  summary: `How devices responded to the command of one of the user's bulk actions: totals, and details for up to ${watchedLimit} devices.`,
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
  summary: "The user's last 50 bulk actions, newest first.",
  body: inTenant,
  reply: envelope(z.array(BulkRun)),
})
export const retryBulkAction = route({
  ...calls.retryBulkAction,
  summary: 'Repeats a bulk action for the devices that failed.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(BulkRun),
})
export const giveUpBulkAction = route({
  ...calls.giveUpBulkAction,
  internal: true,
  summary:
    "Marks a bulk action's pending devices as failed. The page that runs the action calls this when it gives up.",
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(BulkRun),
})
export const undoBulkAction = route({
  ...calls.undoBulkAction,
  summary: 'Undoes a bulk action. Devices, lights and properties that were changed again since then are skipped.',
  body: z.strictObject({ tenant: TenantId, bulkActionId: Id }),
  reply: envelope(z.object({ restored: z.number().int(), skipped: z.number().int() })),
})
