import type { UserDocument, saveDocument } from '@caretaker/contract/documents.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Received } from '@caretaker/contract/route.ts'
import { ViewContent } from '@caretaker/contract/views.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { allLists, listOfRoot } from '@caretaker/rules/views/lists.ts'
import { asSeen } from '../../lists/validate.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Asking, Shape } from '../views/service.ts'
import { changeHeld, createView, removeHeld, savedMeanwhile } from '../views/service.ts'
import type { NamedView } from '../views/store.ts'
import { isUser, ownViews } from '../views/store.ts'

type Reading = Pick<Asking, 'tx' | 'actor'>
type ListViewForm = Exclude<
  Received<typeof saveDocument>['form'],
  { documentType: 'PropertyRecords' | 'SavingsAndTips' }
>

/** A user's own list views; refuses other users. */
export async function listViewsOf({ tx, actor }: Reading, userId: string): Promise<UserDocument[]> {
  await refuseOthers(tx, actor, userId)
  return (await ownViews(tx, actor)).map((view) => asDocument(view, actor))
}

/** A view of the actor's own, locked on request; undefined for views of other users. */
export async function findListView(
  { tx, actor }: Reading,
  viewId: string,
  hold?: 'hold',
): Promise<NamedView | undefined> {
  const [view] = await ownViews(tx, actor, { viewId, ...(hold && { hold: true }) })
  return view
}

export const readListView = ({ actor }: Reading, view: NamedView): UserDocument => asDocument(view, actor)

export const deleteListView = (asking: Asking, view: NamedView): Promise<void> => removeHeld(asking, view)

/** Saves one of the user's own views, as a new one or replacing the one named in the form. */
export async function saveListView(asking: Asking, form: ListViewForm): Promise<UserDocument> {
  const { tx, actor } = asking
  if (form.userId) await refuseOthers(tx, actor, form.userId)
  const { viewId } = await keep(asking, form)
  return asDocument(await ownView(asking, viewId), actor)
}

const shape: Shape = { label: 'metadata.userViewName', content: 'content.' }

async function keep(asking: Asking, form: ListViewForm): Promise<NamedView> {
  const { actor } = asking
  const { metadata, documentId, updatedAt } = form
  const before = documentId ? await ownView(asking, documentId, 'hold') : undefined
  const list = allLists[metadata.userViewType]
  if (!can(actor, list.may)) throw refuse('forbidden')
  if (before && updatedAt && +new Date(updatedAt) !== +before.updatedAt) throw savedMeanwhile()
  const label = metadata.userViewName
  const content = await contentIn(form.content)
  return before
    ? changeHeld(asking, before, { root: list.root, label, ...content }, shape)
    : createView(asking, { list, label, private: true, ...content }, shape)
}

async function ownView(reading: Reading, viewId: string, hold?: 'hold'): Promise<NamedView> {
  const view = await findListView(reading, viewId, hold)
  if (!view) throw refuse('not found')
  return view
}

/**
 * Documents can be queried only by the user's own id, from the session or as the tenant's user; other ids are refused.
 */
async function refuseOthers(tx: TenantTx, actor: Actor, userId: string): Promise<void> {
  if (userId === actor.userId || userId === actor.memberId) return
  throw refuse((await isUser(tx, userId)) ? 'forbidden' : 'not found')
}

function asDocument(view: NamedView, actor: Actor): UserDocument {
  const list = listOfRoot(view.root)!
  const { columns, filters, sorts } = asSeen(view, list, actor)
  return {
    id: view.viewId,
    userId: actor.userId,
    documentType: 'ListingViewConfig',
    contentType: 'application/json',
    metadata: { userViewName: view.label, userViewType: list.name },
    content: { columns, filters, sorts } as UserDocument['content'],
    updatedAt: view.updatedAt.toISOString(),
  }
}

/** Bytes of columns, filters and sorts. */
const longestView = 65_536

async function contentIn(file: File): Promise<ViewContent> {
  if (file.size > longestView) throw refuse('too large')
  const result = ViewContent.safeParse(parsed(await file.text()))
  if (result.success) return result.data
  const errors = result.error.issues.map(({ path, message }) => ({ field: ['content', ...path].join('.'), message }))
  throw refuse('invalid', undefined, errors)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('invalid', undefined, [{ field: 'content', message: 'must be JSON' }])
  }
}
