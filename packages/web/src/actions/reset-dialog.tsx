import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { singleActionLabels } from '@caretaker/rules/actions/actions.ts'
import { kindOf, outcomeText } from '@caretaker/rules/commands/life.ts'
import { resetAdvice, resetsLately } from '@caretaker/rules/commands/reset.ts'
import { useActor } from '../api/actor.ts'
import { commandsQuery } from '../api/device-commands.ts'
import { dateTimeText } from '../ui/age.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Failed, LoadingLines } from '../ui/states.tsx'
import { useZone } from '../ui/zone.tsx'
import { command } from './commands.ts'
import type { SingleDialogProps } from './single-dialogs.tsx'
import { nameOf } from './target.ts'
import classes from './actions.module.css'

type Reset = 'reset boiler' | 'reset autofill'

const consequence: Record<Reset, string> = {
  'reset boiler': 'clears its lockout and tries to ignite again. Make sure that nobody is working on it.',
  'reset autofill': 'clears its lockout and fills the system again.',
}

export const ResetBoilerDialog = (props: SingleDialogProps) => <ResetDialog action="reset boiler" {...props} />
export const ResetAutofillDialog = (props: SingleDialogProps) => <ResetDialog action="reset autofill" {...props} />

/** Asks before a lockout is cleared, and shows the last resets: a recurring lockout needs a visit. */
function ResetDialog({ action, target, onClose }: SingleDialogProps & { action: Reset }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      title={`${singleActionLabels[action]} ${target.serialNumber}`}
      verb={singleActionLabels[action]}
      onConfirm={async () => {
        void command(queryClient, tenant, action, target)
        return true
      }}
      onClose={onClose}
    >
      <p>
        {nameOf(target)} {consequence[action]}
      </p>
      <LastResets deviceId={target.deviceId} />
    </ConfirmDialog>
  )
}

const shown = 3

function LastResets({ deviceId }: { deviceId: string }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data, isError, refetch } = useQuery(commandsQuery(tenant, deviceId))
  const [now] = useState(() => Date.now())
  if (isError)
    return <Failed text="The results of the last resets could not be loaded." onRetry={() => void refetch()} />
  if (!data) return <LoadingLines lines={2} />
  const resets = data.filter(({ name }) => kindOf(name) === 'reset')
  const time = (at: string) => dateTimeText(at, zone)
  return (
    <>
      <p>
        <b>{resetAdvice(resetsLately(resets, now))}</b>
      </p>
      {resets.length > 0 && (
        <ul className={classes.resets} aria-label="Last resets">
          {resets.slice(0, shown).map((reset) => (
            <li key={reset.commandId}>
              {time(reset.createdAt)}
              {reset.requestedBy !== null && `, ${reset.requestedBy}`}: {outcomeText(reset, { now, time })}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
