import { refuse } from '@caretaker/contract/refusal.ts'
import type { AddressParts } from '@caretaker/rules/boilers/address.ts'
import { addressParts } from '@caretaker/rules/boilers/address.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData, tagsAllow } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { holdDevice } from '../devices/held.ts'
import { write } from '../properties/save.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Recorded
}

const addressColumns = ['address1', 'address2', 'address3', 'town', 'county', 'postcode'] as const

/** The property of a boiler, locked; refuses a boiler that the actor may not edit, or that is not in a property. */
async function holdHome({ tx, actor }: Caller, deviceId: string) {
  const device = await holdDevice(tx, actor, deviceId)
  if (!can(actor, 'edit boiler', device)) throw refuse('forbidden')
  const home = await tx
    .selectFrom('property')
    .select(['id', 'reference', 'version', 'access_rights_tag_id', ...addressColumns])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', (query) =>
      query.selectFrom('device').select('property_id').where('tenant_id', '=', tx.tenant).where('id', '=', deviceId),
    )
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!home) throw refuse('refused', 'The boiler is not in a property.')
  const accessRightsTags = home.access_rights_tag_id ? [home.access_rights_tag_id] : []
  if (!tagsAllow(actor, { accessRightsTags })) throw refuse('forbidden')
  return home
}

type Home = Awaited<ReturnType<typeof holdHome>>

/** Writes the changes to a locked property and records them. */
async function writeHome(
  caller: Caller,
  home: Home,
  next: Partial<AddressParts & { reference: string }>,
  action: AuditAction,
): Promise<void> {
  const difference = differences(home, next)
  if (difference) await write(caller, home, difference.after, { action, ...difference })
}

/** Changes the address of a boiler's property. Users who may not read it may not overwrite it either. */
export async function changeAddress(caller: Caller, deviceId: string, address: string): Promise<void> {
  if (hidesPersonalData(caller.actor)) throw refuse('forbidden')
  const home = await holdHome(caller, deviceId)
  await writeHome(caller, home, addressParts(address, home), 'property address changed')
}

/** Changes the reference of a boiler's property; refused if another property of the tenant has it. */
export async function changeReference(caller: Caller, deviceId: string, reference: string): Promise<void> {
  const home = await holdHome(caller, deviceId)
  await writeHome(caller, home, { reference }, 'property reference changed')
}
