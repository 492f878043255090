import type { FastifyInstance } from 'fastify'
import type { Received } from '@caretaker/contract/route.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { UserDocument } from '@caretaker/contract/views.ts'
import { ViewContent, deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/views.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { allLists, listOfRoot } from '@caretaker/rules/views/lists.ts'
import { serveTenant } from '../../http/serve.ts'
import { asSeen } from '../../lists/sound.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Asking, Shape } from './service.ts'
import { changeHeld, createView, removeHeld, savedMeanwhile } from './service.ts'
import type { NamedView } from './store.ts'
import { isUser, ownViews } from './store.ts'

/** The newer calls on views: a document is a view that a person keeps for themselves. */
export function documentRoutes(app: FastifyInstance): void {
  serveTenant(app, getDocuments, async ({ tx, actor, query }) => {
    await refuseOthers(tx, actor, query.userId)
    return { results: (await ownViews(tx, actor)).map((view) => asDocument(view, actor)) }
  })

  serveTenant(app, getDocument, async ({ tx, actor, params }) => asDocument(await ownView(tx, actor, params.id), actor))

  serveTenant(app, saveDocument, async (call) => {
    const { tx, actor, form, reply } = call
    if (form.userId) await refuseOthers(tx, actor, form.userId)
    const { viewId } = await keep(call, form)
    void reply.header('location', getDocument.path.replace('{tenant}', tx.tenant).replace('{id}', viewId))
    return asDocument(await ownView(tx, actor, viewId), actor)
  })

  serveTenant(app, deleteDocument, async (call) =>
    removeHeld(call, await ownView(call.tx, call.actor, call.params.id, 'hold')),
  )
}

const shape: Shape = { label: 'metadata.userViewName', content: 'content.' }

/** Keeps a view of the person's own, as a new one or in the place of the one that the form names. */
async function keep(asking: Asking, form: Received<typeof saveDocument>['form']): Promise<NamedView> {
  const { tx, actor } = asking
  const { metadata, documentId, updatedAt } = form
  const before = documentId ? await ownView(tx, actor, documentId, 'hold') : undefined
  const list = allLists[metadata.userViewType]
  if (!can(actor, list.may)) throw refuse('forbidden')
  if (before && updatedAt && +new Date(updatedAt) !== +before.updatedAt) throw savedMeanwhile()
  const label = metadata.userViewName
  const content = await contentIn(form.content)
  return before
    ? changeHeld(asking, before, { root: list.root, label, ...content }, shape)
    : createView(asking, { list, label, private: true, ...content }, shape)
}

/** A view of the actor's own, if asked for held until the transaction ends; anybody else's is not found. */
async function ownView(tx: TenantTx, actor: Actor, viewId: string, hold?: 'hold'): Promise<NamedView> {
  const [view] = await ownViews(tx, actor, { viewId, ...(hold && { hold: true }) })
  if (!view) throw refuse('not found')
  return view
}

/** Documents are asked for by the person's own id, the session's or that of the tenant's user; no other will do. */
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

async function contentIn(file: File): Promise<ViewContent> {
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
