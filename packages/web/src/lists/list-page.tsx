import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../api/actor.ts'
import { viewAddress } from '../api/listing-address.ts'
import { usePageTitle } from '../api/page-title.ts'
import { Empty } from '../ui/states.tsx'
import { showError } from '../ui/toasts.tsx'
import type { ListSearch } from './list-place.ts'
import type { ListSource } from './list-source.ts'
import { ListView } from './list-view.tsx'
import { mainView, useListViews } from './use-list-views.ts'
import classes from './list.module.css'

interface ListPageProps<Row> {
  source: ListSource<Row>
  /** The first path segment, if it differs from the list's name. */
  area?: PlaceArea
}

/** A list, showing the view named in the address or else its main view. */
export function ListPage<Row>({ source, area = source.list.name as PlaceArea }: ListPageProps<Row>) {
  const { list } = source
  const { actor, client } = usePresence()
  const title = list.label
  const params: { viewId?: string } = useParams({ strict: false })
  const search: ListSearch = useSearch({ strict: false })
  const scope = source.scopeIn?.(search.filter).label
  usePageTitle(scope ? `${title}: ${scope}` : title, client.displayName)
  const views = useListViews(list)
  // Old links have the view as a parameter.
  const asked = (params.viewId ?? search.view)?.toLowerCase()
  const main = views && mainView(list, views)
  const view = asked === undefined ? main : views?.find(({ viewId }) => viewId.toLowerCase() === asked)
  const isGone = view === undefined && main !== undefined
  const navigate = useNavigate()
  const mainAddress = main && viewAddress(actor.tenant, list, main.viewId, { area })
  useEffect(() => {
    if (!isGone || mainAddress === undefined) return
    showError('This view does not exist or is private. The main view is shown instead.')
    void navigate({ href: mainAddress, replace: true })
  }, [isGone, mainAddress, navigate])

  if (views === undefined || isGone) return <Instead title={title} text="Loading Views..." />
  if (view === undefined) return <Instead title={title} text="No views available" />
  return <ListView key={`${area} ${view.viewId}`} source={source} area={area} title={title} view={view} views={views} />
}

function Instead({ title, text }: { title: string; text: ReactNode }) {
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.title}>{title}</h1>
      </header>
      <div className={classes.instead}>
        <Empty text={text} />
      </div>
    </div>
  )
}
