import type { SetPoint } from '@caretaker/contract/connections.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { setPointFault } from '@caretaker/rules/connectors/downlinks.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { controlOf, findDownlinkRoute, noWayOf } from '../../connectors/downlinks.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { askFor } from '../boilers/settings.ts'
import { findState } from '../commands/store.ts'
import { findDevice } from '../devices/store.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: { id: string; name: string }
}

const numberOrNull = (value: unknown) => (typeof value === 'number' ? value : null)

/** The set point of a device of a connection, and whether it can be changed. */
export async function setPointOf(
  { tx, actor }: Pick<Caller, 'tx' | 'actor'>,
  deviceId: string,
  { outbound }: { outbound: boolean },
): Promise<SetPoint> {
  await findDevice(tx, actor, deviceId)
  const { reported, desired } = await findState(tx, deviceId)
  const values = { reported: numberOrNull(reported['setPoint']), desired: numberOrNull(desired['setPoint']) }
  const route = await findDownlinkRoute(tx, deviceId)
  const control = route && controlOf(route)
  if (!route || !control) return { ...values, range: null, refusal: null }
  return { ...values, range: control.range, refusal: refusalOf(route, outbound) ?? null }
}

const outboundOff = 'This installation sends no messages: CARETAKER_OUTBOUND is off.'

function refusalOf(
  route: NonNullable<Awaited<ReturnType<typeof findDownlinkRoute>>>,
  outbound: boolean,
): string | undefined {
  return noWayOf(route) ?? (outbound ? undefined : outboundOff)
}

/** Sends a thermostat another set point, or refuses with the reason; returns the command that its report has to confirm. */
export async function changeSetPoint(
  caller: Caller,
  deviceId: string,
  setPoint: number,
  { outbound }: { outbound: boolean },
): Promise<string> {
  const { tx, actor } = caller
  await findDevice(tx, actor, deviceId)
  const route = await findDownlinkRoute(tx, deviceId)
  const control = route && controlOf(route)
  const fault = control && setPointFault(setPoint, control.range)
  if (fault) throw refuse('invalid', fault, [{ field: 'setPoint', message: fault }])
  const reason = control ? refusalOf(route, outbound) : 'Caretaker cannot change the set point of this device.'
  const made = control?.contentOf(setPoint)
  return askFor(caller, {
    ...{ deviceId, operation: 'change set point', name: 'changeSetPoint', args: { setPoint }, isDownlink: true },
    unfit: () => reason ?? (made && 'refusal' in made ? made.refusal : undefined),
  })
}
