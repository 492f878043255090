import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconRefresh } from '../icons/index.ts'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import { retryBulkAction } from '@caretaker/contract/calls/actions.ts'
import { countOf, runActionLabels } from '@caretaker/rules/actions/home-actions.ts'
import { usePresence } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { usePageTitle } from '../api/page-title.ts'
import { Age } from '../ui/age-view.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import { Progress } from './bulk-progress.tsx'
import { isCommandAction } from './bulk-plans.ts'
import { bulkActionQuery, bulkActionsQuery, bulkAnswersQuery, countsOf } from './bulk-queries.ts'
import { refreshTenant } from './refresh.ts'
import { requestSuccessful, showFailure, undoBulk } from './tag-changes.ts'
import { UndoButton } from './undo-button.tsx'
import classes from './bulk-actions.module.css'

/** The bulk actions of the user, with progress and failures. */
export function BulkActionsPage() {
  const { actor, client } = usePresence()
  usePageTitle('My bulk actions', client.displayName)
  const { data: runs, isError, refetch } = useQuery(bulkActionsQuery(actor.tenant))
  return (
    <>
      <PageHead title="My bulk actions" />
      <div className={classes.page}>
        {runs?.map((run) => (
          <RunCard key={run.bulkActionId} run={run} />
        ))}
        {runs?.length === 0 && (
          <Empty
            text="No bulk actions yet"
            hint="Actions on several devices or properties at once are listed here. Select rows in a listing to start one."
          />
        )}
        {!runs && (isError ? <Failed onRetry={() => void refetch()} /> : <Loading label="Loading your bulk actions" />)}
      </div>
    </>
  )
}

function RunCard({ run }: { run: BulkRun }) {
  const { bulkActionId, subject, action, total, names, startedAt, finishedAt, failed, canUndo, undone } = run
  const { tenant } = usePresence().actor
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [opened, setOpened] = useState(false)
  const attempt = (work: () => Promise<unknown>) => {
    setBusy(true)
    void work()
      .catch(showFailure)
      .finally(() => setBusy(false))
  }
  const retry = async () => {
    await call(retryBulkAction, { body: { tenant, bulkActionId } })
    showSuccess(requestSuccessful)
    await refreshTenant(queryClient, tenant)
  }
  const { data: answers } = useQuery({
    ...bulkAnswersQuery(tenant, bulkActionId),
    enabled: isCommandAction(action),
  })
  const title = `${runActionLabels[action]}: ${countOf(total, subject)}`
  return (
    <section className={classes.run} aria-label={title}>
      <header className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        <span className={classes.age}>
          {finishedAt === null ? 'started' : 'finished'} <Age at={finishedAt ?? startedAt} />
        </span>
      </header>
      <Progress action={action} names={names} counts={countsOf(run)} answers={answers?.counts} />
      {undone && <p className={classes.undone}>This change was undone.</p>}
      {(failed > 0 || canUndo) && (
        <div className={classes.actions}>
          {failed > 0 && (
            <Button variant="default" aria-expanded={opened} onClick={() => setOpened(!opened)}>
              {opened ? 'Hide failures' : 'Show failures'}
            </Button>
          )}
          {failed > 0 && finishedAt !== null && !undone && (
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={busy}
              onClick={() => attempt(retry)}
            >
              Retry {failed.toLocaleString('en-GB')} failed
            </Button>
          )}
          {canUndo && <UndoButton takeBack={() => undoBulk(queryClient, tenant, bulkActionId, subject)} />}
        </div>
      )}
      {opened && failed > 0 && <Failures bulkActionId={bulkActionId} subject={subject} failed={failed} />}
    </section>
  )
}

interface FailuresProps extends Pick<BulkRun, 'bulkActionId' | 'subject' | 'failed'> {}

/** The failures with their reasons; the server returns at most 1,000. */
function Failures({ bulkActionId, subject, failed }: FailuresProps) {
  const { tenant } = usePresence().actor
  const { data, isError, refetch } = useQuery(bulkActionQuery(tenant, bulkActionId))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!data) return <Loading label="Loading the failures" />
  const { failures } = data
  return (
    <>
      <ul
        className={classes.failures}
        aria-label={subject === 'property' ? 'Properties that failed' : 'Devices that failed'}
        tabIndex={0}
      >
        {failures.map(({ deviceId, serial, name, message }) => (
          <li key={deviceId}>
            <b>{serial}</b> {name}
            {message !== null && <span className={classes.message}>{message}</span>}
          </li>
        ))}
      </ul>
      {failures.length < failed && (
        <p className={classes.undone}>And {countOf(failed - failures.length, subject)} more.</p>
      )}
    </>
  )
}
