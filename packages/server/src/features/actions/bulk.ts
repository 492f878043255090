import type { FastifyInstance } from 'fastify'
import {
  bulkAddTags,
  bulkJoinNetwork,
  bulkLeaveNetwork,
  bulkRemoveTags,
  bulkUninstall,
  getBulkAction,
  getBulkActions,
  giveUpBulkAction,
  retryBulkAction,
  startBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { watchedLimit } from '@caretaker/rules/actions/actions.ts'
import type { BulkAsked, BulkCaller, ItemResult } from '../../bulk/run.ts'
import { asBulkRun, begin, doNow, giveUp, goOn, ownRun, retry, takeBack } from '../../bulk/run.ts'
import type { StoredRun } from '../../bulk/subject.ts'
import { runsOf } from '../../bulk/store.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { chosenAccessRightsTag } from '../tags/store.ts'
import { deviceBulk } from './device-bulk.ts'
import { failuresOf } from './device-failures.ts'
import { chosenTags } from './device-tags.ts'

/** What is asked to be done with devices. */
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

  serveTenant(app, startBulkAction, async ({ body: { action, deviceIds, tags, watched }, ...caller }) => {
    if (!deviceBulk.may(caller.actor, action)) throw refuse('forbidden')
    const message = `At most ${watchedLimit} devices are done by the page itself`
    if (watched && deviceIds.length > watchedLimit) throw refuse('invalid', message, [{ field: 'deviceIds', message }])
    const asked = await askedOf(caller.tx, { action, deviceIds, tags })
    return success(told(await begin(caller, asked, watched ? 'page' : 'worker')))
  })

  serveTenant(app, getBulkAction, async ({ tx, actor, body }) => {
    const run = await ownRun(tx, actor, body.bulkActionId)
    return success({ run: told(run), failures: await failuresOf(tx, actor, run.id) })
  })

  serveTenant(app, getBulkActions, async ({ tx, actor }) => success((await runsOf(tx, actor)).map(told)))

  serveTenant(app, retryBulkAction, async ({ body: { bulkActionId }, ...caller }) =>
    success(told(await retry(caller, bulkActionId))),
  )

  serveTenant(app, giveUpBulkAction, async ({ body: { bulkActionId }, ...caller }) =>
    success(told(await giveUp(caller, bulkActionId))),
  )

  serveTenant(app, undoBulkAction, async ({ body: { bulkActionId }, ...caller }) =>
    success(await takeBack(caller, deviceBulk, bulkActionId)),
  )
}

const told = (run: StoredRun) => asBulkRun(run, deviceBulk)

/** Does it to all devices within this call, which may go on with the action of an earlier one. */
async function atOnce(caller: BulkCaller, given: Asked, bulkActionId: string | undefined) {
  const asked = await askedOf(caller.tx, given)
  const run = bulkActionId === undefined ? await begin(caller, asked, 'page') : await goOn(caller, asked, bulkActionId)
  const results = await doNow(caller, deviceBulk, run, asked.itemIds)
  const failed = results.filter(({ state }) => state === 'failed').length
  return success(
    {
      bulkActionId: run.id,
      results: results.map(({ itemId, state, message }) => ({ deviceId: itemId, state, message })),
    },
    summaryOf(failed),
  )
}

function summaryOf(failed: number): string | null {
  if (!failed) return null
  return failed === 1 ? '1 device failed.' : `${failed.toLocaleString('en-GB')} devices failed.`
}

/** Does it to one device within the call that is for one: a part of a bulk action that the page began. */
export async function onePart(
  caller: BulkCaller,
  bulkActionId: string,
  { action, deviceId, tags }: { action: BulkAction; deviceId: string; tags: readonly string[] },
): Promise<ItemResult> {
  const asked = await askedOf(caller.tx, { action, deviceIds: [deviceId], tags })
  const run = await goOn(caller, asked, bulkActionId)
  return (await doNow(caller, deviceBulk, run, [deviceId]))[0]!
}

/** The same with the names of the chosen tags; refuses tags that do not exist, and too many or too few for the action. */
async function askedOf(tx: TenantTx, { action, deviceIds, tags }: Asked): Promise<BulkAsked> {
  const asked = { subject: 'device', action, itemIds: deviceIds, tagIds: tags } as const
  const wrong = (message: string) => refuse('invalid', message, [{ field: 'tags', message }])
  if (action === 'add tags' || action === 'remove tags') {
    if (!tags.length) throw wrong('Choose a tag.')
    return { ...asked, tagNames: (await chosenTags(tx, tags, 'tags')).map((tag) => tag.name) }
  }
  if (action === 'add access rights tags') {
    if (tags.length !== 1) throw wrong('Choose one access rights tag.')
    return { ...asked, tagNames: [(await chosenAccessRightsTag(tx, tags[0]!, 'tags')).displayName] }
  }
  if (tags.length) throw wrong('This action takes no tags.')
  return { ...asked, tagNames: [] }
}
