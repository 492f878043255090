import { refuse } from '@caretaker/contract/refusal.ts'
import type { Resident, ResidentAppSettings } from '@caretaker/contract/residents.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { mergedSettings, updateTenant } from '../../tenants/tenants.ts'
import type { AppUser } from './store.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  person: Recorded
}

/**
 * Every resident of the tenant, as far as the actor may see; for one property those who requested it, with that
 * residence only.
 */
export async function residents(
  tx: TenantTx,
  actor: Actor,
  { propertyId }: { propertyId?: string | undefined } = {},
): Promise<Resident[]> {
  const hidden = hidesPersonalData(actor)
  const seesTips = can(actor, 'see savings and tips')
  const groups = Map.groupBy(await store.residenceRows(tx, { propertyId }), ({ appUserId }) => appUserId)
  return [...groups].map(([auth0UserId, rows]) => ({
    auth0UserId,
    email: hidden ? null : rows[0]!.email,
    name: hidden ? null : rows[0]!.name,
    residences: rows.map(({ residenceId, propertyReference, address, approved, since }) => ({
      ...{ residenceId, propertyReference, approved },
      address: hidden ? null : address,
      since: since.toISOString(),
    })),
    savingsAndTipsAt: (seesTips && rows[0]!.tipsAt?.toISOString()) || null,
  }))
}

/** Approves or revokes the access of a resident to a residence. Idempotent: no notification if nothing changes. */
export async function setApproved(
  { tx, person }: Asking,
  { auth0UserId, residenceId }: { auth0UserId: string; residenceId: string },
  approved: boolean,
): Promise<void> {
  const access = await store.holdAccess(tx, auth0UserId, residenceId)
  if (!access) throw refuse('not found')
  if (access.approved === approved) return
  await store.setApproved(tx, access.residentId, residenceId, approved)
  await audit(tx, {
    person,
    action: approved ? 'resident access approved' : 'resident access revoked',
    subject: { type: 'resident', id: access.residentId, name: auth0UserId },
    before: { residenceId, approved: !approved },
    after: { residenceId, approved },
  })
  await changed(tx, 'resident', null)
}

/**
 * Ends the access of all approved residents of properties that become void or are re-let, except those kept on purpose:
 * former residents must not see the property of new ones.
 */
export async function endAccess(
  asking: Asking,
  residenceIds: readonly string[],
  kept: readonly string[] = [],
): Promise<void> {
  if (residenceIds.length === 0) return
  for (const access of await store.approvedOf(asking.tx, residenceIds))
    if (!kept.includes(access.auth0UserId)) await setApproved(asking, access, false)
}

/** Stores the support contacts as entered; refuses an invalid phone number. */
export async function setSupportContacts({ tx, person }: Asking, wanted: ResidentAppSettings): Promise<void> {
  const field = 'residentAppContactPhoneNumber'
  // Imported on first use, because it has a hundred files.
  const { isValidPhoneNumber } = await import('libphonenumber-js/min')
  if (!isValidPhoneNumber(wanted[field]))
    throw refuse('invalid', undefined, [{ field, message: 'Phone number is not valid' }])
  const before = await store.supportContacts(tx, 'hold')
  const changes = differences({ ...before }, { ...wanted })
  if (!changes) return
  const columns = { settings: mergedSettings({ ...wanted }) }
  await updateTenant(tx, person, { columns, action: 'resident app settings changed', changes })
}

export interface ResidenceRequest extends AppUser {
  propertyReference: string
  postcode: string
}

/**
 * Stores a request for access to a property; refuses unless reference and postcode together match one. Returns the
 * property's id.
 */
export async function requestResidence({ tx, person }: Asking, wish: ResidenceRequest): Promise<string> {
  const home = await store.homeNamed(tx, wish.propertyReference, wish.postcode)
  if (!home) throw refuse('not found')
  const residentId = await store.keepResident(tx, wish)
  if (await store.askFor(tx, residentId, home))
    await audit(tx, {
      person,
      action: 'resident access requested',
      subject: { type: 'resident', id: residentId, name: wish.appUserId },
      after: { residenceId: home },
    })
  await changed(tx, 'resident', null)
  return home
}

/** The data that the resident app shows a user; a property only after approval. */
export async function appResident(tx: TenantTx, appUserId: string) {
  const rows = await store.residenceRows(tx, { appUserId })
  if (rows.length === 0) throw refuse('not found')
  const isIn = rows.some(({ approved }) => approved)
  return {
    residences: rows.map(({ residenceId, approved, address }) => ({
      ...{ residenceId, approved },
      address: approved ? address : null,
    })),
    support: await store.supportContacts(tx),
    savingsAndTips: (isIn && (await store.tipsOf(tx, appUserId))) || null,
  }
}
