import type { FastifyInstance } from 'fastify'
import type { UserDocument } from '@caretaker/contract/documents.ts'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { asSeen } from '../views/content.ts'
import { keepDocument, removeDocument } from './service.ts'
import { findDocument, isUser, listDocuments } from './store.ts'

export function documentRoutes(app: FastifyInstance): void {
  serveTenant(app, getDocuments, async ({ tx, actor, query }) => {
    await refuseOthers(tx, actor, query.userId)
    return { results: (await listDocuments(tx, actor)).map((document) => seen(document, actor)) }
  })

  serveTenant(app, getDocument, async ({ tx, actor, params }) => seen(await findDocument(tx, actor, params.id), actor))

  serveTenant(app, saveDocument, async (call) => {
    const { tx, actor, form, reply } = call
    if (form.userId) await refuseOthers(tx, actor, form.userId)
    const id = await keepDocument(call, form)
    void reply.header('location', getDocument.path.replace('{tenant}', tx.tenant).replace('{id}', id))
    return seen(await findDocument(tx, actor, id), actor)
  })

  serveTenant(app, deleteDocument, async (call) => removeDocument(call, call.params.id))
}

/** Documents are asked for by the person's own id, the session's or that of the tenant's user; no other will do. */
async function refuseOthers(tx: TenantTx, actor: Actor, userId: string): Promise<void> {
  if (userId === actor.userId || userId === actor.memberId) return
  throw refuse((await isUser(tx, userId)) ? 'forbidden' : 'not found')
}

function seen(document: UserDocument, actor: Actor): UserDocument {
  const { columns, filters, sorts } = asSeen(document.content, document.metadata.userViewType, actor)
  return { ...document, content: { columns, filters: filters as UserDocument['content']['filters'], sorts } }
}
