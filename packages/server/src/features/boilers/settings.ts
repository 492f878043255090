import { refuse } from '@caretaker/contract/refusal.ts'
import type { SettingOperation } from '@caretaker/rules/actions/operations.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { voidHeatingMax } from '@caretaker/rules/boilers/details.ts'
import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { audit } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { askForState } from '../commands/ask.ts'
import { holdState } from '../commands/store.ts'
import { expectDeviceVersion } from '../../devices/version.ts'
import { deviceSubject, holdDeviceFor } from '../devices/held.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: { id: string; name: string }
}

const heldText = `The property is void: its heating is held at ${voidHeatingMax} °C until void mode is turned off.`

/** Whether void mode holds the heating maximum of a device. */
async function isHeld(tx: TenantTx, deviceId: string): Promise<boolean> {
  const held = await tx
    .selectFrom('void_effect')
    .select('effect')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('effect', '=', 'heating')
    .where('is_held', '=', true)
    .executeTakeFirst()
  return held !== undefined
}

interface Wanted {
  deviceId: string
  /** The version of the device that the change is based on. */
  version?: number | undefined
  operation: SettingOperation
  name: CommandName
  args: Record<string, unknown>
  /** Why a device with these reports cannot be sent the setting; undefined if it can. */
  unfit?: (reported: Readonly<Record<string, unknown>>) => string | undefined
  /** Whether a connection sends the command to its network server. */
  isDownlink?: boolean
}

const actions: Record<SettingOperation, AuditAction> = {
  'set CH max': 'boiler setting requested',
  'set DHW set point': 'boiler setting requested',
  'limit CH': 'boiler setting requested',
  'set buzzer': 'boiler setting requested',
  'switch relay': 'relay switch requested',
  'set schedule': 'schedule sent',
  'change set point': 'set point requested',
}

/** Sends a device a desired value, or refuses with the reason; returns the command that the device has to answer. */
export async function askFor({ tx, actor, person }: Caller, wanted: Wanted): Promise<string> {
  const { deviceId, version, operation, name, args, unfit, isDownlink = false } = wanted
  const device = await holdDeviceFor(tx, actor, operation, deviceId)
  await expectDeviceVersion(tx, deviceId, version)
  const { reported, desired } = await holdState(tx, deviceId)
  const reason = operation === 'set CH max' && (await isHeld(tx, deviceId)) ? heldText : unfit?.(reported)
  if (reason !== undefined) throw refuse('refused', reason)
  const asked = await askForState(tx, { deviceId, name, args, desired, askedBy: person.id, isDownlink })
  if (!asked.isNew) return asked.commandId
  await audit(tx, {
    person,
    action: actions[operation],
    subject: deviceSubject(device),
    after: { commandId: asked.commandId, command: name, ...args },
  })
  return asked.commandId
}
