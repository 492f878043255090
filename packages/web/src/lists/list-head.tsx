import { useMediaQuery } from '@mantine/hooks'
import { ColumnsMenu } from './columns-menu.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { FiltersButton } from './filters/filters-drawer.tsx'
import type { ListData } from './list-source.ts'
import type { ListState } from './list-state.ts'
import { SearchField } from './search-field.tsx'
import { UpdateButton } from './update-button.tsx'
import classes from './list.module.css'

interface ListHeadProps {
  title: string
  state: ListState
  data: ListData<unknown> | undefined
  waiting: boolean
  onUpdate: () => void
}

/** The title of a list, its row count and tools. */
export function ListHead({ title, state, data, waiting, onUpdate }: ListHeadProps) {
  const isPhone = useIsPhone()
  const { scope, parameter, setScope } = state
  const { ScopeMenu, Begin, Tools } = state.source
  const shown = [scope?.label, data && countText(data)].filter(Boolean).join(': ')
  return (
    <header className={classes.head}>
      <div className={classes.named}>
        <h1 className={classes.title}>{title}</h1>
        {shown && (
          <span className={classes.count} role="status">
            {shown}
          </span>
        )}
        {ScopeMenu && <ScopeMenu parameter={parameter} onChange={setScope} />}
      </div>
      <div className={classes.tools}>
        {!isPhone && <Search state={state} />}
        {!isPhone && <ColumnsMenu state={state} />}
        {Tools && <Tools question={{ filters: state.conditions, search: state.search }} />}
        <ExportMenu state={state} total={data?.total ?? 0} />
        <UpdateButton waiting={waiting} onPress={onUpdate} />
        {Begin && <Begin />}
      </div>
    </header>
  )
}

/** The filters of a list as chips; on a phone behind a button beside the search. */
export function Narrowing({ state }: { state: ListState }) {
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

function Search({ state }: { state: ListState }) {
  return <SearchField value={state.search} onChange={(text) => state.set({ search: text }, { replace: true })} />
}

/** 'n of m' if not all rows of the list are shown. */
function countText({ total, outOf }: ListData<unknown>): string {
  const all = outOf.toLocaleString('en-GB')
  return total === outOf ? all : `${total.toLocaleString('en-GB')} of ${all}`
}
