import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconClock } from '../icons/index.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { takeBackCommand } from '@caretaker/contract/calls/lighting.ts'
import { awaitsConfirmation, hasJustConfirmed, mayWithdraw, mayTryAgain } from '@caretaker/rules/commands/life.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { genericConnection } from '@caretaker/rules/devices/connection.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { showCallError } from '../api/errors.ts'
import { useClock } from '../ui/age-view.tsx'
import { dateTimeText } from '../ui/age.ts'
import { useZone } from '../ui/zone.tsx'
import { refreshBoiler } from './send.ts'
import { confirmedText, waitingText, needsAttention } from './confirmation-text.ts'
import classes from './heating.module.css'

/** The device that has to confirm a value. */
export interface Confirming {
  deviceId: string
  connectionStatus: ConnectionStatus
  reported: Readonly<Record<string, unknown>>
}

interface ConfirmationProps {
  device: Confirming
  /** The device whose page shows it, if it is another one. */
  pageOf?: string
  /** The last command for the value; null if none, undefined while loading. */
  command: Command | null | undefined
  /** Whether the desired value differs from the reported one. */
  waits: boolean
  /** The reported value, as the end of a sentence. */
  reported: string | undefined
  /** The confirmed value with its time; undefined if it was never requested. */
  confirmed: string | undefined
  /** Sends the command again; undefined without permission. */
  onAgain: (() => Promise<unknown>) | undefined
}

/**
 * Whether a value is confirmed, in the words of the devices specification, section 4; otherwise the state of the
 * command.
 */
export function Confirmation({ device, pageOf, command, waits, reported, confirmed, onAgain }: ConfirmationProps) {
  const now = useClock()
  const zone = useZone()
  const time = (at: string) => dateTimeText(at, zone)
  if (!waits) {
    if (confirmed === undefined) return undefined
    // Reserves the line while loading, so that nothing below it moves.
    const since =
      command === undefined
        ? '\u00a0'
        : command
          ? confirmedText(command, { state: device.reported, value: confirmed, time })
          : undefined
    return (
      <div className={classes.truth}>
        <p className={classes.confirmed} role="status">
          <IconCircleCheckFilled size={16} aria-hidden />
          State confirmed
        </p>
        {since !== undefined && <p className={classes.outcome}>{since}</p>}
      </div>
    )
  }
  const connected = genericConnection(device.connectionStatus) === 'Online'
  const worried = command ? needsAttention(command, now) : false
  const Icon = worried ? IconAlertTriangleFilled : IconClock
  return (
    <div className={classes.truth}>
      <p className={classes.waiting} data-attention={worried || undefined} role="status">
        <Icon size={16} aria-hidden />
        Waiting for device confirmation
      </p>
      <p className={classes.outcome}>
        {command
          ? waitingText(command, { connected, now, zone, time, reported })
          : reported && `The device reports ${reported}.`}
      </p>
      {command && onAgain && (
        <Ways device={device} pageOf={pageOf ?? device.deviceId} command={command} now={now} onAgain={onAgain} />
      )}
    </div>
  )
}

interface WaysProps {
  device: Confirming
  pageOf: string
  command: Command
  now: number
  onAgain: () => Promise<unknown>
}

/** Buttons to retry and withdraw, as far as the command's state allows. */
export function Ways({ device, pageOf, command, now, onAgain }: WaysProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const { deviceId, reported } = device
  const refresh = () => Promise.all([deviceId, pageOf].map((id) => refreshBoiler(client, tenant, id)))
  const again = useMutation({ mutationFn: onAgain, onError: showCallError, onSettled: refresh })
  const back = useMutation({
    mutationFn: () => call(takeBackCommand, { body: { tenant, deviceId, commandId: command.commandId } }),
    onError: showCallError,
    onSettled: refresh,
  })
  const busy = again.isPending || back.isPending
  const mayAgain = mayTryAgain(command, reported, now)
  const mayBack =
    awaitsConfirmation(command, reported) && !hasJustConfirmed(command, now) && mayWithdraw(command, reported)
  if (!mayAgain && !mayBack) return undefined
  return (
    <div className={classes.ways}>
      {mayAgain && (
        <Button variant="default" size="xs" disabled={busy} loading={again.isPending} onClick={() => again.mutate()}>
          Try again
        </Button>
      )}
      {mayBack && (
        <Button variant="default" size="xs" disabled={busy} loading={back.isPending} onClick={() => back.mutate()}>
          Take back
        </Button>
      )}
    </div>
  )
}
