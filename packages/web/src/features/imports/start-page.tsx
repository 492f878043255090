import { useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconDownload, IconFileImport, IconFileSpreadsheet, IconUpload } from '../../icons/index.ts'
import type { ImportRow } from '@caretaker/contract/imports.ts'
import { getImportTemplate, uploadImport } from '@caretaker/contract/calls/imports.ts'
import { importLimits } from '@caretaker/rules/imports/cells.ts'
import { importKeptDays } from '@caretaker/rules/imports/life.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import { lastListing } from '../../api/last-listing.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { saveFile } from '../../api/save-file.ts'
import { Card } from '../../ui/card.tsx'
import { Problems } from '../../ui/dialog.tsx'
import { AppLink, useGoTo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { sizeText } from '../../ui/size-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useDrop } from '../../ui/use-drop.ts'
import { TimeOf } from '../../ui/zone.tsx'
import { importsQuery } from './queries.ts'
import { counted, stateWords } from './words.ts'
import classes from './imports.module.css'

const megabytes = importLimits.bytes / 1024 / 1024

/** Choose a list, or open an earlier one. */
export function StartPage() {
  const { actor, client } = usePresence()
  usePageTitle('Import properties', client.displayName)
  return (
    <div className={classes.page}>
      <PageHead
        back={{ href: lastListing(actor.tenant, 'Properties'), label: 'Properties' }}
        title="Import properties"
      />
      <div className={classes.start}>
        <Upload />
        <ImportSteps />
        <Earlier />
      </div>
    </div>
  )
}

function Upload() {
  const { tenant } = usePresence().actor
  const goTo = useGoTo()
  const [sending, setSending] = useState<{ file: File; sent: number }>()
  const [problems, setProblems] = useState<string[]>([])
  const stopping = useRef<AbortController>(undefined)
  const take = (file: File) => {
    if (sending) return
    if (file.size > importLimits.bytes) return setProblems([`${file.name} is larger than ${megabytes} MB.`])
    setProblems([])
    setSending({ file, sent: 0 })
    const { signal } = (stopping.current = new AbortController())
    const onProgress = (sent: number) => setSending({ file, sent })
    call(uploadImport, { form: { tenant, file } }, { signal, onProgress })
      .then(({ importId }) => goTo(pathTo(tenant, 'Properties', 'Import', importId)))
      .catch((error: unknown) => {
        setSending(undefined)
        if (!signal.aborted) setProblems(textsOf(error))
      })
  }
  const drop = useDrop(take)
  return (
    <Card title="Your list" icon={<IconFileSpreadsheet aria-hidden />}>
      <div className={classes.upload} {...drop.handlers}>
        {sending ? (
          <div className={classes.sending}>
            <b>{sending.file.name}</b>
            <span className="tabular" role="status">
              {sending.sent < 1
                ? `${sizeText(sending.sent * sending.file.size)} of ${sizeText(sending.file.size)}`
                : 'Received'}
            </span>
            <progress max={1} value={sending.sent} aria-label={`Uploading ${sending.file.name}`} />
            <Button variant="default" onClick={() => stopping.current?.abort()}>
              Stop
            </Button>
          </div>
        ) : (
          <label className={classes.place} data-over={drop.isDraggedOver || undefined}>
            <input
              type="file"
              className="visually-hidden"
              aria-label="Choose a list"
              accept=".xlsx,.csv,.tsv,.txt"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? []
                // The same list can be chosen again after a correction.
                event.currentTarget.value = ''
                if (file) take(file)
              }}
            />
            {drop.isDraggedOver ? <IconFileImport aria-hidden /> : <IconUpload aria-hidden />}
            <span>
              {drop.isDraggedOver ? (
                <b>Drop the list to read it</b>
              ) : (
                <span>
                  <b>Choose a list</b> or drop it here
                </span>
              )}
              <span className={classes.hint}>
                Excel (.xlsx), CSV or TSV, up to {megabytes} MB and {importLimits.rows.toLocaleString('en-GB')} rows. It
                is only read: nothing changes until you import it.
              </span>
            </span>
          </label>
        )}
        <Problems texts={problems} />
      </div>
    </Card>
  )
}

function ImportSteps() {
  const { tenant } = usePresence().actor
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      saveFile(await call(getImportTemplate, { params: { tenant } }))
    } catch (error) {
      showCallError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card title="How importing works">
      <ol className={classes.steps}>
        <li>
          <b>Choose your list as it is.</b> Properties, buildings with their floors, or devices: one row each. Titles
          above the headings, extra columns and totals below are ignored.
        </li>
        <li>
          <b>Check the mapping.</b> Map the columns and values that were not recognised.
        </li>
        <li>
          <b>Review the changes,</b> with old and new values, and each rejected cell with the reason. An empty cell
          changes nothing.
        </li>
        <li>
          <b>Import.</b> You can close the page while it runs, and undo the import for {importKeptDays} days.
        </li>
      </ol>
      <p className={classes.template}>
        <span>No list yet?</span>
        <Button
          variant="default"
          loading={busy}
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => void download()}
        >
          Download the template
        </Button>
      </p>
    </Card>
  )
}

function Earlier() {
  const { tenant } = usePresence().actor
  const { data, isError, refetch } = useQuery(importsQuery(tenant))
  return (
    <Card title={`Lists of the last ${importKeptDays} days`} className={classes.earlier}>
      {data && data.length > 0 ? (
        <ul className={classes.list}>
          {data.map((row) => (
            <li key={row.importId}>
              <AppLink href={pathTo(tenant, 'Properties', 'Import', row.importId)}>{row.name}</AppLink>
              <span className={classes.state} data-pressing={row.state === 'planned' || undefined}>
                {stateWords[row.state]}
              </span>
              <span className={classes.what}>{resultText(row)}</span>
              <span className={classes.when}>
                {row.by}, <TimeOf at={row.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      ) : data ? (
        <Empty text="No imports yet" hint="Each list that you import appears here with its result." />
      ) : isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading the earlier lists" />
      )}
    </Card>
  )
}

/** The result of an import so far. */
function resultText({ state, fault, total, done, refused, refusedRows, undone, kept }: ImportRow): string {
  if (fault) return fault
  const wrong = refusedRows > 0 ? `, ${counted(refusedRows, 'row')} rejected` : ''
  if (state === 'planned') return `${counted(total, 'record')} to create or update${wrong}`
  if (state === 'undone') return `${undone.toLocaleString('en-GB')} undone, ${kept.toLocaleString('en-GB')} kept`
  if (state === 'planning' || state === 'unreadable') return ''
  const most = `${done.toLocaleString('en-GB')} created or updated`
  return `${refused > 0 ? `${most}, ${refused.toLocaleString('en-GB')} not` : most}${wrong}`
}
