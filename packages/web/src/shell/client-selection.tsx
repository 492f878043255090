import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useQuery } from '@tanstack/react-query'
import { IconArrowRight, IconChevronRight, IconSearch } from '../icons/index.ts'
import { Button } from '@mantine/core'
import type { Session } from '@caretaker/contract/session.ts'
import { clientsMatching, initialsOf, roleWords } from '@caretaker/rules/tenants/clients.ts'
import { addressInTenant } from '@caretaker/rules/links/places.ts'
import { signOut } from '../api/session.ts'
import { AppLink, useGoTo } from '../ui/link.tsx'
import { Bar, Empty, Failed, Loading } from '../ui/states.tsx'
import { Avatar } from './avatar.tsx'
import { Entrance } from './entrance.tsx'
import { usePageTitle } from '../api/page-title.ts'
import { clientsQuery } from './queries.ts'
import classes from './client-selection.module.css'

interface ClientRow {
  id: string
  displayName: string
  href: string
  role: string
}

/** The client selection of a signed-in user. `address` is the target. */
export function ClientSelection({ session, address }: { session: Session; address: string }) {
  usePageTitle('Select Client')
  const clients = useQuery(clientsQuery)
  const [search, setSearch] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const goTo = useGoTo()
  const rows = clientsMatching(clients.data ?? [], search).map((client) => ({
    id: client.id,
    displayName: client.displayName,
    href: addressInTenant(address, client.id),
    role: roleIn(session, client.id),
  }))
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'ArrowDown') list.current?.querySelector('a')?.focus()
    else if (event.key === 'Enter' && search.trim() !== '' && rows[0]) goTo(rows[0].href)
    else return
    event.preventDefault()
  }
  return (
    <Entrance>
      <SignedInAs session={session} />
      <h1 className={classes.title}>Select Client</h1>
      <label className={classes.search}>
        <IconSearch size={20} aria-hidden />
        <span className="visually-hidden">Search Client</span>
        <input
          type="search"
          placeholder="Search Client"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={onKey}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
      </label>
      {clients.isPending && <PlaceholderRows />}
      {clients.isError && <Failed onRetry={() => void clients.refetch()} />}
      {clients.isSuccess && rows.length === 0 && <NoRows search={search} />}
      {rows.length > 0 && <Rows ref={list} rows={rows} firstIsNext={search.trim() !== ''} />}
    </Entrance>
  )
}

/** The signed-in user, with a sign-out button. */
export function SignedInAs({ session }: { session: Session }) {
  return (
    <div className={classes.person}>
      <Avatar name={session.name} pictureUrl={session.pictureUrl} />
      <span className={classes.name}>
        Logged in as <b>{session.name}</b>
      </span>
      <Button variant="subtle" color="gray" className={classes.logout} onClick={() => void signOut()}>
        Logout
      </Button>
    </div>
  )
}

function roleIn(session: Session, tenant: string): string {
  const membership = session.tenants.find((one) => one.id === tenant)
  return membership ? roleWords(membership.role) : ''
}

/** Arrow keys move through the rows; up from the first one returns to the search. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...event.currentTarget.querySelectorAll('a')]
  const next = links.indexOf(document.activeElement as HTMLAnchorElement) + (event.key === 'ArrowDown' ? 1 : -1)
  event.preventDefault()
  if (next >= 0) links[next]?.focus()
  else document.querySelector<HTMLInputElement>('input[type=search]')?.focus()
}

interface RowsProps {
  rows: ClientRow[]
  /** Whether Enter in the search opens the first row. */
  firstIsNext: boolean
  ref: React.RefObject<HTMLUListElement | null>
}

function Rows({ rows, firstIsNext, ref }: RowsProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links inside are clicked
    <ul className={classes.rows} ref={ref} onKeyDown={moveFocus} aria-label="Clients">
      {rows.map((row, index) => (
        <li key={row.id}>
          <AppLink href={row.href} className={classes.row} data-next={(firstIsNext && index === 0) || undefined}>
            <span className={classes.initials} aria-hidden>
              {initialsOf(row.displayName)}
            </span>
            <span className={classes.client}>
              <span className={classes.clientName}>{row.displayName}</span>
              <span className={classes.role}>{row.role}</span>
            </span>
            <span className={classes.open} aria-hidden>
              Open <IconArrowRight size={16} />
            </span>
            <IconChevronRight size={18} className={classes.chevron} aria-hidden />
          </AppLink>
        </li>
      ))}
    </ul>
  )
}

function PlaceholderRows() {
  return (
    <Loading label="Loading clients">
      {[62, 48, 70, 55].map((width) => (
        <div key={width} className={classes.placeholder}>
          <Bar width="3.8rem" height="3.8rem" />
          <Bar width={`${width}%`} />
        </div>
      ))}
    </Loading>
  )
}

function NoRows({ search }: { search: string }) {
  return <Empty text="No clients found" hint={search.trim() === '' ? undefined : 'No matching clients.'} />
}
