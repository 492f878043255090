import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Popover, TextInput } from '@mantine/core'
import { IconCheck, IconChevronDown, IconSearch } from '../../icons/index.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { countViews } from '@caretaker/contract/calls/views.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { viewGroup } from '@caretaker/rules/views/view.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { viewAddress } from '../../api/listing-address.ts'
import { AppLink, useGoTo } from '../../ui/link.tsx'
import type { ListState } from '../list-state.ts'
import { groupNames, ViewIcon } from './view-icon.tsx'
import classes from './views.module.css'
import { isFound } from '@caretaker/rules/texts/search-form.ts'

/** The largest number of views whose rows are counted at once. */
const mostCounted = 50

const countsQuery = (tenant: string, viewIds: string[]) =>
  queryOptions({
    queryKey: [tenant, 'view counts', viewIds],
    queryFn: ({ signal }) => call(countViews, { body: { tenant, viewIds } }, { signal }),
    placeholderData: (previous) => previous,
  })

/** All views of the list by kind, searchable by name; on a phone it also shows the current one. */
export function ViewPicker({ state }: { state: ListState }) {
  const [open, setOpen] = useState(false)
  const { view, views } = state
  return (
    <Popover opened={open} onChange={setOpen} width={358} position="bottom-start" trapFocus offset={6}>
      <Popover.Target>
        <button type="button" className={classes.picker} aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className={classes.all}>All {views.length} views</span>
          <span className={classes.present}>
            <ViewIcon view={view} />
            <span className={classes.name}>{view.label}</span>
            {state.changed && <span className={classes.edited}>edited</span>}
          </span>
          <IconChevronDown size={16} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown}>
        <Choice state={state} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Choice({ state, onClose }: { state: ListState; onClose: () => void }) {
  const { tenant } = useActor()
  const { source, area, view, views, changed } = state
  const [text, setText] = useState('')
  const box = useRef<HTMLDivElement>(null)
  const goTo = useGoTo()
  // The server cannot count documents of the grids.
  const counted = views.filter(({ builtIn }) => builtIn || source.list.views === 'definitions').slice(0, mostCounted)
  const counts = useQuery(
    countsQuery(
      tenant,
      counted.map(({ viewId }) => viewId),
    ),
  )
  const found = views.filter(({ label }) => isFound(text, [label]))
  const hrefOf = ({ viewId }: View) => viewAddress(tenant, source.list, viewId, { area })
  const onKeyDown = (event: KeyboardEvent) => {
    const links = [...(box.current?.querySelectorAll('a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
    else if (event.key === 'ArrowUp' && at > 0) links[at - 1]?.focus()
    else if (event.key === 'Enter' && at < 0 && found[0]) {
      goTo(hrefOf(found[0]))
      onClose()
    } else return
    event.preventDefault()
  }
  return (
    <div onKeyDown={onKeyDown}>
      <TextInput
        className={classes.find}
        leftSection={<IconSearch size={16} aria-hidden />}
        aria-label="Find a view"
        placeholder="Find a view"
        data-autofocus
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div ref={box} className={classes.list}>
        {(['system', 'public', 'private'] as const).map((group) => {
          const members = found.filter((one) => viewGroup(one) === group)
          if (members.length === 0) return undefined
          return (
            <section key={group} aria-label={groupNames[group]}>
              <h3 className={classes.group}>{groupNames[group]}</h3>
              <ul>
                {members.map((one) => {
                  const isHere = one.viewId === view.viewId
                  const count = counts.data?.[one.viewId]
                  return (
                    <li key={one.viewId}>
                      <AppLink
                        className={classes.choice}
                        href={hrefOf(one)}
                        aria-current={isHere ? 'page' : undefined}
                        onClick={onClose}
                      >
                        <ViewIcon view={one} />
                        <span className={classes.name}>{one.label}</span>
                        {group === 'public' && one.ownerName && <span className={classes.owner}>{one.ownerName}</span>}
                        {isHere && changed && <span className={classes.edited}>edited</span>}
                        <span className={classes.count}>{count?.toLocaleString('en-GB')}</span>
                        <span className={classes.check}>{isHere && <IconCheck size={16} aria-hidden />}</span>
                      </AppLink>
                    </li>
                  )
                })}
              </ul>
            </section>
          )
        })}
        {found.length === 0 && (
          <p className={classes.none} role="status">
            No view is called ‘{text.trim()}’
          </p>
        )}
      </div>
    </div>
  )
}
