import { useMediaQuery } from '@mantine/hooks'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { FiltersButton } from './filters/filters-drawer.tsx'
import { heatingOf, HeatingMenu } from './heating-menu.tsx'
import type { ListingState } from './listing-state.ts'
import { SearchField } from './search-field.tsx'
import { UpdateButton } from './update-button.tsx'
import classes from './listing.module.css'

interface ListingHeadProps {
  title: string
  state: ListingState
  data: ViewData | undefined
  waiting: boolean
  onUpdate: () => void
}

/** What a listing is, how many rows it has, and the tools for all of it. */
export function ListingHead({ title, state, data, waiting, onUpdate }: ListingHeadProps) {
  const isPhone = useIsPhone()
  const shown = [heatingOf(state.bcm), data && countText(data)].filter(Boolean).join(': ')
  return (
    <header className={classes.head}>
      <div className={classes.named}>
        <h1 className={classes.title}>{title}</h1>
        {shown && (
          <span className={classes.count} role="status">
            {shown}
          </span>
        )}
        <HeatingMenu state={state} />
      </div>
      <div className={classes.tools}>
        {!isPhone && <Search state={state} />}
        {!isPhone && <ColumnsMenu state={state} />}
        <ExportMenu state={state} total={data?.total ?? 0} />
        <UpdateButton waiting={waiting} onPress={onUpdate} />
      </div>
    </header>
  )
}

/** What narrows the listing: its filters as chips, on a phone behind a button beside the search. */
export function Narrowing({ state }: { state: ListingState }) {
  const isPhone = useIsPhone()
  if (!isPhone) return <FilterBar state={state} />
  return (
    <div className={classes.narrow}>
      <Search state={state} />
      <FiltersButton state={state} />
    </div>
  )
}

function useIsPhone(): boolean {
  return useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
}

function Search({ state }: { state: ListingState }) {
  return <SearchField value={state.search} onChange={(text) => state.set({ search: text }, { replace: true })} />
}

/** 'n of m' where not all rows of the listing are shown. */
function countText({ total, outOf }: ViewData): string {
  const all = outOf.toLocaleString('en-GB')
  return total === outOf ? all : `${total.toLocaleString('en-GB')} of ${all}`
}
