import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { SelectionPreview } from '@caretaker/contract/actions.ts'
import {
  bulkAddTags,
  bulkJoinNetwork,
  bulkLeaveNetwork,
  bulkRemoveTags,
  bulkUninstall,
  getBulkAction,
  getBulkActionAnswers,
  getBulkActions,
  getSelectionTags,
  giveUpBulkAction,
  previewPropertySelection,
  previewSelection,
  retryBulkAction,
  startBulkAction,
  startPropertyBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import type { DeviceSelection } from '@caretaker/contract/devices.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { offeredBulkActions, statusesFor, watchedLimit } from '@caretaker/rules/actions/actions.ts'
import { mayDoToHomes, offeredHomeActions } from '@caretaker/rules/actions/home-actions.ts'
import type { LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { BulkAsked, BulkCaller, ItemResult } from '../../bulk/run.ts'
import { asBulkRun, begin, doNow, giveUp, continueRun, ownRun, retry, takeBack } from '../../bulk/run.ts'
import type { Items } from '../../bulk/store.ts'
import { itemsOf, runsOf } from '../../bulk/store.ts'
import type { StoredRun } from '../../bulk/subject.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Alike, ResolvedSelection } from '../devices/selection.ts'
import { changeable, countSelected, tagsOfSelected } from '../devices/selection.ts'
import { chosenAccessRightsTag } from '../tags/store.ts'
import { answersOf } from './device-answers.ts'
import { deviceBulk } from './device-bulk.ts'
import { failuresOf } from './bulk-failures.ts'
import { chosenTags } from './device-tags.ts'
import { archivable, countHomes, homesIn } from './home-selection.ts'
import { bulkSubjects } from './job.ts'
import { namesGiven } from './light-bulk.ts'

/** The requested bulk action. */
interface Asked {
  action: BulkAction
  tags: readonly string[]
  settings?: LightSettings
}

/** Actions on many devices: within the call, with a result for each, or as a job that can be looked up. */
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

  serveTenant(app, previewSelection, async ({ tx, actor, body: { selection } }) =>
    success(await preview(tx, actor, selection)),
  )

  serveTenant(app, previewPropertySelection, async ({ tx, actor, body: { selection } }) => {
    const selected = await countHomes(tx, actor, selection)
    const actions = offeredHomeActions(actor, selected).map(({ reason = null, ...offer }) => ({ ...offer, reason }))
    return success({ ...selected, actions })
  })

  serveTenant(app, startPropertyBulkAction, async ({ body, ...caller }) => {
    const { action, selection, accessRightsTagId, reason, suitableOnly } = body
    const { tx, actor } = caller
    if (!mayDoToHomes(actor, action)) throw refuse('forbidden')
    const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])
    const isArchive = action === 'archive properties'
    if (isArchive !== (reason !== undefined))
      throw wrong('reason', isArchive ? 'Reason is required' : 'This action does not use a reason.')
    if ((action === 'set access rights tag of properties') !== (accessRightsTagId !== undefined))
      throw wrong(
        'accessRightsTagId',
        accessRightsTagId ? 'This action does not use a tag.' : 'Choose one access rights tag.',
      )
    const tag = accessRightsTagId && (await chosenAccessRightsTag(tx, accessRightsTagId, 'accessRightsTagId'))
    const asked: BulkAsked = {
      ...{ subject: 'property', action, tagIds: tag ? [tag.id] : [], tagNames: tag ? [tag.displayName] : [] },
      settings: reason ? { reason } : {},
    }
    const homes = await homesIn(tx, actor, selection)
    const items =
      isArchive && suitableOnly
        ? archivable(tx, actor, homes)
        : 'propertyIds' in selection
          ? itemsOf(selection.propertyIds)
          : homes
    return success(toRun(await begin(caller, asked, items, 'worker')))
  })

  serveTenant(app, getSelectionTags, async ({ tx, actor, body: { selection } }) =>
    success(await tagsOfSelected(tx, actor, await withHomes(tx, actor, selection))),
  )

  serveTenant(app, startBulkAction, async ({ body, ...caller }) => {
    const { action, selection, tags, settings, watched, suitableOnly } = body
    if (!deviceBulk.may(caller.actor, action)) throw refuse('forbidden')
    const asked = await askedOf(caller.tx, { action, tags, settings })
    const run = await begin(
      caller,
      asked,
      await devicesIn(caller, selection, suitableOnly ? action : undefined),
      watched ? 'page' : 'worker',
    )
    const message = `At most ${watchedLimit} devices are processed by the page itself`
    if (watched && run.total > watchedLimit) throw refuse('invalid', message, [{ field: 'selection', message }])
    return success(toRun(run))
  })

  serveTenant(app, getBulkAction, async ({ tx, actor, body }) => {
    const run = await ownRun(tx, actor, body.bulkActionId)
    return success({ run: toRun(run), failures: await failuresOf(tx, actor, run) })
  })

  serveTenant(app, getBulkActionAnswers, async ({ tx, actor, body }) =>
    success(await answersOf(tx, actor, await ownRun(tx, actor, body.bulkActionId))),
  )

  serveTenant(app, getBulkActions, async ({ tx, actor }) => success((await runsOf(tx, actor)).map(toRun)))

  serveTenant(app, retryBulkAction, async ({ body: { bulkActionId }, ...caller }) =>
    success(toRun(await retry(caller, bulkActionId))),
  )

  serveTenant(app, giveUpBulkAction, async ({ body: { bulkActionId }, ...caller }) =>
    success(toRun(await giveUp(caller, bulkActionId))),
  )

  serveTenant(app, undoBulkAction, async ({ body: { bulkActionId }, ...caller }) =>
    success(await takeBack(caller, bulkSubjects, bulkActionId)),
  )
}

/**
 * Picked devices keep their order, and a missing one gets a result of its own. From a query, only the devices that the
 * actor may change. Both are limited to devices that the action applies to, if one is named.
 */
async function devicesIn(
  { tx, actor }: BulkCaller,
  sent: DeviceSelection,
  suitableFor: BulkAction | undefined,
): Promise<Items> {
  const selection = await withHomes(tx, actor, sent)
  if (suitableFor) return sql`${await changeable(tx, actor, selection, statusesFor(suitableFor))}`
  if ('deviceIds' in selection) return itemsOf(selection.deviceIds)
  return sql`${await changeable(tx, actor, selection)}`
}

/** A selection of properties selects the devices in them. */
const withHomes = async (tx: TenantTx, actor: Actor, selection: DeviceSelection): Promise<ResolvedSelection> =>
  'properties' in selection ? { inHomes: await homesIn(tx, actor, selection.properties) } : selection

/** The counts of a selection, without naming any of its devices. */
async function preview(tx: TenantTx, actor: Actor, sent: DeviceSelection): Promise<SelectionPreview> {
  const selection = await withHomes(tx, actor, sent)
  const selected = await countSelected(tx, actor, selection)
  const sum = (some: readonly Alike[]) => some.reduce((all, { count }) => all + count, 0)
  const changing = selected.filter((one) => !isReadOnly(actor, one))
  const total = sum(changing)
  const products =
    'query' in selection && selection.query.listing
      ? listings[selection.query.listing].products
      : [...new Set(selected.map(({ product }) => product))]
  const alike = changing.map(({ status, count }) => ({ status, count }))
  const actions = offeredBulkActions(actor, products, alike).map(({ action, unsuitable, reason = null }) => ({
    action,
    suitable: total - unsuitable,
    reason,
  }))
  return { total, readOnly: sum(selected) - total, actions }
}

const toRun = (run: StoredRun) => asBulkRun(run, bulkSubjects)

/** Acts on all devices within this call, which may continue the action of an earlier call. */
async function atOnce(
  caller: BulkCaller,
  { deviceIds, ...given }: Asked & { deviceIds: readonly string[] },
  bulkActionId: string | undefined,
) {
  const asked = await askedOf(caller.tx, given)
  const run =
    bulkActionId === undefined
      ? await begin(caller, asked, itemsOf(deviceIds), 'page')
      : await continueRun(caller, asked, deviceIds, bulkActionId)
  const results = await doNow(caller, deviceBulk, run, deviceIds)
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

/** Acts on one device in its own call, as part of a bulk action that the page has begun. */
export async function onePart(
  caller: BulkCaller,
  bulkActionId: string,
  { action, deviceId, tags }: { action: BulkAction; deviceId: string; tags: readonly string[] },
): Promise<ItemResult> {
  const asked = await askedOf(caller.tx, { action, tags })
  const run = await continueRun(caller, asked, [deviceId], bulkActionId)
  return (await doNow(caller, deviceBulk, run, [deviceId]))[0]!
}

/** The action with the names of the chosen tags; refuses unknown tags, and too many or too few for the action. */
async function askedOf(tx: TenantTx, { action, tags, settings = {} }: Asked): Promise<BulkAsked> {
  const asked = { subject: 'device', action, tagIds: tags, settings } as const
  const names = await namesGiven(tx, action, settings)
  const wrong = (message: string) => refuse('invalid', message, [{ field: 'tags', message }])
  if (action === 'add tags' || action === 'remove tags') {
    if (!tags.length) throw wrong('Choose a tag.')
    return { ...asked, tagNames: (await chosenTags(tx, tags, 'tags')).map((tag) => tag.name) }
  }
  if (action === 'add access rights tags') {
    if (tags.length !== 1) throw wrong('Choose one access rights tag.')
    return { ...asked, tagNames: [(await chosenAccessRightsTag(tx, tags[0]!, 'tags')).displayName] }
  }
  if (tags.length) throw wrong('This action does not use tags.')
  return { ...asked, tagNames: names }
}
