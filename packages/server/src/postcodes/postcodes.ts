import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { postcodeOf } from '@caretaker/rules/postcodes/postcode.ts'
import type { Context } from '../context.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { openDataCredit, outwardCredit } from './credits.ts'

/** The position of a postcode, in degrees (WGS 84). */
export interface Place {
  lat: number
  lng: number
  /** Whether it is the centre of the outward code, a few miles across, instead of the postcode itself. */
  isApproximate: boolean
  /** The attribution to show; null if none is required. */
  credit: string | null
}

/**
 * The position of a postcode: from the operator's import, else from the tenant's own addresses, else from the
 * configured service, else the centre of its outward code. Without the setting no other host is queried. Undefined if
 * the postcode does not exist; refused while the service does not respond.
 */
export async function placeOf(
  { inTx, context }: { inTx: InTx; context: Pick<Context, 'postcodes'> },
  typed: string,
): Promise<Place | undefined> {
  const postcode = postcodeOf(typed)
  const centre = postcode && (await outwardCodes()).get(postcode.outward)
  const stored = await inTx(async ({ tx }) => postcode && storedPlace(tx, postcode.text, centre))
  if (!postcode || stored) return stored
  const { postcodes: service } = context
  const known = await service?.find(postcode)
  if (service && !known) return undefined
  if (known?.place) return { ...known.place, isApproximate: false, credit: service!.credit }
  return centre && { ...centre, isApproximate: true, credit: outwardCredit }
}

type InTx = <T>(work: (step: { tx: TenantTx }) => Promise<T>) => Promise<T>

async function storedPlace(
  tx: TenantTx,
  postcode: string,
  centre: { lat: number; lng: number } | undefined,
): Promise<Place | undefined> {
  const broughtIn = await ofOpenData(tx, postcode)
  if (broughtIn) return { ...broughtIn, isApproximate: false, credit: openDataCredit }
  const own = await ofAddresses(tx, postcode, centre)
  return own && { ...own, isApproximate: false, credit: null }
}

async function ofOpenData(tx: TenantTx, postcode: string): Promise<{ lat: number; lng: number } | undefined> {
  const row = await tx.selectFrom('postcode').where('postcode', '=', postcode).selectAll().executeTakeFirst()
  return row && { lat: row.latitude, lng: row.longitude }
}

/**
 * The centre of the tenant's buildings and properties with a postcode, without those at the exact centre of an outward
 * code, which were placed by this lookup.
 */
async function ofAddresses(
  tx: TenantTx,
  postcode: string,
  centre: { lat: number; lng: number } | undefined,
): Promise<{ lat: number; lng: number } | undefined> {
  const joined = postcode.replace(' ', '')
  const { rows } = await sql<{ lat: number | null; lng: number | null }>`
    select avg(latitude) as lat, avg(longitude) as lng from (
      select latitude, longitude from building
      where tenant_id = ${tx.tenant} and replace(upper(postcode), ' ', '') = ${joined} and latitude is not null
      union all
      select latitude, longitude from property
      where tenant_id = ${tx.tenant} and replace(upper(postcode), ' ', '') = ${joined} and latitude is not null) as placed
    where latitude is distinct from ${centre?.lat ?? null}::float8 or longitude is distinct from ${centre?.lng ?? null}::float8`.execute(
    tx,
  )
  const [found] = rows
  return found && found.lat !== null && found.lng !== null ? { lat: found.lat, lng: found.lng } : undefined
}

let codes: Promise<ReadonlyMap<string, { lat: number; lng: number }>> | undefined

/** Centres of the outward codes of Great Britain. */
export function outwardCodes() {
  codes ??= readFile(new URL('outward-codes.csv', import.meta.url), 'utf8').then((text) => {
    const rows = text.trim().split(/\r?\n/).slice(1)
    return new Map(
      rows.map((row) => {
        const [outward, latitude, longitude] = row.split(',') as [string, string, string]
        return [outward, { lat: Number(latitude), lng: Number(longitude) }]
      }),
    )
  })
  return codes
}
