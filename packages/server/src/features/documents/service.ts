import type { Received } from '@caretaker/contract/route.ts'
import type { saveDocument, UserDocument } from '@caretaker/contract/documents.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { ViewContent } from '@caretaker/contract/views.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { fieldsOf } from '@caretaker/rules/devices/fields.ts'
import { listings } from '@caretaker/rules/devices/listings.ts'
import { builtInViews, viewNameFault } from '@caretaker/rules/views/view.ts'
import { audit } from '../../audit/audit.ts'
import type { Person } from '../../identity/person.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData } from '../devices/visible.ts'
import { refuseUnsound, toldFilters } from '../views/content.ts'
import * as store from './store.ts'

/** Who asks, where. */
interface Asking {
  tx: TenantTx
  actor: Actor
  person: Person
}

/** Keeps a list view of the person's own, as a new one or in the place of the one that the form names; gives its id. */
export async function keepDocument(asking: Asking, form: Received<typeof saveDocument>['form']): Promise<string> {
  const { tx, actor } = asking
  const { metadata, documentId, documentType, contentType, updatedAt } = form
  const before = documentId ? await store.findDocument(tx, actor, documentId, 'hold') : undefined
  if (!can(actor, listings[metadata.userViewType].may)) throw refuse('forbidden')
  if (before && updatedAt && new Date(updatedAt).getTime() !== new Date(before.updatedAt).getTime())
    throw refuse('conflict', 'Somebody else saved this view meanwhile. Load it again before you save.')

  const content = await contentIn(form.content)
  refuseUnsound(content, fieldsOf(metadata.userViewType, hidesPersonalData(actor)), 'content.')
  await refuseName(tx, actor, metadata, documentId)
  const kept = { documentType, contentType, metadata, content }
  return before ? replace(asking, before, kept) : create(asking, kept)
}

type Kept = Pick<UserDocument, 'documentType' | 'contentType' | 'metadata' | 'content'>

async function create({ tx, actor, person }: Asking, kept: Kept): Promise<string> {
  const id = await store.insertDocument(tx, actor, kept)
  if (!id) throw nameInUse(kept.metadata.userViewName)
  const subject = { type: 'view', id, name: kept.metadata.userViewName } as const
  await audit(tx, { person, action: 'view created', subject, after: told(kept) })
  return id
}

async function replace({ tx, person }: Asking, before: UserDocument, kept: Kept): Promise<string> {
  const { id } = before
  const changed = differences(told(before), told(kept))
  if (!changed) return id
  if (!(await store.replaceDocument(tx, id, kept))) throw nameInUse(kept.metadata.userViewName)
  const subject = { type: 'view', id, name: before.metadata.userViewName } as const
  await audit(tx, { person, action: 'view changed', subject, ...changed })
  return id
}

export async function removeDocument({ tx, actor, person }: Asking, id: string): Promise<void> {
  const before = await store.findDocument(tx, actor, id, 'hold')
  await store.deleteDocument(tx, id)
  const subject = { type: 'view', id, name: before.metadata.userViewName } as const
  await audit(tx, { person, action: 'view deleted', subject, before: told(before) })
}

/** Takes everything that a user kept away with the user. */
export async function leaveDocuments({ tx, person }: Omit<Asking, 'actor'>, memberId: string): Promise<void> {
  for (const { id, name } of await store.deleteDocumentsOf(tx, memberId))
    await audit(tx, { person, action: 'view deleted', subject: { type: 'view', id, name } })
}

/** A document as the record of changes tells of it. */
function told({ metadata, content: { columns, filters, sorts } }: Pick<Kept, 'metadata' | 'content'>) {
  return { label: metadata.userViewName, grid: metadata.userViewType, columns, filters: toldFilters(filters), sorts }
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

/** A name is unique among the person's views of a grid, built-in ones included. */
async function refuseName(tx: TenantTx, actor: Actor, metadata: UserDocument['metadata'], id: string | undefined) {
  const { userViewName, userViewType } = metadata
  const others = (await store.listDocuments(tx, actor)).filter(
    (other) => other.metadata.userViewType === userViewType && other.id !== id,
  )
  const names = [
    ...builtInViews(userViewType).map((view) => view.label),
    ...others.map((one) => one.metadata.userViewName),
  ]
  if (viewNameFault(userViewName, names)) throw nameInUse(userViewName)
}

function nameInUse(name: string) {
  const message = viewNameFault(name, [name])
  return refuse('invalid', message, [{ field: 'metadata.userViewName', message: message! }])
}
