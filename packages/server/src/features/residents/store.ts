import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ResidentAppSettings } from '@caretaker/contract/residents.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'

export interface ResidenceRow {
  appUserId: string
  email: string
  name: string
  residenceId: string
  propertyReference: string
  address: string
  approved: boolean
  since: Date
  tipsAt: Date | null
}

/** Every requested residence with its resident, grouped by resident. */
export async function residenceRows(
  tx: TenantTx,
  { appUserId, propertyId }: { appUserId?: string | undefined; propertyId?: string | undefined } = {},
): Promise<ResidenceRow[]> {
  return tx
    .selectFrom('resident')
    .innerJoin('residence_access as access', (join) =>
      join.onRef('access.tenant_id', '=', 'resident.tenant_id').onRef('access.resident_id', '=', 'resident.id'),
    )
    .innerJoin('property', (join) =>
      join.onRef('property.tenant_id', '=', 'access.tenant_id').onRef('property.id', '=', 'access.property_id'),
    )
    .leftJoin('savings_and_tips as tips', (join) =>
      join
        .onRef('tips.tenant_id', '=', 'resident.tenant_id')
        .onRef('tips.resident_id', '=', 'resident.id')
        .on('tips.tenant_id', '=', tx.tenant),
    )
    .where('resident.tenant_id', '=', tx.tenant)
    .where('access.tenant_id', '=', tx.tenant)
    .where('property.tenant_id', '=', tx.tenant)
    .$if(appUserId !== undefined, (query) => query.where('app_user_id', '=', appUserId!))
    .$if(propertyId !== undefined, (query) => query.where('property.id', '=', propertyId!))
    .select(['app_user_id as appUserId', 'email', 'resident.name', 'property.id as residenceId', 'since'])
    .select(['property.reference as propertyReference', 'property.address', 'is_approved as approved'])
    .select('tips.updated_at as tipsAt')
    .orderBy(naturally(sql`resident.name`))
    .orderBy('resident.id')
    .orderBy('property.reference')
    .execute()
}

/**
 * The access of a resident to a residence, locked until the transaction ends, so that decisions are made one after
 * the other.
 */
export async function holdAccess(tx: TenantTx, appUserId: string, residenceId: string) {
  return tx
    .selectFrom('residence_access as access')
    .innerJoin('resident', (join) =>
      join.onRef('resident.tenant_id', '=', 'access.tenant_id').onRef('resident.id', '=', 'access.resident_id'),
    )
    .where('access.tenant_id', '=', tx.tenant)
    .where('resident.tenant_id', '=', tx.tenant)
    .where('resident.app_user_id', '=', appUserId)
    .where('access.property_id', '=', residenceId)
    .select(['resident.id as residentId', 'resident.name', 'access.is_approved as approved'])
    .forUpdate()
    .executeTakeFirst()
}

/** The residents with approved access to these residences. */
export async function approvedOf(tx: TenantTx, residenceIds: readonly string[]) {
  return tx
    .selectFrom('residence_access as access')
    .innerJoin('resident', (join) =>
      join.onRef('resident.tenant_id', '=', 'access.tenant_id').onRef('resident.id', '=', 'access.resident_id'),
    )
    .where('access.tenant_id', '=', tx.tenant)
    .where('resident.tenant_id', '=', tx.tenant)
    .where('access.property_id', 'in', residenceIds)
    .where('access.is_approved', '=', true)
    .select(['resident.app_user_id as auth0UserId', 'access.property_id as residenceId'])
    .orderBy('access.property_id')
    .orderBy('resident.id')
    .execute()
}

export async function setApproved(tx: TenantTx, residentId: string, residenceId: string, approved: boolean) {
  await tx
    .updateTable('residence_access')
    .set({ is_approved: approved, since: new Date() })
    .where('tenant_id', '=', tx.tenant)
    .where('resident_id', '=', residentId)
    .where('property_id', '=', residenceId)
    .execute()
}

/** A property by reference and postcode, ignoring case and blanks. */
export async function homeNamed(tx: TenantTx, reference: string, postcode: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('property')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('reference_folded', '=', reference.toLowerCase())
    .where(sql<string>`replace(postcode_folded, ' ', '')`, '=', postcode.toLowerCase().replaceAll(' ', ''))
    .where('archived_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst()
  return row?.id
}

export interface AppUser {
  appUserId: string
  email: string
  name: string
}

/** Stores a resident with the name and e-mail from the app; returns the id. */
export async function keepResident(tx: TenantTx, { appUserId, email, name }: AppUser): Promise<string> {
  const { id } = await tx
    .insertInto('resident')
    .values({ tenant_id: tx.tenant, id: randomUUID(), app_user_id: appUserId, email, name, created_at: new Date() })
    .onConflict((same) => same.columns(['tenant_id', 'app_user_id']).doUpdateSet({ email, name }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores a resident's request for a property; false if it exists already. */
export async function askFor(tx: TenantTx, residentId: string, residenceId: string): Promise<boolean> {
  const made = await tx
    .insertInto('residence_access')
    .values({ tenant_id: tx.tenant, resident_id: residentId, property_id: residenceId, since: new Date() })
    .onConflict((same) => same.doNothing())
    .executeTakeFirst()
  return Boolean(made.numInsertedOrUpdatedRows)
}

const contactFields = ['residentAppContactEmail', 'residentAppContactPhoneNumber'] as const

/** The support contacts, from the settings of the tenant. */
export async function supportContacts(tx: TenantTx, hold?: 'hold'): Promise<ResidentAppSettings> {
  const query = tx.selectFrom('tenant').select('settings').where('id', '=', tx.tenant)
  const { settings } = await (hold ? query.forUpdate() : query).executeTakeFirstOrThrow()
  return Object.fromEntries(
    contactFields.map((field) => [field, typeof settings[field] === 'string' ? settings[field] : '']),
  ) as ResidentAppSettings
}

/** The savings and tips of a resident; undefined if there are none. */
export async function tipsOf(tx: TenantTx, appUserId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('savings_and_tips as tips')
    .innerJoin('resident', (join) =>
      join.onRef('resident.tenant_id', '=', 'tips.tenant_id').onRef('resident.id', '=', 'tips.resident_id'),
    )
    .where('tips.tenant_id', '=', tx.tenant)
    .where('resident.tenant_id', '=', tx.tenant)
    .where('resident.app_user_id', '=', appUserId)
    .select('tips.content')
    .executeTakeFirst()
  return row?.content
}
