import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconArrowBackUp, IconHome2 } from '../../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { asksForColumns, importKeptDays } from '@caretaker/rules/imports/life.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog, Problems } from '../../ui/dialog.tsx'
import { AppLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Failed, Loading, LoadingLines, NotFound } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { DeviceKeysCard } from './device-keys.tsx'
import { EncodingCard } from './encoding-card.tsx'
import { FaultsCard, LeftCard, NotesCard } from './faults.tsx'
import { ItemsCard, PreviewCard } from './preview.tsx'
import { importQuery } from './queries.ts'
import { QuestionsCard } from './questions.tsx'
import { RepeatsCard } from './repeats.tsx'
import { SheetsCards } from './sheets.tsx'
import type { Acts } from './use-import.ts'
import { useImport } from './use-import.ts'
import { counted, stateWords } from './words.ts'
import { WordsCard } from './words-card.tsx'
import classes from './imports.module.css'

/** One import, from the preview to the result. */
export function ImportPage({ importId }: { importId: string }) {
  const { actor, client } = usePresence()
  const { data, error, refetch } = useQuery(importQuery(actor.tenant, importId))
  usePageTitle(data?.name ?? 'Import properties', client.displayName)
  const back = { href: pathTo(actor.tenant, 'Properties', 'Import'), label: 'Import properties' }
  const status = error instanceof CallError ? error.status : undefined
  if (!data && (status === 404 || status === 400))
    return <NotFound back={back} hint={`Lists are kept for ${importKeptDays} days.`} />
  return (
    <div className={classes.page}>
      <PageHead
        back={back}
        title={data?.name ?? 'Import properties'}
        chips={data && <span className={classes.chip}>{stateWords[data.state]}</span>}
        place={
          data && (
            <span>
              {data.by}, <TimeOf at={data.createdAt} />
            </span>
          )
        }
      />
      <div className={classes.one}>
        {data ? (
          <Stage list={data} />
        ) : error ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the list">
            <LoadingLines lines={8} />
          </Loading>
        )}
      </div>
    </div>
  )
}

function Stage({ list }: { list: Import }) {
  const acts = useImport(list)
  const { state, found } = list
  if (state === 'importing' || state === 'undoing') return <Working list={list} />
  if (state === 'done' || state === 'undone') return <Report list={list} acts={acts} />
  const reading = state === 'planning'
  return (
    <>
      {reading && (
        <p className={classes.reading} role="status">
          <progress aria-label="Reading the list" />
          Reading the list. A list of 50,000 rows takes about a minute.
        </p>
      )}
      {state === 'unreadable' && (
        <AlarmPanel
          tone="failed"
          title={`${list.fault ?? 'This list cannot be read'}.`}
          meaning={
            found?.sheets.length
              ? 'Nothing was changed. Choose the header row below and map each column.'
              : 'Nothing was changed. Correct the file and choose it again.'
          }
        />
      )}
      <Problems texts={acts.problems} />
      <div className={classes.plan} data-busy={reading || undefined} aria-busy={reading}>
        {state === 'planned' &&
          (asksForColumns(found!) ? (
            <AlarmPanel
              tone="warning"
              title="Map the columns."
              meaning="No column identifies the rows. Choose the header row below and map each column. Nothing was changed."
            />
          ) : (
            <PreviewCard list={list} acts={acts} />
          ))}
        {found && <EncodingCard list={list} acts={acts} />}
        {found && state === 'planned' && <QuestionsCard list={list} acts={acts} />}
        {found && <SheetsCards list={list} acts={acts} />}
        {found && found.words.length > 0 && <WordsCard list={list} acts={acts} />}
        {state === 'planned' && <RepeatsCard list={list} acts={acts} />}
        {!reading && <FaultsCard list={list} acts={acts} />}
        {state === 'planned' && <ItemsCard list={list} />}
        {state === 'planned' && <NotesCard list={list} />}
      </div>
    </>
  )
}

/** The progress of the worker. */
function Working({ list: { state, total, done, refused, undone, kept } }: { list: Import }) {
  const undoing = state === 'undoing'
  const whole = undoing ? done : total
  const gone = undoing ? undone + kept : done + refused
  return (
    <Card title={undoing ? 'Being undone' : 'Being imported'}>
      <div className={classes.working}>
        <progress max={Math.max(1, whole)} value={gone} aria-label={undoing ? 'Undoing' : 'Importing'} />
        <p role="status" className="tabular">
          {gone.toLocaleString('en-GB')} of {whole.toLocaleString('en-GB')}
        </p>
        <p className={classes.hint}>The import continues if you close this page.</p>
      </div>
    </Card>
  )
}

/** The result, with undo. */
function Report({ list, acts }: { list: Import; acts: Acts }) {
  const { tenant } = usePresence().actor
  const [asking, setAsking] = useState(false)
  const { state, done, refused, undone, kept, fault, finishedAt, found } = list
  const isDone = state === 'done'
  const totals = found?.totals
  return (
    <>
      {fault && (
        <AlarmPanel
          tone="failed"
          title={`${fault}.`}
          meaning="Rows written before the error are kept and can be undone."
        />
      )}
      <Card
        title={isDone ? 'Result' : 'Undone'}
        actions={
          isDone &&
          done > 0 && (
            <Button
              variant="default"
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              onClick={() => setAsking(true)}
            >
              Undo this import
            </Button>
          )
        }
        footer={
          <AppLink href={pathTo(tenant, 'Properties')} className={classes.nextStep}>
            <IconHome2 size={16} aria-hidden /> Go to the properties
          </AppLink>
        }
      >
        <dl className={classes.figures}>
          {isDone ? (
            <>
              <Figure label="Created or updated" value={done} />
              <Figure label="Unchanged" value={sum(totals?.unchanged)} />
              <Figure label="Not written" value={refused} />
              <Figure label="Rejected rows" value={totals?.refusedRows ?? 0} />
            </>
          ) : (
            <>
              <Figure label="Undone" value={undone} />
              <Figure label="Kept, edited since" value={kept} />
            </>
          )}
        </dl>
        {finishedAt && (
          <p className={classes.hint}>
            {isDone ? 'Imported' : 'Undone'} by {list.by}, <TimeOf at={finishedAt} />
          </p>
        )}
      </Card>
      {isDone && <DeviceKeysCard list={list} acts={acts} />}
      <LeftCard list={list} />
      {isDone && <FaultsCard list={list} acts={acts} />}
      {asking && (
        <ConfirmDialog
          title="Undo this import"
          verb="Undo"
          danger
          onConfirm={acts.undo}
          onClose={() => setAsking(false)}
        >
          <p>
            {counted(done, 'record')} will be undone: created records are removed and updated records get their previous
            values. Records that someone has edited or used since are kept and listed.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div data-zero={value === 0 || undefined}>
      <dt>{label}</dt>
      <dd>{value.toLocaleString('en-GB')}</dd>
    </div>
  )
}

const sum = (counts: Partial<Record<string, number>> = {}) =>
  Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0)
