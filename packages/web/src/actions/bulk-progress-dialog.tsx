import { useEffect, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconRefresh } from '../icons/index.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { useActor } from '../api/actor.ts'
import { Dialog } from '../ui/dialog.tsx'
import type { DeviceAnswer } from './bulk-lines.tsx'
import { DeviceLines } from './bulk-lines.tsx'
import { Progress } from './bulk-progress.tsx'
import { canTakeBack, showOutcome } from './bulk-outcome.ts'
import type { WatchedAction } from './bulk-plans.ts'
import { bulkWords, isCommandAction, planOf } from './bulk-plans.ts'
import { bulkAnswersQuery } from './bulk-queries.ts'
import { bulkRun } from './bulk-run.ts'
import { refreshTenant } from './refresh.ts'
import { undoBulk } from './tag-changes.ts'
import { UndoButton } from './undo-button.tsx'
import { useWhileShown } from './use-while-shown.ts'
import type { SelectedDevice } from './picked.ts'
import classes from './actions.module.css'

export interface BulkProgressContext {
  action: BulkAction
  tags: readonly string[]
  names: readonly string[]
  onClose: () => void
}

interface BulkProgressProps extends BulkProgressContext {
  action: WatchedAction
  /** At most as many as a page processes itself. */
  devices: readonly SelectedDevice[]
}

/** Runs a bulk action and shows the result of each device; it can be closed once every device has a result. */
export function BulkProgressDialog({ action, devices, tags, names, onClose }: BulkProgressProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [, setChanges] = useState(0)
  const onUndone = useWhileShown(onClose)
  const [{ run, plan }] = useState(() => {
    const ids = devices.map(({ deviceId }) => deviceId)
    const made = planOf(action, tenant, tags)
    return { plan: made, run: bulkRun(ids, made, () => setChanges((count) => count + 1)) }
  })
  const takeBack = async () => {
    const bulkActionId = plan.bulkActionId()
    if (bulkActionId !== undefined && (await undoBulk(queryClient, tenant, bulkActionId))) onUndone()
  }
  const send = async (ids: readonly string[]) => {
    await run.send(ids)
    if (run.counts().loading > 0) return
    showOutcome({ action, counts: run.counts(), takeBack })
    await refreshTenant(queryClient, tenant)
  }
  const [begin] = useState(() => once(() => void send(devices.map(({ deviceId }) => deviceId))))
  useEffect(begin, [begin])

  const counts = run.counts()
  const bulkActionId = plan.bulkActionId()
  const isCommand = isCommandAction(action)
  const { data: answers } = useQuery({
    ...bulkAnswersQuery(tenant, bulkActionId ?? ''),
    enabled: isCommand && bulkActionId !== undefined && counts.done > 0,
  })
  const answerOf = (deviceId: string): DeviceAnswer =>
    answers?.devices.find((one) => one.deviceId === deviceId) ?? { answer: 'queued', message: null }
  const failed = counts.failed > 0 ? run.failed() : []
  const busy = counts.loading > 0
  const { title, ongoing, done } = bulkWords[action]
  return (
    <Dialog
      title={title(devices.length)}
      wide
      busy={busy}
      onClose={onClose}
      actions={
        <>
          {busy && <p className={classes.waits}>You can close this when every device has answered.</p>}
          {canTakeBack(action, counts) && <UndoButton takeBack={takeBack} />}
          {failed.length > 0 && (
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => void send(failed)}
            >
              Retry {failed.length.toLocaleString('en-GB')} failed
            </Button>
          )}
          <Button onClick={onClose} disabled={busy}>
            Close
          </Button>
        </>
      }
    >
      <Progress action={action} names={names} counts={counts} answers={counts.loading ? undefined : answers?.counts} />
      <DeviceLines
        devices={devices}
        outcomeOf={(id) => run.outcomeOf(id)}
        words={{ ongoing, done }}
        answerOf={isCommand ? answerOf : undefined}
        onRetry={(id) => void send([id])}
      />
    </Dialog>
  )
}

/** React's development mode mounts effects twice; this runs the action once. */
function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
