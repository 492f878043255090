import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconRefresh } from '../../icons/index.ts'
import type { Boiler, ConnectedDevice } from '@caretaker/contract/boilers.ts'
import { kindOf } from '@caretaker/rules/commands/life.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { KnownFault, ResetStanding } from '@caretaker/rules/faults/faults.ts'
import {
  alarmFault,
  faultMeaning,
  faultTitle,
  lastHeld,
  lockoutDays,
  noResetText,
  openFaults,
  resetStanding,
  timesLately,
  timesText,
  visitAt,
} from '@caretaker/rules/faults/faults.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { askOf } from '../../actions/commands.ts'
import type { ActionTarget } from '../../actions/target.ts'
import { actionsFor, targetOfConnected, targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { commandsQuery } from '../../api/device-commands.ts'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { useClock } from '../../ui/age-view.tsx'
import { dateText, lengthText, momentText, spanText } from '../../ui/age.ts'
import { AppLink } from '../../ui/link.tsx'
import { useZone } from '../../ui/zone.tsx'
import { faultsQuery } from './queries.ts'

/** The worst active fault of the boiler or one of its autofills, with a reset if that can work. */
export function BoilerAlarm({ device, brief }: { device: Boiler; brief: boolean }) {
  const { tenant } = useActor()
  const { data } = useQuery(faultsQuery(tenant, device.deviceId, lockoutDays))
  const open = openFaults(data ?? faultsOnPage(device))
  const fault = alarmFault(open)
  if (!fault) return undefined
  return <FaultAlarm device={device} fault={fault} others={open.length - 1} all={data} brief={brief} />
}

/** The fault of the boiler from its page, until all faults are loaded. */
function faultsOnPage({ deviceId, fault, statusSince }: Boiler): KnownFault[] {
  if (!fault || fault.source === 'device') return []
  const { code, description, source, isResettable } = fault
  const known = { faultCode: code, description, faultSource: source, isResettable }
  return [{ ...known, timestamp: statusSince, deviceId, endedAt: null }]
}

interface FaultAlarmProps {
  device: Boiler
  fault: KnownFault
  /** The number of other active faults. */
  others: number
  /** Undefined until loaded. */
  all: readonly KnownFault[] | undefined
  brief: boolean
}

function FaultAlarm({ device, fault, others, all, brief }: FaultAlarmProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const now = useClock()
  const isAutofill = fault.faultSource === 'autofill'
  const isOwn = !isAutofill || familyOf(device.productId) === 'autofill'
  const autofill = isOwn ? undefined : autofillOf(fault, device.connectedDevices)
  const locked = isOwn ? targetOfDevice(device) : autofill && targetOfConnected(autofill)
  const { data: commands } = useQuery(commandsQuery(tenant, locked?.deviceId ?? device.deviceId))
  const resets = (commands ?? []).filter(({ name }) => kindOf(name) === 'reset')
  const standing = resetStanding(fault, resets, now)
  const times = timesLately(fault, all ?? [], now)
  const isOften = times >= visitAt
  const since = Date.parse(fault.timestamp)
  const held = lastHeld(fault, resets)
  const never = noResetText(fault, {
    remoteReset: device.remoteResetSupported,
    belowHomeHub: locked?.parentProduct === 'ZH',
    isFound: locked !== undefined,
  })
  const often = `${timesText(times, fault)} in ${lockoutDays} days`
  const visit = isOften || standing.state === 'no help' ? 'Send an engineer: another reset will not fix it.' : ''
  return (
    <AlarmPanel
      tone="failed"
      title={faultTitle(fault)}
      meaning={[faultMeaning(fault), never].filter(Boolean).join(' ')}
      facts={[
        <>
          Since <b>{momentText(since, now, zone)}</b>, {lengthText(now - since)}
        </>,
        all && times > 1 && (
          <>
            {timesText(times, fault)} in <b>{lockoutDays} days</b>
          </>
        ),
        held && (
          <>
            Last reset <b>{dateText(held.reset.createdAt, zone)}</b>
            {held.reset.requestedBy !== null && ` by ${held.reset.requestedBy}`}, held {spanText(now - held.held, now)}
          </>
        ),
        autofill && <>Autofill {autofill.serialNumber}</>,
      ]}
      brief={
        brief
          ? `since ${momentText(since, now, zone)}.${all && times > 1 ? ` ${often}${isOften ? ': send an engineer' : ''}.` : ''}`
          : undefined
      }
      standing={[standingText(standing, isAutofill, now, zone), !brief && visit].filter(Boolean).join(' ')}
      actions={
        <>
          {!brief && (
            <Button
              variant="default"
              component={AppLink}
              href={`${pathTo(tenant, 'Boilers', device.deviceId)}/faultHistory`}
            >
              {others > 0 ? `Fault history, ${others} more` : 'Fault history'}
            </Button>
          )}
          {locked && !never && <ResetButton target={locked} standing={standing} brief={brief} />}
        </>
      }
    />
  )
}

/** The locked-out autofill: the one that reports it, or the one named by the boiler. */
function autofillOf({ deviceId }: KnownFault, connected: readonly ConnectedDevice[]): ConnectedDevice | undefined {
  const autofills = connected.filter(({ productId }) => familyOf(productId) === 'autofill')
  return autofills.find((one) => one.deviceId === deviceId) ?? autofills.find(({ fault }) => fault !== null)
}

/** The result of a reset and its sender, while relevant. */
function standingText(standing: ResetStanding, isAutofill: boolean, now: number, zone: string): string {
  const what = isAutofill ? 'autofill' : 'boiler'
  if (standing.state === 'untried') return ''
  const at = momentText(standing.at, now, zone)
  const by = standing.by === null ? '' : ` by ${standing.by}`
  switch (standing.state) {
    case 'sending':
      return `Reset sent at ${at}${by}. It stays locked out until the ${what} reports otherwise.`
    case 'refused':
      return `The ${what} refused the reset${by} at ${at}${standing.message ? `: ${standing.message.replace(/[.]$/, '')}` : ''}.`
    case 'unanswered':
      return `The ${what} did not answer the reset${by}, which expired at ${at}.`
    case 'no help':
      return standing.again === null
        ? `The reset${by} at ${at} did not help.`
        : `Locked out again ${lengthText(standing.again)} after the reset${by} at ${at}.`
  }
}

interface ResetButtonProps {
  target: ActionTarget
  standing: ResetStanding
  brief: boolean
}

/** Resets a lockout, for authorised users; others see that they may not. */
function ResetButton({ target, standing: { state }, brief }: ResetButtonProps) {
  const actor = useActor()
  const queryClient = useQueryClient()
  const operation = familyOf(target.product) === 'autofill' ? 'reset autofill' : 'reset boiler'
  if (!actionsFor(actor, target, 'page').includes(operation))
    return brief ? undefined : <span>You can see this lockout but cannot reset it.</span>
  const label = operation === 'reset autofill' ? 'Reset autofill' : 'Reset boiler'
  // After a failed attempt the button is less prominent.
  const isFirst = state === 'untried' && !brief
  return (
    <Button
      variant={isFirst ? 'filled' : 'default'}
      leftSection={<IconRefresh size={16} aria-hidden />}
      disabled={state === 'sending'}
      aria-label={state === 'untried' ? label : undefined}
      onClick={() => askOf(queryClient, actor.tenant, operation, target)}
    >
      {state === 'sending' ? 'Sending ...' : state === 'untried' ? 'Reset' : 'Reset again'}
    </Button>
  )
}
