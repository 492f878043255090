import { useEffect, useEffectEvent } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { formTexts } from '@caretaker/rules/maintenance/forms.ts'
import { statusText } from '@caretaker/rules/devices/status.ts'
import { nightText } from '@caretaker/rules/lighting/single.ts'
import { useActor } from '../api/actor.ts'
import { reach } from '../api/reach.ts'
import { showError, showSuccess, showWarning } from '../ui/toasts.tsx'
import { openAction } from './open.ts'
import { refreshTenant } from './refresh.ts'
import type { Outcome, WaitingRepair } from './waiting-repairs.ts'
import { forgetRepair, sendWaiting, useWaitingRepairs } from './waiting-repairs.ts'
import classes from './waiting-bar.module.css'

/** Milliseconds between two attempts to send what waits although the server can be reached: it may be busy. */
const pause = 30_000

/** Repairs of this browser that the server has not recorded yet: each with its state, and sent as soon as that is possible. */
export function WaitingBar() {
  const { tenant, userId } = useActor()
  const client = useQueryClient()
  const all = useWaitingRepairs()
  const own = all.filter(({ person }) => person.id === userId)
  const others = all.filter(({ person, body }) => person.id !== userId && body.tenant === tenant)
  const isPending = own.some(({ problems }) => !problems)
  const send = useEffectEvent(() =>
    sendWaiting(userId, (repair, outcome) => {
      if (outcome.kind === 'recorded') toastRecorded(repair, outcome)
      void refreshTenant(client, tenant)
    }),
  )
  useEffect(() => {
    if (!isPending) return
    const attempt = () => void (!reach.current().lost && send())
    attempt()
    const timer = setInterval(attempt, pause)
    const stop = reach.subscribe(attempt)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [isPending])
  return (
    <div className={classes.place} role="status" aria-label="Repairs to be sent">
      {own.map((repair) => (
        <Waiting key={repair.requestId} repair={repair} isHere={repair.body.tenant === tenant} />
      ))}
      {others.length > 0 && (
        <p className={classes.bar}>
          {others.length === 1 ? 'A repair of another person waits' : `${others.length} repairs of other people wait`}{' '}
          until they sign in.
        </p>
      )}
    </div>
  )
}

const nameOf = ({ name, serialNumber }: WaitingRepair['target']) => name || serialNumber

function Waiting({ repair, isHere }: { repair: WaitingRepair; isHere: boolean }) {
  const { target, problems } = repair
  if (!problems)
    return (
      <p className={classes.bar}>
        <b>Repair of {nameOf(target)}:</b> Waiting to be sent. It is sent when the connection is back.
      </p>
    )
  return (
    <div className={classes.bar} data-refused>
      <span>
        <b>Repair of {nameOf(target)} was not recorded:</b> {problems.join(' ')}
      </span>
      {isHere && (
        <Button variant="default" size="xs" onClick={() => openAction({ kind: 'single', action: 'repair', target })}>
          Open form
        </Button>
      )}
      <Button variant="default" size="xs" onClick={() => void forgetRepair(repair)}>
        Discard repair
      </Button>
    </div>
  )
}

/** Reports a repair that the server has recorded, with what could not be done. */
export function toastRecorded(
  { body, zone, target }: Pick<WaitingRepair, 'body' | 'zone' | 'target'>,
  { status, testStartsAt, isTestTooLate, refusedPhotos }: Extract<Outcome, { kind: 'recorded' }>,
): void {
  const planned = testStartsAt && `3-hour test planned for ${nightText(Date.parse(testStartsAt), zone)}.`
  showSuccess(
    body.provingTest === 'function'
      ? formTexts.repaired
      : [`Repair recorded.`, status && `The status is now ${statusText(status)}.`, planned].filter(Boolean).join(' '),
  )
  if (isTestTooLate)
    showWarning(
      `The night of the 3-hour test of ${nameOf(target)} had passed before the repair was sent. Plan another night.`,
    )
  if (refusedPhotos.length) showError(`The repair is recorded, but not uploaded: ${refusedPhotos.join(', ')}.`)
}
