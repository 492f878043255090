import type { FastifyInstance } from 'fastify'
import {
  bulkAddTags,
  bulkJoinNetwork,
  bulkLeaveNetwork,
  bulkRemoveTags,
  bulkUninstall,
  getBulkAction,
  getBulkActions,
  retryBulkAction,
  startBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { bulkActionLabels, bulkLimit, mayDoInBulk, undoLimit } from '@caretaker/rules/actions/actions.ts'
import { doingOf, rightTo } from '@caretaker/rules/actions/doings.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { audit } from '../../audit/audit.ts'
import type { Person } from '../../http/access.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { chosenTags } from '../tags/device-tags.ts'
import { chosenAccessRightsTag } from '../tags/store.ts'
import { perform } from './batch.ts'
import type { StoredRun } from './store.ts'
import {
  failuresOf,
  findRun,
  insertRun,
  joinRun,
  retryFailed,
  runsOf,
  runTold,
  settleRun,
  undoable,
  waitingOf,
  wakeWorker,
} from './store.ts'
import { undo } from './undo.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Person
}
interface Asked {
  action: BulkAction
  deviceIds: readonly string[]
  tags: readonly string[]
}

/** What is done with many devices: at once, answering for each, or by a job that can be looked up again. */
export function bulkActionRoutes(app: FastifyInstance): void {
  for (const [route, action] of [
    [bulkAddTags, 'add tags'],
    [bulkRemoveTags, 'remove tags'],
  ] as const)
    serveTenant(app, route, async ({ body: { deviceIds, tags, bulkActionId }, ...caller }) =>
      atOnce(caller, { action, deviceIds, tags }, bulkActionId),
    )

  for (const [route, action] of [
    [bulkJoinNetwork, 'join network'],
    [bulkLeaveNetwork, 'leave network'],
    [bulkUninstall, 'uninstall'],
  ] as const)
    serveTenant(app, route, async ({ body: { deviceIds, bulkActionId }, ...caller }) =>
      atOnce(caller, { action, deviceIds, tags: [] }, bulkActionId),
    )

  serveTenant(app, startBulkAction, async ({ body: { action, deviceIds, tags }, ...caller }) => {
    const { tx, actor } = caller
    if (!can(actor, rightTo[doingOf[action]]) || !mayDoInBulk(actor, action)) throw refuse('forbidden')
    const id = await begin(caller, { action, deviceIds, tags })
    await wakeWorker(tx)
    return success(runTold(await ownRun(tx, actor, id)))
  })

  serveTenant(app, getBulkAction, async ({ tx, actor, body }) => {
    const run = await ownRun(tx, actor, body.bulkActionId)
    return success({ run: runTold(run), failures: await failuresOf(tx, actor, run.id) })
  })

  serveTenant(app, getBulkActions, async ({ tx, actor }) => success((await runsOf(tx, actor)).map(runTold)))

  serveTenant(app, retryBulkAction, async ({ tx, actor, body: { bulkActionId } }) => {
    const run = await ownRun(tx, actor, bulkActionId, 'to change')
    if (run.undoneAt) throw refuse('refused', 'The action was undone.')
    if (!(await retryFailed(tx, run.id))) throw refuse('refused', 'No device has failed.')
    await wakeWorker(tx)
    return success(runTold(await ownRun(tx, actor, run.id)))
  })

  serveTenant(app, undoBulkAction, async ({ tx, actor, person, body: { bulkActionId } }) => {
    const run = await ownRun(tx, actor, bulkActionId, 'to change')
    if (!undoable(run)) throw refuse('refused', 'Only changes of tags can be undone.')
    if (run.undoneAt) throw refuse('refused', 'The action was undone already.')
    if (!run.finishedAt) throw refuse('refused', 'The action is still running.')
    if (run.total > undoLimit)
      throw refuse(
        'refused',
        `Changes of more than ${undoLimit.toLocaleString('en-GB')} devices are not undone in one go.`,
      )
    const result = await undo(tx, { actor, person }, run)
    await audit(tx, { person, action: 'bulk action undone', subject: subjectOf(run), after: result })
    return success(result)
  })
}

/** Does it to all devices within this call, which may go on with the action of an earlier one. */
async function atOnce(caller: Caller, asked: Asked, earlier: string | undefined) {
  const { tx, actor, person } = caller
  const bulkActionId = earlier === undefined ? await begin(caller, asked) : await goOn(caller, asked, earlier)
  // A part that is sent again because its answer was lost is not done again.
  const waiting = earlier === undefined ? unique(asked) : await waitingOf(tx, bulkActionId, unique(asked))
  const outcomes = await perform(tx, { actor, person }, { action: asked.action, tagIds: asked.tags }, waiting)
  await settleRun(tx, bulkActionId, outcomes)
  const byId = new Map(outcomes.map((outcome) => [outcome.deviceId, outcome]))
  const results = unique(asked).map((deviceId) => {
    const { state, message } = byId.get(deviceId) ?? { state: 'done' as const, message: null }
    return { deviceId, state, message }
  })
  return success({ bulkActionId, results }, summaryOf(outcomes.filter(({ state }) => state === 'failed').length))
}

const unique = ({ deviceIds }: Asked) => [...new Set(deviceIds)]

function summaryOf(failed: number): string | null {
  if (!failed) return null
  return failed === 1 ? '1 device failed.' : `${failed.toLocaleString('en-GB')} devices failed.`
}

/** Stores a bulk action and records that it was started. */
async function begin({ tx, person }: Caller, asked: Asked): Promise<string> {
  const { action, tags } = asked
  const tagNames = await namesOfTags(tx, asked)
  const deviceIds = unique(asked)
  const id = await insertRun(tx, { action, tagIds: tags, tagNames, deviceIds, person })
  const after = { devices: deviceIds.length, ...(tagNames.length > 0 && { tags: tagNames }) }
  await audit(tx, { person, action: 'bulk action started', subject: subjectOf({ id, action }), after })
  return id
}

/** Takes devices into an action that the person began in an earlier call, and anew those of it that failed. */
async function goOn({ tx, actor }: Caller, asked: Asked, id: string): Promise<string> {
  const run = await ownRun(tx, actor, id, 'to change')
  const isSame = run.action === asked.action && run.tagIds.toSorted().join() === asked.tags.toSorted().join()
  if (!isSame) throw refuse('refused', 'That is another bulk action.')
  if (run.undoneAt) throw refuse('refused', 'The action was undone.')
  // A worker is at it, and holds its devices in an order of its own.
  if (!run.finishedAt) throw refuse('refused', 'The action is still running.')
  if (run.total + asked.deviceIds.length > bulkLimit) throw refuse('invalid', 'Too many devices for one bulk action.')
  await joinRun(tx, run.id, unique(asked))
  return run.id
}

const subjectOf = ({ id, action }: Pick<StoredRun, 'id' | 'action'>) =>
  ({ type: 'bulk action', id, name: bulkActionLabels[action] }) as const

/** The names of the chosen tags; refuses tags that do not exist, and too many or too few for the action. */
async function namesOfTags(tx: TenantTx, { action, tags }: Asked): Promise<string[]> {
  const wrong = (message: string) => refuse('invalid', message, [{ field: 'tags', message }])
  if (action === 'add tags' || action === 'remove tags') {
    if (!tags.length) throw wrong('Choose a tag.')
    return (await chosenTags(tx, tags, 'tags')).map((tag) => tag.name)
  }
  if (action === 'add access rights tags') {
    if (tags.length !== 1) throw wrong('Choose one access rights tag.')
    return [(await chosenAccessRightsTag(tx, tags[0]!, 'tags')).displayName]
  }
  if (tags.length) throw wrong('This action takes no tags.')
  return []
}

async function ownRun(
  tx: TenantTx,
  actor: Actor,
  id: string,
  purpose: 'to read' | 'to change' = 'to read',
): Promise<StoredRun> {
  const run = await findRun(tx, actor, id, purpose)
  if (!run) throw refuse('not found')
  return run
}
