import type { z } from 'zod'
import type { PropertyAddress, PropertyChanges } from '@caretaker/contract/properties.ts'
import { refuse, refuseOutdated } from '@caretaker/contract/refusal.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { addressFault } from '@caretaker/rules/properties/address.ts'
import { testDayFault } from '@caretaker/rules/properties/details.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { refreshAddresses } from '../../devices/place.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { PropertyColumns } from '../../properties/details.ts'
import { uniqueViolation, updateProperty } from '../../properties/details.ts'
import type { DueRules } from '../compliance/figures.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { storeCheckStates } from '../compliance/compliance-states.ts'
import { chosenAccessRightsTag } from '../tags/store.ts'
import { gasColumns } from './gas-checks.ts'
import { endAccess } from '../residents/service.ts'
import { applyVoidFlags } from '../void/apply-flags.ts'
import type { CaseChange } from './awaabs-law.ts'
import { changeCase } from './law-change.ts'
import { findProperty } from './store.ts'

export interface Caller {
  tx: TenantTx
  actor: Actor
  person: Recorded
}

type Home = Awaited<ReturnType<typeof holdProperty>>

const changedMeanwhile = 'Someone else has changed this property. Reload it and try again.'

/** The property, locked; refuses one that the actor may not see or edit, and one changed since the user loaded it. */
export async function holdProperty({ tx, actor }: Pick<Caller, 'tx' | 'actor'>, propertyId: string, version?: number) {
  const home = await findProperty(tx, actor, propertyId, { held: true })
  if (!can(actor, 'edit property', home.subject)) throw refuse('forbidden')
  if (version !== undefined && version !== home.version) throw refuseOutdated(changedMeanwhile)
  return home
}

/** Changes the fields that are sent. */
export async function changeDetails(
  caller: Caller,
  propertyId: string,
  {
    version,
    awaabsLawStatus,
    awaabsLawHazard,
    awaabsLawEmergency,
    awaabsLawHappenedOn,
    awaabsLawHappenedAt,
    awaabsLawCorrects,
    awaabsLawReason,
    awaabsLawReopen,
    keepAccessOf,
    ...sent
  }: Sent,
  now: Date,
): Promise<void> {
  const home = await holdProperty(caller, propertyId, version)
  const dueRules = await dueRulesOf(caller.tx)
  const tests = {
    lastGasSafetyCheckDate: testDay(sent.lastGasSafetyCheckDate, 'lastGasSafetyCheckDate', dueRules, now),
    lastChemicalTestDate: testDay(sent.lastChemicalTestDate, 'lastChemicalTestDate', dueRules, now),
  }
  const wanted = Object.entries({ ...sent, ...tests }).filter(([, value]) => value !== undefined)
  const differing = differences(detailsOf(home), Object.fromEntries(wanted))
  const next = (differing?.after ?? {}) as Partial<ReturnType<typeof detailsOf>>
  if (next.voidStatus === 'Void' && !can(caller.actor, 'make property void', home.subject)) throw refuse('forbidden')
  if (keepAccessOf?.length && !can(caller.actor, 'manage residents')) throw refuse('forbidden')
  const change = {
    status: awaabsLawStatus === home.awaabs_law_status ? undefined : awaabsLawStatus,
    ...{ hazard: awaabsLawHazard, emergency: awaabsLawEmergency, on: awaabsLawHappenedOn },
    ...{ at: awaabsLawHappenedAt && +awaabsLawHappenedAt, corrects: awaabsLawCorrects, reopen: awaabsLawReopen },
  }
  const isOfLaw = Object.values(change).some((value) => value !== undefined)
  // An open case can still be closed after the feature was disabled.
  const isClosing = Object.entries(change).every(([name, value]) =>
    name === 'status' ? value === 'None' : value === undefined,
  )
  if (isOfLaw && !isClosing && !can(caller.actor, "keep case of Awaab's Law", home.subject)) throw refuse('forbidden')
  if (differing)
    await write(
      caller,
      home,
      {
        ...columnsOf(next, now),
        ...gasColumns(home, next.lastGasSafetyCheckDate, dueRules),
        ...(next.lastGasSafetyCheckDate !== undefined && {
          gas_stated_at: next.lastGasSafetyCheckDate === null ? null : now,
          gas_stated_by_name: next.lastGasSafetyCheckDate === null ? null : caller.person.name,
        }),
      },
      { action: onlyReference(next) ? 'property reference changed' : 'property details changed', ...differing },
    )
  if (next.lastGasSafetyCheckDate !== undefined || next.lastChemicalTestDate !== undefined)
    await storeCheckStates(caller.tx, { homes: [home.id] }, now)
  if (next.voidStatus) {
    await applyVoidFlags(caller.tx, { propertyIds: [home.id], askedBy: caller.person.id, now })
    await endAccess(caller, [home.id], keepAccessOf)
  }
  if (isOfLaw) await changeCase(caller, home, [{ ...change, reason: awaabsLawReason }], now)
}

/** Changes the case of a property under Awaab's Law: all changes or none. */
export async function changeLawCase(
  caller: Caller,
  propertyId: string,
  { version, changes }: { version?: number | undefined; changes: readonly CaseChange[] },
  now: Date,
): Promise<void> {
  const home = await holdProperty(caller, propertyId, version)
  if (!can(caller.actor, "keep case of Awaab's Law", home.subject)) throw refuse('forbidden')
  await changeCase(caller, home, changes, now)
}

type Sent = PropertyChanges & { version?: number | undefined }

const onlyReference = (next: object) => Object.keys(next).join() === 'propertyReference'

/** The editable fields of a property, by their names in the calls. */
const detailsOf = (home: Home) => ({
  voidStatus: home.void_flag,
  lastChemicalTestDate: home.chemical_on,
  lastGasSafetyCheckDate: home.gas_on,
  propertyReference: home.reference,
  epcRating: home.epc_rating,
  propertyArchitype: home.architype,
  numberOfInhabitant: home.number_of_inhabitants,
  numberOfRoom: home.number_of_rooms,
  propertyOrientation: home.orientation,
  numberOfFloor: home.number_of_floors,
  apartmentLevel: home.apartment_level,
})

function columnsOf(next: Partial<ReturnType<typeof detailsOf>>, now: Date): PropertyColumns {
  const columns = {
    void_flag: next.voidStatus,
    void_since: next.voidStatus && now,
    last_chemical_test_on: next.lastChemicalTestDate,
    reference: next.propertyReference,
    epc_rating: next.epcRating,
    architype: next.propertyArchitype,
    number_of_inhabitants: next.numberOfInhabitant,
    number_of_rooms: next.numberOfRoom,
    orientation: next.propertyOrientation,
    number_of_floors: next.numberOfFloor,
    apartment_level: next.apartmentLevel,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

/** The day of a check; refuses one in the future. */
function testDay(
  sent: Day | Date | null | undefined,
  field: string,
  { zone }: DueRules,
  now: Date,
): Day | null | undefined {
  const day = sent instanceof Date ? dayAt(+sent, zone) : sent
  const message = day ? testDayFault(day, dayAt(+now, zone)) : undefined
  if (message) throw refuse('invalid', message, [{ field, message }])
  return day
}

/** Refuses an address that is too long for an index. */
export function refuseTooLong(address: Parameters<typeof addressFault>[0]): void {
  const message = addressFault(address)
  if (message) throw refuse('invalid', message, [{ field: 'address1', message }])
}

/** Stores the address of a property. Users who may not read it may not overwrite it either. */
export async function changePropertyAddress(
  caller: Caller,
  propertyId: string,
  { version, ...address }: z.output<typeof PropertyAddress> & { version?: number | undefined },
): Promise<void> {
  const home = await holdProperty(caller, propertyId, version)
  if (hidesPersonalData(caller.actor)) throw refuse('forbidden')
  refuseTooLong(address)
  const difference = differences({ ...home }, address)
  if (difference) await write(caller, home, difference.after, { action: 'property address changed', ...difference })
}

/** Sets a property's access rights tag, which determines the limited users who see it. */
export async function changePropertyTag(
  caller: Caller,
  propertyId: string,
  { version, accessRightsTagId }: { version?: number | undefined; accessRightsTagId: string | null },
): Promise<void> {
  const home = await holdProperty(caller, propertyId, version)
  if (!can(caller.actor, 'set access rights tag of property', home.subject)) throw refuse('forbidden')
  const tag = accessRightsTagId
    ? await chosenAccessRightsTag(caller.tx, accessRightsTagId, 'accessRightsTagId')
    : undefined
  const difference = differences(
    { accessRightsTag: home.access_rights_name },
    { accessRightsTag: tag?.displayName ?? null },
  )
  const next = { access_rights_tag_id: tag?.id ?? null }
  if (!difference) return
  await write(caller, home, next, { action: 'property access rights tag changed', ...difference })
  // The set of visible properties has changed for users with either tag.
  const tags = [home.access_rights_tag_id, next.access_rights_tag_id].filter((id) => id !== null)
  await changed(caller.tx, 'reach', tags)
}

/** The columns that devices copy, or whose pages show them. */
const shownOfDevices = ['reference', 'address1', 'address2', 'address3', 'town', 'county', 'postcode', 'void_flag']

interface AuditedChange {
  action: AuditAction
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** Writes the changes to a locked property, and to its devices, and records them. */
export async function write(
  { tx, person }: Pick<Caller, 'tx' | 'person'>,
  home: { id: string; reference: string; version: number },
  next: PropertyColumns,
  entry: AuditedChange,
): Promise<void> {
  const name = typeof next.reference === 'string' ? next.reference : home.reference
  try {
    await updateProperty(tx, home, next)
  } catch (error) {
    if ((error as { code?: string }).code !== uniqueViolation) throw error
    throw refuse('refused', `The property reference ${name} is already in use.`)
  }
  if (shownOfDevices.some((column) => column in next)) {
    const devices = await tx
      .selectFrom('device')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('property_id', '=', home.id)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    refreshAddresses(
      tx,
      devices.map(({ id }) => id),
    )
  }
  await audit(tx, { person, ...entry, subject: { type: 'property', id: home.id, name } })
}
