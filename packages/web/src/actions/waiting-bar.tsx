import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { formTexts } from '@caretaker/rules/maintenance/forms.ts'
import { statusText } from '@caretaker/rules/devices/status.ts'
import { nightText } from '@caretaker/rules/lighting/single.ts'
import { useActor } from '../api/actor.ts'
import { reach } from '../api/reach.ts'
import { saveFile } from '../api/save-file.ts'
import { useSignIn } from '../api/session.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useZone } from '../ui/zone.tsx'
import { showError, showSuccess, showWarning } from '../ui/toasts.tsx'
import { openAction } from './open.ts'
import { refreshTenant } from './refresh.ts'
import type { Outcome, WaitingRepair } from './waiting-repairs.ts'
import { forgetRepair, isUnsent, sendWaiting, useWaitingRepairs } from './waiting-repairs.ts'
import classes from './waiting-bar.module.css'

/** Milliseconds between two attempts to send pending repairs although the server is reachable: it may be busy. */
const pause = 30_000

/**
 * Repairs in this browser that the server has not recorded yet, with their state; they are sent as soon as possible.
 */
export function WaitingBar() {
  const { tenant, userId } = useActor()
  const client = useQueryClient()
  const all = useWaitingRepairs()
  const own = all.filter(({ person }) => person.id === userId)
  const others = all.filter(
    ({ person, body, refusedPhotos }) => person.id !== userId && body.tenant === tenant && !refusedPhotos,
  )
  const isPending = own.some(isUnsent)
  const signIn = useSignIn()
  // The user of this page: another user may sign in in another tab before this one follows.
  const [subject] = useState(() => (signIn.state === 'signed in' ? signIn.subject : undefined))
  const send = useEffectEvent(async () => {
    if (subject === undefined) return
    await sendWaiting({ id: userId, subject }, (repair, outcome) => {
      if (outcome.kind === 'recorded') toastRecorded(repair, outcome)
      void refreshTenant(client, repair.body.tenant)
    })
  })
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
          {others.length === 1
            ? 'A repair by another user is waiting'
            : `${others.length} repairs by other users are waiting`}{' '}
          until they sign in.
        </p>
      )}
    </div>
  )
}

const nameOf = ({ name, serialNumber }: WaitingRepair['target']) => name || serialNumber

function Waiting({ repair, isHere }: { repair: WaitingRepair; isHere: boolean }) {
  const { target, photos, problems, refusedPhotos } = repair
  const zone = useZone()
  const [isAsked, setAsked] = useState(false)
  const [count, them] = photos.length === 1 ? ['photo', 'it'] : [`${photos.length} photos`, 'them']
  if (refusedPhotos)
    return (
      <div className={classes.bar} data-refused>
        <span>
          <b>
            Repair of {nameOf(target)} is recorded without its {count}:
          </b>{' '}
          {refusedPhotos.texts.join(' ')} This browser keeps {them} until{' '}
          {dayText(dayAt(refusedPhotos.keptUntil, zone))}.
        </span>
        <Button variant="default" size="xs" onClick={() => photos.forEach(({ file }) => saveFile(file))}>
          Download {count}
        </Button>
        <Button variant="default" size="xs" onClick={() => void forgetRepair(repair)}>
          Delete {count}
        </Button>
      </div>
    )
  if (!problems)
    return (
      <p className={classes.bar}>
        <b>Repair of {nameOf(target)}:</b> Waiting to be sent. It is sent when the connection is back.
        {photos.length > 0 && ` This browser keeps its ${count} until then.`}
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
      <Button variant="default" size="xs" onClick={() => setAsked(true)}>
        Discard repair
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Discard repair of ${nameOf(target)}?`}
          verb="Discard repair"
          danger
          onConfirm={async () => {
            await forgetRepair(repair)
            return true
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            It was not recorded. Its entries{photos.length > 0 && ` and its ${count}`} are deleted from this browser.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Reports a recorded repair, including what could not be done. */
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
  if (refusedPhotos.length)
    showError(
      `The repair is recorded, but these photographs were not uploaded: ${refusedPhotos.map(({ file }) => file.name).join(', ')}.`,
    )
}
