import {
  bulkAddTags,
  bulkJoinNetwork,
  bulkLeaveNetwork,
  bulkRemoveTags,
  bulkUninstall,
  giveUpBulkAction,
  setDeviceAccessRightsTags,
  startBulkAction,
} from '@caretaker/contract/calls/actions.ts'
import type { BulkResult } from '@caretaker/contract/actions.ts'
import { runT0Test } from '@caretaker/contract/calls/lighting.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { RunAction } from '@caretaker/rules/actions/home-actions.ts'
import type { LightAction } from '@caretaker/rules/actions/light-settings.ts'
import { call } from '../api/call.ts'
import type { Answered, BulkPlan } from './bulk-run.ts'
import { failureTexts, somethingWrong } from './failure.ts'
import { accessRightsFailure, devices } from './tag-changes.ts'

interface BulkWords {
  /** The title for a number of devices. */
  title: (count: number) => string
  /** The text of the button. */
  verb: string
  /** The status texts of one device: in progress and done. */
  ongoing: string
  done: string
}

export const bulkWords: Record<BulkAction, BulkWords> = {
  'add tags': { title: (n) => `Add tags to ${devices(n)}`, verb: 'Add tags', ongoing: 'Adding…', done: 'Added' },
  'remove tags': {
    title: (n) => `Remove tags from ${devices(n)}`,
    verb: 'Remove tags',
    ongoing: 'Removing…',
    done: 'Removed',
  },
  'add access rights tags': {
    title: (n) => `Add access rights tags to ${devices(n)}`,
    verb: 'Add',
    ongoing: 'Adding…',
    done: 'Added',
  },
  'remove access rights tags': {
    title: (n) => `Remove access rights tags from ${devices(n)}`,
    verb: 'Remove',
    ongoing: 'Removing…',
    done: 'Removed',
  },
  'move lights': { title: (n) => `Move ${devices(n)}`, verb: 'Move', ongoing: 'Moving…', done: 'Moved' },
  'set luminaire': {
    title: (n) => `Set the luminaire of ${devices(n)}`,
    verb: 'Set luminaire',
    ongoing: 'Setting…',
    done: 'Set',
  },
  'set battery day': {
    title: (n) => `Set the battery day of ${devices(n)}`,
    verb: 'Set day',
    ongoing: 'Setting…',
    done: 'Set',
  },
  'set status': {
    title: (n) => `Set the status of ${devices(n)}`,
    verb: 'Set status',
    ongoing: 'Setting…',
    done: 'Set',
  },
  'add to group': {
    title: (n) => `Add ${devices(n)} to a group`,
    verb: 'Add to group',
    ongoing: 'Adding…',
    done: 'Added',
  },
  'flick test': {
    title: (n) => `Flick test ${devices(n)}`,
    verb: 'Flick test',
    ongoing: 'Sending…',
    done: 'Queued',
  },
  'join network': {
    title: (n) => `Join ${devices(n)} to the network`,
    verb: 'Join Network',
    ongoing: 'Sending…',
    done: 'Queued',
  },
  'leave network': {
    title: (n) => `Make ${devices(n)} leave the network`,
    verb: 'Leave Network',
    ongoing: 'Sending…',
    done: 'Queued',
  },
  uninstall: {
    title: (n) => `Uninstall ${devices(n)}`,
    verb: 'Uninstall',
    ongoing: 'Uninstalling…',
    done: 'Uninstalled',
  },
}

/** Whether an action adds or removes tags. */
export const isTagAction = (action: RunAction) => action === 'add tags' || action === 'remove tags'
export const isAccessRightsAction = (action: RunAction) =>
  action === 'add access rights tags' || action === 'remove access rights tags'

/** Bulk actions that send a command, which each device then has to answer. */
export const isCommandAction = (action: RunAction) =>
  action === 'flick test' || action === 'join network' || action === 'leave network'

/** Bulk actions that the page can run with calls of its own; light settings are always applied by the server. */
export type WatchedAction = Exclude<BulkAction, LightAction>

/** Devices per call and parallel calls: few enough that the first results appear at once. */
const inParts = { chunk: 25, parallel: 3 }
const oneByOne = { chunk: 1, parallel: 6 }

const failureOf = (error: unknown) => failureTexts(error).join(' ')

/**
 * The plan for running a bulk action from the page: in calls of several devices, or one by one if the call takes a
 * single device. All calls belong to one server action, which continues if the page is closed.
 */
export function planOf(
  action: WatchedAction,
  tenant: string,
  tags: readonly string[],
): BulkPlan & { bulkActionId: () => string | undefined } {
  let bulkActionId: string | undefined
  const parts = (deviceIds: string[]) => ({ tenant, deviceIds, bulkActionId })
  const taken = (outcome: { results: readonly BulkResult[] }) => outcome.results.map(answered)
  const sends: Record<WatchedAction, BulkPlan['send']> = {
    'add tags': async (ids) => taken(await call(bulkAddTags, { body: { ...parts(ids), tags: [...tags] } })),
    'remove tags': async (ids) => taken(await call(bulkRemoveTags, { body: { ...parts(ids), tags: [...tags] } })),
    'join network': async (ids) => taken(await call(bulkJoinNetwork, { body: parts(ids) })),
    'leave network': async (ids) => taken(await call(bulkLeaveNetwork, { body: parts(ids) })),
    uninstall: async (ids) => taken(await call(bulkUninstall, { body: parts(ids) })),
    'add access rights tags': ([deviceId = '']) => setAccessRights(deviceId, tags),
    'remove access rights tags': ([deviceId = '']) => setAccessRights(deviceId, []),
    'flick test': async ([deviceId = '']) => {
      const { status } = await call(runT0Test, { form: { tenant, deviceId, bulkActionId } })
      return [status === 'queued' ? { deviceId } : { deviceId, error: 'The flick test could not be queued.' }]
    },
  }
  async function setAccessRights(deviceId: string, ids: readonly string[]): Promise<Answered[]> {
    const body = { accessRightsTags: ids.map((id) => ({ id })), bulkActionId }
    await call(setDeviceAccessRightsTags, { params: { tenant, deviceId }, body })
    return [{ deviceId }]
  }
  const single = action === 'flick test' || isAccessRightsAction(action)
  return {
    ...(single ? oneByOne : inParts),
    begin: async (all) => {
      const body = { tenant, action, selection: { deviceIds: [...all] }, tags: [...tags], watched: true }
      bulkActionId = (await call(startBulkAction, { body })).bulkActionId
    },
    giveUp: async () => {
      if (bulkActionId !== undefined) await call(giveUpBulkAction, { body: { tenant, bulkActionId } })
    },
    send: sends[action],
    failureOf: isAccessRightsAction(action) ? (error) => accessRightsText(failureOf(error)) : failureOf,
    bulkActionId: () => bulkActionId,
  }
}

const accessRightsText = (text: string) => (text === somethingWrong ? accessRightsFailure : text)

function answered({ deviceId, state, message }: BulkResult): Answered {
  if (state === 'failed') return { deviceId, error: message ?? somethingWrong }
  if (state === 'waiting') return { deviceId, message: 'The server continues this action.' }
  return { deviceId, ...(message === null ? {} : { message }) }
}
