import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { addProperty, ArchivedProperty } from '@caretaker/contract/properties.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasFeature, hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { audit } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { formsSearched } from '../../lists/search.ts'
import { hasWords } from '../../lists/words.ts'
import { holdDevices } from '../devices/held.ts'
import { expectPlace, placeDevice } from '../../devices/place.ts'
import { createProperty, uniqueViolation } from '../../properties/details.ts'
import { propertyList } from './list.ts'
import type { Caller } from './save.ts'
import { holdProperty, refuseTooLong, write } from './save.ts'

/** Adds, moves, archives and restores properties. */

/** Adds a property; returns its id. */
export async function addHome(
  { tx, person }: Pick<Caller, 'tx' | 'person'>,
  { propertyReference: reference, ...address }: z.output<NonNullable<typeof addProperty.body>>,
): Promise<string> {
  refuseTooLong(address)
  const id = randomUUID()
  try {
    await createProperty(tx, { id, reference, ...address, void_flag: 'NotVoid' })
  } catch (error) {
    if ((error as { code?: string }).code !== uniqueViolation) throw error
    throw refuse('refused', `The property reference ${reference} is already in use, perhaps by an archived property.`)
  }
  const after = { propertyReference: reference, ...address }
  await audit(tx, { person, action: 'property added', subject: { type: 'property', id, name: reference }, after })
  return id
}

/** Moves a property with its devices, each of which is recorded too. */
export async function moveHome(
  caller: Caller,
  propertyId: string,
  { buildingId, floorId, version }: { buildingId: string | null; floorId: string | null; version?: number | undefined },
): Promise<void> {
  const { tx, person } = caller
  const home = await holdProperty(caller, propertyId, version)
  const place = { building_id: buildingId, floor_id: floorId }
  const { building, floor } = await expectPlace(tx, { ...place, property_id: null })
  const devices = await holdDevices(tx, await inHome(tx, home.id))
  // A position on one floor plan means nothing in another building.
  for (const device of devices.values())
    await placeDevice(tx, person, device, { buildingId, floorId, latitude: null, longitude: null })
  await write(caller, home, place, {
    action: 'property moved',
    before: { building: home.building_name, floor: home.floor_name },
    after: { building: building?.name ?? null, floor: floor?.name ?? null },
  })
}

/** Archives or restores a property. Its records stay in either case. */
export async function archiveHome(
  caller: Caller,
  propertyId: string,
  {
    version,
    archivedAt,
    reason,
  }: { version?: number | undefined; archivedAt: Date | null; reason?: string | undefined },
): Promise<void> {
  const home = await holdProperty(caller, propertyId, version)
  if ((home.archived_at === null) === (archivedAt === null)) return
  const { length: devices } = archivedAt ? await inHome(caller.tx, home.id) : []
  if (devices > 0)
    throw refuse(
      'refused',
      `${devices === 1 ? 'A device is' : `${devices} devices are`} in this property. Move or uninstall ${devices === 1 ? 'it' : 'them'} first.`,
    )
  if (archivedAt && hasFeature(caller.actor, 'AwaabsLaw') && home.awaabs_law_status !== 'None')
    throw refuse('refused', "This property has an open Awaab's Law case. Close the case first.")
  const action = archivedAt ? 'property archived' : 'property brought back'
  const at = (time: Date | null) => ({ archivedAt: time?.toISOString() ?? null })
  await write(
    caller,
    home,
    { archived_at: archivedAt },
    { action, before: at(home.archived_at), after: { ...at(archivedAt), ...(reason && { reason }) } },
  )
}

const mostArchived = 1000

export async function archivedHomes(tx: TenantTx, actor: Actor, search = ''): Promise<ArchivedProperty[]> {
  const hidden = hidesPersonalData(actor)
  const rows = await tx
    .selectFrom('property')
    .select(['id', 'reference', 'address', 'archived_at', 'version'])
    .where('tenant_id', '=', tx.tenant)
    .where('archived_at', 'is not', null)
    .where(hasWords(formsSearched(propertyList, actor), search))
    .orderBy('archived_at', 'desc')
    .limit(mostArchived)
    .execute()
  return rows.map((row) => ({
    propertyId: row.id,
    propertyReference: row.reference,
    address: hidden ? null : row.address,
    archivedAt: row.archived_at!.toISOString(),
    version: row.version,
  }))
}

async function inHome(tx: TenantTx, propertyId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .execute()
  return rows.map(({ id }) => id)
}
