import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { HeldEffect } from '@caretaker/rules/properties/void.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { askAgain } from './effects.ts'
import { holdVoidDevices } from './home.ts'

interface Asking {
  tx: TenantTx
  actor: Actor
  person: Recorded & { id: string }
}

/**
 * Repeats a void command to a device of a locked property, which the actor may edit, after it was refused or expired;
 * records who did.
 */
export async function askVoidAgain(
  { tx, actor, person }: Asking,
  home: { id: string; reference: string },
  { deviceId, effect }: { deviceId: string; effect: HeldEffect },
  now: Date,
): Promise<void> {
  const [device] = await holdVoidDevices(tx, [deviceId])
  if (!device || device.propertyId !== home.id || !can(actor, 'see device', device)) throw refuse('not found')
  await askAgain(tx, device, effect, { askedBy: person.id, now })
  await audit(tx, {
    person,
    action: 'void asked again',
    subject: { type: 'property', id: home.id, name: home.reference },
    before: null,
    after: { effect, serialNumber: device.serialNumber },
  })
  await changed(tx, 'property', [home.id])
  await changed(tx, 'device state', [deviceId])
  await makeDue(tx, 'void mode', now)
}
