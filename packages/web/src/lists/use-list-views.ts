import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { List } from '@caretaker/rules/lists/list.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { builtInViews, isOfKnown } from '@caretaker/rules/views/view.ts'
import { useActor } from '../api/actor.ts'
import { useFailureToast } from '../api/failure-toast.ts'
import { listViewsQuery, viewOfDocument, viewsQuery } from '../api/views.ts'

/** The views of a list, built-in ones first; undefined while loading. Saved views that fail to load are left out. */
export function useListViews(list: List): readonly View[] | undefined {
  const actor = useActor()
  const { tenant, memberId } = actor
  const areDefinitions = list.views === 'definitions'
  const definitions = useQuery({ ...viewsQuery(tenant), enabled: areDefinitions })
  const documents = useQuery({ ...listViewsQuery(tenant, memberId), enabled: !areDefinitions })
  useFailureToast(areDefinitions ? definitions : documents, 'The saved views could not be loaded.')
  return useMemo(() => {
    if (areDefinitions) {
      if (definitions.isPending) return undefined
      return definitions.data?.views.filter(({ root }) => root === list.root) ?? builtInViews(list)
    }
    if (documents.isPending) return undefined
    const own = (documents.data ?? []).filter(({ metadata }) => metadata.userViewType === list.name)
    const fields = fieldsSeen(list, actor)
    const known = builtInViews(list).filter((view) => isOfKnown(view, fields))
    return [...known, ...own.map((document) => viewOfDocument(document, memberId))]
  }, [
    list,
    actor,
    areDefinitions,
    definitions.isPending,
    definitions.data,
    documents.isPending,
    documents.data,
    memberId,
  ])
}

/** The default view of a list. */
export function mainView({ label }: List, views: readonly View[]): View | undefined {
  return views.find((view) => view.builtIn && view.label === label) ?? views[0]
}
