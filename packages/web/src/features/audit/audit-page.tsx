import { useMemo, useState } from 'react'
import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IconSearch } from '../../icons/index.ts'
import type { AuditEntry } from '@caretaker/contract/audit.ts'
import { auditPageSize, mostAuditCounted } from '@caretaker/contract/calls/audit.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { auditActions } from '@caretaker/rules/audit/audit.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import type { Column } from '../../ui/table/props.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { DateRange } from '../../ui/date-range.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import type { AuditSearch } from './audit-place.ts'
import { isNarrowed, untilToday, validAuditSearch } from './audit-place.ts'
import { changeLine, fieldChanges } from '../../ui/field-changes.ts'
import { auditQuery } from './queries.ts'
import classes from './audit.module.css'

/** Who changed what and when, newest first; the filter is in the address. */
export function AuditPage() {
  const { actor, client } = usePresence()
  usePageTitle('Audit', client.displayName)
  const zone = useZone()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const search = untilToday(validAuditSearch(useSearch({ strict: false })), today)
  const { data, isError, isPending, refetch } = useQuery(auditQuery(actor.tenant, search, zone))
  const navigate = useNavigate()
  const show = (next: AuditSearch, typing = false) =>
    void navigate({ to: '.', search: validAuditSearch({ ...next }), replace: typing, resetScroll: false })
  const narrow = (part: AuditSearch, typing = false) => show({ ...search, ...part, page: 1 }, typing)
  const rows = data?.results ?? none
  const entry = rows.find(({ id }) => id === search.entry)
  const columns = useMemo(() => columnsFor(zone), [zone])

  return (
    <ListPage
      title="Audit"
      count={data && data.total <= mostAuditCounted && !data.searchedFrom ? data.total : undefined}
    >
      <FilterBar
        label="Changes"
        placeholder="Subject"
        value={search.subject ?? ''}
        onChange={(subject) => narrow({ subject }, true)}
        isSet={isNarrowed(search)}
        onClear={() => show({})}
      >
        <TextInput
          className={classes.user}
          leftSection={<IconSearch size={16} aria-hidden />}
          aria-label="User"
          placeholder="User"
          maxLength={100}
          value={search.user ?? ''}
          onChange={(event) => narrow({ user: event.currentTarget.value }, true)}
          autoComplete="off"
        />
        <Select
          className={classes.action}
          aria-label="Action"
          placeholder="Any action"
          clearable
          clearButtonProps={{ 'aria-label': 'Any action' }}
          data={auditActions.map((action) => ({ value: action, label: sentence(action) }))}
          value={search.action ?? null}
          onChange={(action) => narrow({ action: (action ?? undefined) as AuditAction })}
        />
        <DateRange
          label="Days"
          value={{ from: search.from, to: search.to }}
          onChange={({ from, to }) => narrow({ from, to } as AuditSearch)}
        />
      </FilterBar>
      <DataTable
        label="Changes"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        onOpen={({ id }) => show({ ...search, entry: id })}
        status={data ? 'ready' : isError ? 'failed' : isPending ? 'loading' : 'ready'}
        onRetry={() => void refetch()}
        empty={
          <Empty
            text="No data available"
            hint={
              data?.searchedFrom ? (
                <SearchedFrom at={data.searchedFrom} />
              ) : isNarrowed(search) ? (
                'No changes match the filter.'
              ) : (
                'No changes yet.'
              )
            }
          />
        }
        phoneRow={phoneRow}
        footer={
          data &&
          data.total > 0 && (
            <Pager
              page={search.page ?? 1}
              pageSize={auditPageSize}
              total={Math.min(data.total, mostAuditCounted)}
              onPage={(page) => show({ ...search, page })}
              note={<RestOfAudit {...data} />}
            />
          )
        }
      />
      {entry && <EntryDialog entry={entry} onClose={() => show({ ...search, entry: '' })} />}
    </ListPage>
  )
}

/** States how much the pages leave out, and how to see it. */
function RestOfAudit({ total, searchedFrom }: { total: number; searchedFrom: string | null }) {
  if (total > mostAuditCounted)
    return (
      <span>
        There are more than {mostAuditCounted.toLocaleString('en-GB')}. Choose an earlier last day, or a subject, user
        or action, to see others.
      </span>
    )
  return searchedFrom && <SearchedFrom at={searchedFrom} />
}

function SearchedFrom({ at }: { at: string }) {
  return (
    <span>
      Searched back to <TimeOf at={at} />. To search older changes, choose this day or an earlier one as the last day.
    </span>
  )
}

const none: AuditEntry[] = []

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const subjectOf = ({ subject, subjectType }: AuditEntry) => subject || sentence(subjectType)
const lineOf = ({ before, after }: AuditEntry, zone: string) => changeLine(fieldChanges(before, after, zone))

function columnsFor(zone: string): Column<AuditEntry>[] {
  return [
    {
      id: 'at',
      header: 'When',
      width: 135,
      cell: ({ at }) => <TimeOf at={at} />,
    },
    { id: 'user', header: 'User', width: 120, cell: ({ userName }) => userName },
    { id: 'action', header: 'Action', width: 185, link: true, cell: ({ action }) => sentence(action) },
    { id: 'subject', header: 'Subject', width: 140, cell: (row) => subjectOf(row) },
    {
      id: 'change',
      header: 'Change',
      width: 180,
      cell: (row) => <span className={classes.line}>{lineOf(row, zone)}</span>,
    },
  ]
}

function phoneRow(row: AuditEntry) {
  return (
    <span className={classes.phoneRow}>
      <b className={classes.phoneName}>{sentence(row.action)}</b>
      <span className={classes.line}>
        <TimeOf at={row.at} />
      </span>
      <span>{subjectOf(row)}</span>
      <span className={classes.line}>{row.userName}</span>
    </span>
  )
}

/** One change in full, with old and new values. */
function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const changes = fieldChanges(entry.before, entry.after, useZone())
  return (
    <Dialog title={sentence(entry.action)} onClose={onClose} wide>
      <dl className={classes.facts}>
        <dt>{sentence(entry.subjectType)}</dt>
        <dd>{subjectOf(entry)}</dd>
        <dt>Changed by</dt>
        <dd>{entry.userName}</dd>
        <dt>When</dt>
        <dd>
          <TimeOf at={entry.at} />
        </dd>
      </dl>
      {changes.length > 0 && (
        <table className={classes.changes}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field} data-same={before === after || undefined}>
                <th scope="row">{field}</th>
                <td className={classes.before}>{before}</td>
                <td>{after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  )
}
