import { sql } from 'kysely'
import { reasonOf } from '@caretaker/rules/conditions/words.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openConditions } from '../conditions/store.ts'

/** A device that an alert is about, as an e-mail speaks of it. */
export interface Subject {
  deviceId: string
  serial: string
  name: string
  product: Product
  /** Where it stands, in a line; empty when that is not known or not to be told. */
  where: string
  building: string | null
  /** What is wrong with it in a word or two: a code, or what failed. */
  reason: string
  began: number
  ended: number | null
  behind: number
  unstable: boolean
}

/** What e-mails of a tenant need to know besides. */
export interface Reach {
  tenant: string
  client: string
  contacts: string
  zone: string
}

interface About {
  deviceId: string
  began: number
  ended: number | null
  behind: number
  unstable: boolean
}

/** Tells of these devices what alerts of them say, in the order of their places. */
export async function subjectsOf(
  tx: TenantTx,
  ids: readonly string[],
): Promise<{ aboutOf(alerts: readonly About[]): Subject[]; reach: Reach }> {
  const tenant = await tx
    .selectFrom('tenant')
    .select(['display_name', 'contacts', 'time_zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  const hidden = await tx
    .selectFrom('tenant_feature')
    .select('feature')
    .where('tenant_id', '=', tx.tenant)
    .where('feature', '=', 'HideCustomerPersonalData')
    .executeTakeFirst()
  const { rows } = await sql<{
    id: string
    serial: string
    name: string
    product: Product
    building: string | null
    floor: string | null
    room: string | null
    address: string | null
    reference: string | null
  }>`
    select id, serial, name, product, building_name as building, floor_name as floor, room, address,
      property_reference as reference
    from device where tenant_id = ${tx.tenant} and id = any(${ids}::uuid[])`.execute(tx)
  const devices = new Map(rows.map((row) => [row.id, row]))
  const conditions = await openConditions(tx, ids)
  const subjectOf = (alert: About): Subject[] => {
    const device = devices.get(alert.deviceId)
    if (!device) return []
    const { address, building, floor, room, reference } = device
    const inBuilding = building && [building, floor, room].filter(Boolean).join(', ')
    const home = hidden ? (reference ?? '') : (address ?? reference ?? '')
    const reason = reasonOf(conditions.get(alert.deviceId) ?? [])
    return [
      {
        ...{ deviceId: device.id, serial: device.serial, name: device.name, product: device.product },
        ...{ where: inBuilding || home, building, reason: reason ?? '' },
        ...{ began: alert.began, ended: alert.ended, behind: alert.behind, unstable: alert.unstable },
      },
    ]
  }
  const aboutOf = (alerts: readonly About[]) =>
    alerts.flatMap(subjectOf).sort((a, b) => a.where.localeCompare(b.where) || a.name.localeCompare(b.name))
  const reach = {
    ...{ tenant: tx.tenant, client: tenant.display_name },
    ...{ contacts: tenant.contacts, zone: tenant.time_zone },
  }
  return { aboutOf, reach }
}
