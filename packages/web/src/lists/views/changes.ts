import type { QueryClient } from '@tanstack/react-query'
import type { UserDocument } from '@caretaker/contract/documents.ts'
import { deleteDocument, saveDocument } from '@caretaker/contract/calls/documents.ts'
import type { Sent } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import type { ViewContent, ViewDefinition } from '@caretaker/contract/views.ts'
import { createViewDefinition, deleteViewDefinition, updateViewDefinition } from '@caretaker/contract/calls/views.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { call } from '../../api/call.ts'
import { listViewsQuery, viewOfDocument, viewsQuery } from '../../api/views.ts'
import { showSuccess } from '../../ui/toasts.tsx'

export interface NewView {
  label: string
  private: boolean
  content: ViewContent
}

export interface ViewChange {
  label?: string
  private?: boolean
  authors?: string[]
  content?: ViewContent
}

/** Changes to a list's views, which also update the cached list without a reload. */
export interface ViewChanges {
  create(view: NewView): Promise<View>
  update(view: View, change: ViewChange): Promise<View>
  /** Leaves the view after deletion and before it disappears from the list, because a shown view must exist. */
  remove(view: View, leave: () => Promise<void>): Promise<void>
}

/** The changes to a list's views for either kind of storage, with the messages of the specification (section 8). */
export function viewChanges(client: QueryClient, actor: Actor, list: List): ViewChanges {
  const { create, update, remove } =
    list.views === 'definitions'
      ? definitionChanges(client, actor, list.root as SharedRoot)
      : documentChanges(client, actor, list.name)
  return {
    async create(view) {
      const made = await create(view)
      showSuccess(`User view ${made.label} added successfully!`)
      return made
    },
    async update(view, change) {
      const changed = await update(view, change)
      showSuccess(`User view ${changed.label} saved successfully!`)
      return changed
    },
    async remove(view, leave) {
      await remove(view, leave)
      showSuccess(`User view ${view.label} deleted successfully!`)
    },
  }
}

/** The lists with view definitions, as given by `views`. */
type SharedRoot = Sent<RouteOf<typeof createViewDefinition>>['body']['view']['root']

/** Views of the listings as view definitions: shared, each save checked against the version last seen. */
function definitionChanges(client: QueryClient, { tenant }: Actor, root: SharedRoot): ViewChanges {
  const { queryKey } = viewsQuery(tenant)
  const inList = (change: (views: ViewDefinition[]) => ViewDefinition[]) =>
    client.setQueryData(queryKey, (data) => data && { ...data, views: change(data.views) })
  return {
    async create({ label, private: isPrivate, content }) {
      const view = await call(createViewDefinition, {
        body: { tenant, view: { root, label, private: isPrivate, ...content } },
      })
      inList((views) => [...views, view])
      return view
    },
    async update({ viewId, version }, { content, ...change }) {
      const view = await call(updateViewDefinition, {
        body: { tenant, view: { viewId, version, ...change, ...content } },
      })
      inList((views) => views.map((one) => (one.viewId === viewId ? view : one)))
      return view
    },
    async remove({ viewId }, leave) {
      await call(deleteViewDefinition, { body: { tenant, viewId } })
      await leave()
      inList((views) => views.filter((one) => one.viewId !== viewId))
    },
  }
}

/** Views of the grids as documents of one user, each save checked against the time last seen. */
function documentChanges(client: QueryClient, { tenant, memberId }: Actor, listing: string): ViewChanges {
  const { queryKey } = listViewsQuery(tenant, memberId)
  const inList = (change: (documents: UserDocument[]) => UserDocument[]) =>
    client.setQueryData(queryKey, (documents) => documents && change(documents))
  const send = async (label: string, content: ViewContent, over: { documentId?: string; updatedAt?: string } = {}) => {
    const document = await call(saveDocument, {
      params: { tenant },
      form: {
        content: new File([JSON.stringify(content)], 'view.json', { type: 'application/json' }),
        metadata: JSON.stringify({ userViewName: label, userViewType: listing }),
        ...over,
      },
    })
    if (document.documentType !== 'ListingViewConfig') throw new Error('The saved data is not a list view')
    inList((documents) => [...documents.filter(({ id }) => id !== document.id), document])
    return viewOfDocument(document, memberId)
  }
  return {
    create: ({ label, content }) => send(label, content),
    update: (view, { label = view.label, content }) => {
      const known = client.getQueryData(queryKey)?.find(({ id }) => id === view.viewId)
      const seen = known ? { updatedAt: known.updatedAt } : {}
      return send(label, content ?? contentOf(view), { documentId: view.viewId, ...seen })
    },
    async remove({ viewId }, leave) {
      await call(deleteDocument, { params: { tenant, id: viewId } })
      await leave()
      inList((documents) => documents.filter(({ id }) => id !== viewId))
    },
  }
}

/** Columns, filters and sort order as stored in a view. */
export function contentOf({ columns, filters, sorts }: Pick<View, 'columns' | 'filters' | 'sorts'>): ViewContent {
  return {
    columns: [...columns] as ViewContent['columns'],
    filters: filters.map((filter) => ({ ...filter })) as ViewContent['filters'],
    sorts: sorts.map((sort) => ({ ...sort })),
  }
}
