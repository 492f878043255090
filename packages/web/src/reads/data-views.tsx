import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { exportPersonalDataReads } from '@caretaker/contract/calls/reads.ts'
import type { PersonalDataRead } from '@caretaker/contract/reads.ts'
import { notByHome, readKinds } from '@caretaker/rules/audit/reads.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { showCallError } from '../api/errors.ts'
import { saveFile } from '../api/save-file.ts'
import { IconDownload } from '../icons/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../ui/states.tsx'
import { TimeOf } from '../ui/zone.tsx'
import type { ReadsAbout } from './queries.ts'
import { readsPageSize, readsQuery } from './queries.ts'
import classes from './data-views.module.css'

interface DataViewsProps {
  title: string
  about: ReadsAbout
  onClose: () => void
}

/** Views of a property's or resident's personal data, or views by a user, with an export. */
export function DataViews({ title, about, onClose }: DataViewsProps) {
  const { tenant } = useActor()
  const [page, setPage] = useState(1)
  const [isSaving, setSaving] = useState(false)
  const { data, isError, refetch } = useQuery(readsQuery(tenant, about, page))
  const save = async () => {
    setSaving(true)
    await call(exportPersonalDataReads, { params: { tenant }, query: about }).then(saveFile, showCallError)
    setSaving(false)
  }
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={isSaving}
            disabled={!data?.total}
            onClick={() => void save()}
          >
            Export CSV
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {data ? (
        <>
          <Entries entries={data.results} isOfUser={'userId' in about} />
          {!('userId' in about) && <p className={classes.more}>{notByHome}</p>}
        </>
      ) : isError ? (
        <Failed hint="Failed to load the entries" onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading the entries">
          <LoadingLines lines={4} />
        </Loading>
      )}
      {data && data.total > readsPageSize && (
        <Pager page={page} pageSize={readsPageSize} total={data.total} onPage={setPage} />
      )}
    </Dialog>
  )
}

function Entries({ entries, isOfUser }: { entries: readonly PersonalDataRead[]; isOfUser: boolean }) {
  if (entries.length === 0)
    return <Empty text="No entries" hint="Views of personal data appear here and are kept for 13 months." />
  return (
    <ul className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.readId}>
          <b>{isOfUser ? entry.page : who(entry)}</b>
          <span className={classes.more}>
            {isOfUser ? shownIn(entry) : [entry.page, readKinds[entry.kind]].join(', ')}
          </span>
          <span className={classes.more}>
            <TimeOf at={entry.lastAt} />
            {entry.times > 1 && `, ${entry.times} times`}
            {isOfUser && entry.viewingAs !== null && `, viewing as ${entry.viewingAs}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function who({ name, role, isKey, viewingAs }: PersonalDataRead): string {
  const kind = isKey ? 'API key' : role ? roleWords(role) : 'Vendor staff'
  return `${name} (${kind})${viewingAs === null ? '' : `, viewing as ${viewingAs}`}`
}

/** The most properties that an entry names. */
const mostNamed = 5

function shownIn({ kind, properties, residents, rows }: PersonalDataRead): string {
  const named = properties.slice(0, mostNamed).map(({ reference }) => reference ?? 'Removed property')
  const left = properties.length - named.length
  const count =
    residents > 0 ? countOf(residents, 'resident') : properties.length === 0 && rows ? countOf(rows, 'row') : ''
  return [readKinds[kind], ...named, left > 0 ? `${left} more` : '', count].filter(Boolean).join(', ')
}

const countOf = (count: number, noun: string) => `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`
