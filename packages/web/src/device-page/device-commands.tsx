import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IconArrowBackUp, IconCheck, IconClock, IconRefresh, IconX } from '../icons/index.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { takeBackCommand } from '@caretaker/contract/calls/lighting.ts'
import { singleActionLabels } from '@caretaker/rules/actions/actions.ts'
import type { Ordered } from '@caretaker/rules/actions/operations.ts'
import { operationOfCommand, rightTo } from '@caretaker/rules/actions/operations.ts'
import type { CommandName, CommandStatus, VoidCommand } from '@caretaker/rules/commands/commands.ts'
import {
  awaitsConfirmation,
  contradictionText,
  hasJustConfirmed,
  lastOfEachKind,
  mayWithdraw,
  mayTryAgain,
  outcomeText,
  standing,
  statusAt,
} from '@caretaker/rules/commands/life.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { genericConnection } from '@caretaker/rules/devices/connection.ts'
import { isRepeatable, testCommandName } from '@caretaker/rules/actions/command-names.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { askOf } from '../actions/commands.ts'
import type { ActionTarget } from '../actions/target.ts'
import { actionsFor } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { commandsQuery } from '../api/device-commands.ts'
import { showCallError } from '../api/errors.ts'
import { useClock } from '../ui/age-view.tsx'
import { dateTimeText } from '../ui/age.ts'
import { useZone } from '../ui/zone.tsx'
import classes from './device-commands.module.css'

/** Milliseconds without an answer after which a pending command is highlighted. */
const patience = 5 * 60_000

/** A device with a page of its own or a place on another page. */
interface DeviceCommandsProps {
  device: { connectionStatus: ConnectionStatus; lastHeard: string | null; reported: Readonly<Record<string, unknown>> }
  target: ActionTarget
}

/** The last command of each kind except settings (which show their own state): sender, time, state and result. */
export function DeviceCommands({ device, target }: DeviceCommandsProps) {
  const { tenant } = useActor()
  const { data: commands } = useQuery(commandsQuery(tenant, target.deviceId))
  const now = useClock()
  const last = lastOfEachKind(commands ?? [])
  if (last.length === 0) return undefined
  return (
    <div className={classes.commands}>
      {last.map((command) => (
        <LastCommand key={command.commandId} device={device} target={target} command={command} now={now} />
      ))}
    </div>
  )
}

interface LastCommandProps extends DeviceCommandsProps {
  command: Command
  now: number
}

function LastCommand({ device, target, command, now }: LastCommandProps) {
  const zone = useZone()
  const operation = operationOfCommand[command.name as Exclude<CommandName, VoidCommand>] as Ordered
  const name = testCommandName(command) ?? singleActionLabels[operation]
  const waits = awaitsConfirmation(command, device.reported)
  const status = statusAt(command, now)
  const isLong = now - Date.parse(command.createdAt) > patience
  const needsAttention =
    waits &&
    !hasJustConfirmed(command, now) &&
    (status === 'failed' || status === 'expired' || status === 'confirmed' || isLong)
  const time = (at: string) => dateTimeText(at, zone)
  const asked = `Requested${command.requestedBy === null ? '' : ` by ${command.requestedBy}`} at ${time(command.createdAt)}.`
  const outcome = outcomeText(command, {
    connected: genericConnection(device.connectionStatus) === 'Online',
    heard: device.lastHeard,
    now,
    time,
  })
  return (
    <section className={classes.command} aria-label={name}>
      <div className={classes.text}>
        <p role="status">
          <b>{name}</b> <span>{standing(command, device.reported)}</span>
        </p>
        <p className={classes.outcome} data-attention={needsAttention || undefined}>
          {outcome} {contradictionText(command, device.reported, now)}
        </p>
        <p className={classes.asked}>{asked}</p>
      </div>
      <Steps command={command} status={status} waits={waits} />
      <Ways device={device} target={target} command={command} now={now} />
    </section>
  )
}

const lastStep: Record<CommandStatus, string> = {
  queued: 'Confirmed',
  sent: 'Confirmed',
  confirmed: 'Confirmed',
  failed: 'Refused',
  expired: 'Expired',
  withdrawn: 'Taken back',
}

type StepState = 'done' | 'next' | 'left' | 'failed'

const lastState: Record<CommandStatus, StepState> = {
  queued: 'next',
  sent: 'next',
  confirmed: 'done',
  failed: 'failed',
  expired: 'failed',
  withdrawn: 'left',
}

/** The progress in three steps. */
function Steps({ command, status, waits }: { command: Command; status: CommandStatus; waits: boolean }) {
  const isOver = status !== 'queued' && status !== 'sent'
  const wasSent = command.sentAt !== null || status === 'confirmed'
  const steps: { label: string; state: StepState }[] = [
    { label: 'Queued', state: 'done' },
    { label: 'Sent', state: wasSent ? 'done' : isOver ? 'left' : 'next' },
    {
      label: status === 'expired' && !wasSent ? 'Not delivered' : lastStep[status],
      // Confirmed, but not reported yet.
      state: status === 'confirmed' && waits ? 'next' : lastState[status],
    },
  ]
  return (
    <ol className={classes.steps}>
      {steps.map(({ label, state }) => (
        <li key={label} data-state={state}>
          <StepIcon state={state} />
          {label}
        </li>
      ))}
    </ol>
  )
}

function StepIcon({ state }: { state: StepState }) {
  const Icon = { done: IconCheck, next: IconClock, left: IconX, failed: IconX }[state]
  return <Icon size={14} stroke={2.4} aria-hidden />
}

/** Retry and withdraw, for users who may send the command. */
function Ways({ device, target, command, now }: LastCommandProps) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId } = target
  const queryClient = useQueryClient()
  const operation = operationOfCommand[command.name as Exclude<CommandName, VoidCommand>] as Ordered
  const takeBack = useMutation({
    mutationFn: () => call(takeBackCommand, { body: { tenant, deviceId, commandId: command.commandId } }),
    onError: showCallError,
    onSettled: () => queryClient.invalidateQueries(commandsQuery(tenant, deviceId)),
  })
  const again =
    isRepeatable(command) &&
    mayTryAgain(command, device.reported, now) &&
    actionsFor(actor, target, 'page').includes(operation)
  const back =
    awaitsConfirmation(command, device.reported) &&
    !hasJustConfirmed(command, now) &&
    mayWithdraw(command, device.reported) &&
    can(actor, rightTo[operation], target)
  if (!again && !back) return undefined
  return (
    <div className={classes.ways}>
      {again && (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => askOf(queryClient, tenant, operation, target)}
        >
          Try again
        </Button>
      )}
      {back && (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          loading={takeBack.isPending}
          onClick={() => takeBack.mutate()}
        >
          Take back
        </Button>
      )}
    </div>
  )
}
