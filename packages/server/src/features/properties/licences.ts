import { sql } from 'kysely'
import type { DeviceLicence, PropertyLicence } from '@caretaker/contract/property-licences.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { licenceEnd } from '@caretaker/rules/properties/licences.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { devicesOfHomes, findProperty } from './store.ts'

interface Held {
  type: string
  start: string
  renewed: string | null
  period: number
}

const asLicence = ({ type, start, renewed, period }: Held) => ({
  licenceType: type,
  saasStartDate: start,
  saasEndDate: licenceEnd({ start: renewed ?? start, period }),
  saasPeriod: period,
  saasRenewedDate: renewed,
})

const dayOf = (column: string) => sql<string>`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`
const dayOrNull = (column: string) => sql<string | null>`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`

/**
 * The packages of a property's devices that the actor may see, and its own licences; refuses as `findProperty` does.
 */
export async function licencesOfProperty(
  tx: TenantTx,
  actor: Actor,
  propertyId: string,
): Promise<{ deviceLicences: DeviceLicence[]; propertyLicences: PropertyLicence[] }> {
  const home = await findProperty(tx, actor, propertyId)
  const devices = await devicesOfHomes(tx, actor, [home.id])
    .select(['device.id', 'device.serial', 'device.product'])
    .execute()
  const packages = await tx
    .selectFrom('device_licence')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${devices.map(({ id }) => id)}::uuid[])`)
    .select(['device_id', 'type', 'period_months as period', dayOf('start_on').as('start')])
    .select(dayOrNull('renewed_on').as('renewed'))
    .orderBy('start_on')
    .orderBy('id')
    .execute()
  const licences = await tx
    .selectFrom('licence')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', home.id)
    .select(['id', 'type', 'period_months as period', dayOf('start_on').as('start')])
    .select(dayOrNull('renewed_on').as('renewed'))
    .orderBy('start_on')
    .orderBy('id')
    .execute()
  const known = new Map(devices.map((device) => [device.id, device]))
  return {
    deviceLicences: packages.map((row) => {
      const { serial, product } = known.get(row.device_id)!
      return {
        deviceId: row.device_id,
        device: products[product].name,
        serialNumber: serial,
        ...asLicence(row),
      }
    }),
    propertyLicences: licences.map((row) => ({ licenceId: row.id, ...asLicence(row) })),
  }
}
