import { sql } from 'kysely'
import type { RuleWords } from '@caretaker/rules/alerts/words.ts'
import { reasonOf } from '@caretaker/rules/conditions/words.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openConditions } from '../conditions/store.ts'
import { homeReasonsOf } from './home-facts.ts'

/** A device or a property of an alert, as its e-mail describes it. */
export interface Subject {
  device: { id: string; serial: string; product: Product } | null
  home: { id: string; reference: string } | null
  /** The name of the device, or the address of the property; its reference if addresses are hidden. */
  name: string
  /** The location in one line; empty if it is unknown or hidden. */
  where: string
  building: string | null
  /** The defect in a few words: a fault code, what failed, or the deadline. */
  reason: string
  began: number
  ended: number | null
  behind: number
  unstable: boolean
}

/** Further data for the e-mails of a tenant. */
export interface Reach {
  tenant: string
  client: string
  contacts: string
  zone: string
}

/** The parts of an alert that its e-mail uses. */
export interface About {
  deviceId: string | null
  propertyId: string | null
  about: string
  rule: Pick<RuleWords, 'triggerCondition'>
  began: number
  ended: number | null
  behind: number
  unstable: boolean
}

/** Describes these devices and properties for their alerts, ordered by place. */
export async function subjectsOf(
  tx: TenantTx,
  alerts: readonly About[],
): Promise<{ aboutOf(some: readonly About[]): Subject[]; reach: Reach }> {
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
  const ids = alerts.flatMap(({ deviceId }) => deviceId ?? [])
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
  const ofHomes = alerts.flatMap(({ propertyId, rule, about, ended }) =>
    propertyId === null ? [] : [{ propertyId, condition: rule.triggerCondition, about, isOver: ended !== null }],
  )
  const reasonOfHome = await homeReasonsOf(tx, ofHomes)
  const homes = await homesOf(tx, ofHomes)
  const subjectOf = (alert: About): Subject[] => {
    const { began, ended, behind, unstable, propertyId, rule, about } = alert
    const times = { began, ended, behind, unstable }
    const home = homes.get(propertyId ?? '')
    if (home) {
      const reason = reasonOfHome({
        propertyId: home.id,
        condition: rule.triggerCondition,
        about,
        isOver: ended !== null,
      })
      const name = (hidden ? '' : home.address) || home.reference
      const { id, reference, building } = home
      return [{ device: null, home: { id, reference }, name, where: building ?? '', building, reason, ...times }]
    }
    const device = devices.get(alert.deviceId ?? '')
    if (!device) return []
    const { id, serial, product, name, address, building, floor, room, reference } = device
    const inBuilding = building && [building, floor, room].filter(Boolean).join(', ')
    const where = inBuilding || ((hidden ? reference : (address ?? reference)) ?? '')
    const reason = reasonOf(conditions.get(id) ?? []) ?? ''
    return [{ device: { id, serial, product }, home: null, name, where, building, reason, ...times }]
  }
  const aboutOf = (some: readonly About[]) =>
    some.flatMap(subjectOf).sort((a, b) => a.where.localeCompare(b.where) || a.name.localeCompare(b.name))
  const reach = {
    ...{ tenant: tx.tenant, client: tenant.display_name },
    ...{ contacts: tenant.contacts, zone: tenant.time_zone },
  }
  return { aboutOf, reach }
}

async function homesOf(tx: TenantTx, alerts: readonly { propertyId: string }[]) {
  const ids = alerts.map(({ propertyId }) => propertyId)
  const { rows } = await sql<{ id: string; reference: string; address: string; building: string | null }>`
    select property.id, property.reference, property.address, building.name as building from property
    left join building on building.tenant_id = ${tx.tenant} and building.id = property.building_id
    where property.tenant_id = ${tx.tenant} and property.id = any(${ids}::uuid[])`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}
