import { useEffect, useState } from 'react'
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import type { RunAction } from '@caretaker/rules/actions/home-actions.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../api/actor.ts'
import { Dialog, Problems } from '../ui/dialog.tsx'
import { useGoTo } from '../ui/link.tsx'
import { LoadingLines } from '../ui/states.tsx'
import { showSticky } from '../ui/toasts.tsx'
import { showOutcome } from './bulk-outcome.ts'
import { isCommandAction } from './bulk-plans.ts'
import { Progress } from './bulk-progress.tsx'
import { bulkActionQuery, bulkAnswersQuery, countsOf } from './bulk-queries.ts'
import { failureTexts } from './failure.ts'
import { refreshTenant } from './refresh.ts'
import { undoBulk } from './tag-changes.ts'
import { UndoButton } from './undo-button.tsx'
import { useWhileShown } from './use-while-shown.ts'

interface BulkJobProps {
  action: RunAction
  /** The title for a number of items. */
  title: (count: number) => string
  count: number
  names: readonly string[]
  /** Starts the action on the server. */
  begin: () => Promise<BulkRun>
  onClose: () => void
}

/** Runs a bulk action on the server and shows its progress; the action continues after the dialog is closed. */
export function BulkJobDialog({ action, title, count, names, begin, onClose }: BulkJobProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const goTo = useGoTo()
  const [begins] = useState(() => begin)
  const start = useMutation({
    mutationFn: begins,
    onSettled: () => refreshTenant(queryClient, tenant),
  })
  const { mutate, isIdle } = start
  useEffect(() => {
    if (isIdle) mutate()
  }, [isIdle, mutate])
  const bulkActionId = start.data?.bulkActionId
  const followed = useQuery({
    ...bulkActionQuery(tenant, bulkActionId ?? ''),
    enabled: bulkActionId !== undefined,
  }).data
  const run = followed?.run ?? start.data
  const { data: answers } = useQuery({
    ...bulkAnswersQuery(tenant, bulkActionId ?? ''),
    enabled: isCommandAction(action) && bulkActionId !== undefined,
  })
  const isOver = run !== undefined && run.finishedAt !== null
  const onUndone = useWhileShown(onClose)
  const takeBack = async () => {
    if (bulkActionId !== undefined && (await undoBulk(queryClient, tenant, bulkActionId, run?.subject))) onUndone()
  }
  useEffect(() => {
    if (!isOver || bulkActionId === undefined) return
    showOutcome({ action, counts: countsOf(run), takeBack })
    void refreshTenant(queryClient, tenant)
    // oxlint-disable-next-line react/exhaustive-deps -- shown once, at the end
  }, [isOver])
  const close = () => {
    if (run && !isOver)
      showSticky('The bulk action continues in the background.', {
        label: 'My bulk actions',
        onPress: () => goTo(pathTo(tenant, 'BulkActions')),
      })
    onClose()
  }
  return (
    <Dialog
      title={title(run?.total ?? count)}
      wide
      busy={start.isPending}
      onClose={close}
      actions={
        <>
          {start.isError && (
            <Button variant="default" onClick={() => mutate()}>
              Retry
            </Button>
          )}
          {run?.canUndo && <UndoButton takeBack={takeBack} />}
          <Button onClick={close} disabled={start.isPending}>
            Close
          </Button>
        </>
      }
    >
      {run && <Progress action={action} names={names} counts={countsOf(run)} answers={answers?.counts} />}
      {!run && !start.isError && <LoadingLines lines={2} />}
      {start.isError && <Problems texts={failureTexts(start.error)} />}
      {run && !isOver && (
        <p>The action continues if you close this dialog or leave the page. You can find it under My bulk actions.</p>
      )}
    </Dialog>
  )
}
