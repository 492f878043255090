import { sql } from 'kysely'
import type { FoundAddresses } from '@caretaker/contract/properties.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { postcodeOf } from '@caretaker/rules/postcodes/postcode.ts'
import type { Context } from '../../context.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visibleProperties } from '../devices/visible.ts'

/** Upper bound for the addresses of one postcode. */
const most = 100

/**
 * The addresses of a postcode, from a complete address service if there is one, or else from the properties that the
 * actor sees. Users who may not read addresses are refused. Only the postcode is sent to the service.
 */
export async function addressesOf(
  { inTx, context }: { inTx: InTx; context: Pick<Context, 'postcodes'> },
  postcode: string,
): Promise<FoundAddresses> {
  const service = context.postcodes
  const asked = service?.knowsAddresses ? postcodeOf(postcode) : undefined
  const own = await inTx(async ({ tx, actor }) => {
    if (hidesPersonalData(actor)) throw refuse('forbidden')
    return asked ? undefined : ownAddresses(tx, actor, postcode)
  })
  if (own) return own
  const known = await service!.find(asked!)
  const { lat, lng } = known?.place ?? { lat: null, lng: null }
  return { addresses: [...(known?.addresses ?? [])], latitude: lat, longitude: lng }
}

type InTx = <T>(work: (step: { tx: TenantTx; actor: Actor }) => Promise<T>) => Promise<T>

async function ownAddresses(tx: TenantTx, actor: Actor, postcode: string): Promise<FoundAddresses> {
  const code = postcode.replaceAll(' ', '').toLowerCase()
  const rows = await visibleProperties(tx, actor)
    .where(sql<boolean>`replace(postcode_folded, ' ', '') = ${code}`)
    .select(['address1', 'address2', 'address3', 'town', 'county', 'postcode', 'latitude', 'longitude'])
    .orderBy(sql`nullif(regexp_replace(address1, '\\D.*', ''), '')::numeric nulls last`)
    .orderBy('address_folded')
    .limit(most)
    .execute()
  const place = rows.find(({ latitude }) => latitude !== null)
  return {
    addresses: rows.map(({ address1: line1, address2: line2, address3: line3, town, county, postcode }) => ({
      ...{ line1, line2, line3, town, county, postcode },
    })),
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
  }
}
