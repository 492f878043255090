import type { HomeAction } from '@caretaker/rules/actions/home-actions.ts'
import { mayDoToHomes, undoHomesLimit } from '@caretaker/rules/actions/home-actions.ts'
import { Refusal } from '@caretaker/contract/refusal.ts'
import type { BulkOrder, BulkSubject, ChangedItem, Initiator, Outcome, StoredRun } from '../../bulk/subject.ts'
import { doneWith, failedWith } from '../../bulk/subject.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { archiveHome } from '../properties/estate.ts'
import { changePropertyTag } from '../properties/save.ts'
import { findProperty } from '../properties/store.ts'
import { holdAccessRightsTag } from '../tags/store.ts'

/**
 * Properties as the subject of bulk actions; each follows the same rules, rights and audit entries as on its page.
 */
export const homeBulk: BulkSubject<HomeAction> = {
  may: mayDoToHomes,
  perform,
  isUndoable: () => true,
  undoLimit: () => undoHomesLimit,
  undo,
}

/** The data that undo needs for a property: when the action archived it, or its former tag. */
interface Before {
  archivedAt?: string
  tagId?: string | null
}

async function perform(
  tx: TenantTx,
  initiator: Initiator,
  order: BulkOrder<HomeAction>,
  homeIds: readonly string[],
): Promise<Outcome[]> {
  const [tagId = null] = order.tagIds
  // Lock order: tags before properties.
  if (tagId && !(await holdAccessRightsTag(tx, tagId, 'to hand out')))
    return homeIds.map((id) => failedWith(id, 'The access rights tag was deleted.'))
  const outcomes: Outcome[] = []
  for (const id of homeIds)
    outcomes.push(
      await unlessRefused(
        () => act({ tx, ...initiator }, order, id),
        (why) => failedWith(id, why),
      ),
    )
  return outcomes
}

type Caller = Initiator & { tx: TenantTx }

async function act(caller: Caller, { action, tagIds, settings }: BulkOrder<HomeAction>, id: string): Promise<Outcome> {
  const home = await findProperty(caller.tx, caller.actor, id, { held: true })
  if (action === 'archive properties') {
    const archivedAt = new Date()
    await archiveHome(caller, id, { archivedAt, reason: settings.reason })
    const before: Before = { archivedAt: archivedAt.toISOString() }
    return doneWith(id, { changed: home.archived_at === null, before: { ...before } })
  }
  const [accessRightsTagId = null] = tagIds
  await changePropertyTag(caller, id, { accessRightsTagId })
  const before: Before = { tagId: home.access_rights_tag_id }
  return doneWith(id, { changed: home.access_rights_tag_id !== accessRightsTagId, before: { ...before } })
}

/**
 * Restores properties that are still archived by this action, and returns the former tag to those that still have the
 * new one; returns how many.
 */
async function undo(
  tx: TenantTx,
  initiator: Initiator,
  run: StoredRun<HomeAction>,
  items: readonly ChangedItem[],
): Promise<number> {
  const former = new Set(items.flatMap(({ before }) => (before as Before).tagId ?? []))
  const gone = new Set<string>()
  for (const id of [...former].toSorted()) if (!(await holdAccessRightsTag(tx, id, 'to hand out'))) gone.add(id)
  let restored = 0
  for (const { itemId, before } of items.toSorted((a, b) => (a.itemId < b.itemId ? -1 : 1)))
    restored += await unlessRefused(
      () => takeBack({ tx, ...initiator }, run, itemId, before as Before, gone),
      () => 0,
    )
  return restored
}

async function takeBack(
  caller: Caller,
  { action, tagIds }: StoredRun<HomeAction>,
  id: string,
  { archivedAt, tagId = null }: Before,
  gone: ReadonlySet<string>,
): Promise<number> {
  const home = await findProperty(caller.tx, caller.actor, id, { held: true })
  if (action === 'archive properties') {
    if (home.archived_at?.toISOString() !== archivedAt) return 0
    await archiveHome(caller, id, { archivedAt: null })
    return 1
  }
  if (home.access_rights_tag_id !== (tagIds[0] ?? null) || (tagId && gone.has(tagId))) return 0
  await changePropertyTag(caller, id, { accessRightsTagId: tagId })
  return 1
}

/** Refusals come before any write, so the transaction can continue with the next property. */
async function unlessRefused<T>(work: () => Promise<T>, refused: (why: string) => T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message)
    throw error
  }
}
