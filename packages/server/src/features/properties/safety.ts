import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { HomeCheck, PropertySafety } from '@caretaker/contract/property-safety.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Figures } from '@caretaker/rules/compliance/due.ts'
import { nearTo } from '@caretaker/rules/compliance/due.ts'
import type { CheckState } from '@caretaker/rules/compliance/home.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { faultIn } from '@caretaker/rules/devices/fault.ts'
import { products, productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { lightsOf } from '@caretaker/rules/properties/safety.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { findStates, storeCheckStates } from '../compliance/compliance-states.ts'
import { openConditions } from '../conditions/store.ts'
import type { Caller } from './save.ts'
import { holdProperty } from './save.ts'
import { devicesOfHomes, findProperty } from './store.ts'

type Home = Awaited<ReturnType<typeof findProperty>>

/** The parts of a property's safety state; refuses as `findProperty` does. */
export async function safetyOfHome(tx: TenantTx, actor: Actor, propertyId: string, now: Date): Promise<PropertySafety> {
  const home = await findProperty(tx, actor, propertyId)
  const { zone, figures } = await dueRulesOf(tx)
  const states = await findStates(tx, { homes: [home.id] }, now)
  const seen = await devicesOfHomes(tx, actor, [home.id])
    .select(['device.id', 'device.product', 'device.status', 'device.reported', 'device.last_test_at'])
    .select(
      sql<Date | null>`(select heard_at from device_link
        where device_link.tenant_id = ${tx.tenant} and device_link.device_id = device.id)`.as('heard_at'),
    )
    .select('device.monitoring')
    .orderBy('device.serial')
    .execute()
  const entered = await tx
    .selectFrom('home_appliance')
    .select(['id', 'name', 'added_at', 'added_by_name', 'removed_at', 'removed_by_name', 'removed_reason'])
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', home.id)
    .orderBy('removed_at', 'desc')
    .orderBy('id')
    .execute()
  const appliances = (type: RecordType): HomeCheck['appliances'] =>
    [...states.appliances].flatMap(([id, byType]) => {
      const state = byType[type]
      if (!state) return []
      const own = entered.find((one) => one.id === id)
      const device = states.held.find((one) => one.id === id)
      const isSeen = seen.some((one) => one.id === id)
      return [
        {
          applianceId: own?.id ?? null,
          deviceId: device && isSeen ? device.id : null,
          name: own?.name ?? (device ? nameOf(device, isSeen) : ''),
          addedAt: own?.added_at.toISOString() ?? null,
          addedBy: own?.added_by_name ?? null,
          ...shown(state, figures[type]),
        },
      ]
    })
  const check = (type: RecordType, stated: Pick<HomeCheck, 'statedOn' | 'statedBy' | 'statedAt'>): HomeCheck | null => {
    const state = states.homes.get(home.id)?.[type]
    if (!state) return null
    return { ...shown(state, figures[type]), certificate: state.certificate, ...stated, appliances: appliances(type) }
  }
  return {
    gas: check('GasSafety', {
      statedOn: home.gas_on,
      statedBy: home.gas_stated_by_name,
      statedAt: home.gas_stated_at?.toISOString() ?? null,
    }),
    water: check('WaterTreatment', { statedOn: home.chemical_on, statedBy: null, statedAt: null }),
    removedAppliances: entered.flatMap(({ id, name, removed_at: at, removed_by_name: by, removed_reason: reason }) =>
      at ? [{ applianceId: id, name, removedAt: at.toISOString(), removedBy: by, reason }] : [],
    ),
    damp: { level: home.damp_level, since: home.damp_since?.toISOString() ?? null },
    heating: heatingOf(home, seen),
    lights: await lightsIn(tx, seen, zone),
  }
}

const nameOf = ({ product, serial }: { product: keyof typeof products; serial: string }, isSeen: boolean) =>
  isSeen ? `${products[product].name} ${serial}` : products[product].name

const shown = (state: CheckState, figures: Figures) => ({
  state: state.state,
  dueOn: state.dueOn,
  nearOn: state.dueOn && nearTo(state.dueOn, figures),
  failedOn: state.failedOn,
  lastOn: state.lastOn,
  isStated: state.isStated,
})

interface Seen {
  id: string
  product: keyof typeof products
  status: Home['device_status'] & string
  reported: Record<string, unknown>
  heard_at: Date | null
  last_test_at: Date | null
  monitoring: string | null
}

const heats = ['BC', 'BX', 'ASHP']

function heatingOf(home: Home, seen: readonly Seen[]): PropertySafety['heating'] {
  if (!home.heating_state) return null
  const devices = seen.filter(({ product, monitoring }) => heats.includes(product) && monitoring !== 'None')
  const faulty = devices.find(({ reported }) => faultIn(reported)?.source === 'boiler')
  const device = faulty ?? devices[0]
  const heard = devices.flatMap(({ heard_at: at }) => (at ? [+at] : []))
  return {
    state: home.heating_state,
    since: home.heating_since?.toISOString() ?? null,
    lastHeard: heard.length ? new Date(Math.max(...heard)).toISOString() : null,
    device: device
      ? { deviceId: device.id, product: device.product, fault: faultIn(device.reported)?.code ?? null }
      : null,
  }
}

const lights = productsOfFamily('emered')

async function lightsIn(tx: TenantTx, seen: readonly Seen[], zone: string): Promise<PropertySafety['lights']> {
  const inHome = seen.filter(({ product }) => lights.includes(product))
  const open = await openConditions(
    tx,
    inHome.map(({ id }) => id),
  )
  const state = lightsOf(
    inHome.map(({ id, status }) => ({ status, open: (open.get(id) ?? []).map(({ kind }) => kind) })),
  )
  if (!state) return null
  // The device tested longest ago decides how current the tests are.
  const tested = inHome.map(({ last_test_at: at }) => at)
  const oldest = tested.every((at) => at !== null) ? new Date(Math.min(...tested.map((at) => +at!))) : null
  return { state, testedOn: oldest && (dayAt(+oldest, zone) as Day), count: inHome.length }
}

/** Upper bound for the appliances of a property without a device. */
const mostAppliances = 20

/** Adds a gas appliance without a device; returns its id. */
export async function addAppliance(caller: Caller, propertyId: string, name: string, now: Date): Promise<string> {
  const { tx, person } = caller
  const home = await holdProperty(caller, propertyId)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from home_appliance
    where tenant_id = ${tx.tenant} and property_id = ${home.id} and removed_at is null`.execute(tx)
  if (rows[0]!.count >= mostAppliances)
    throw refuse('refused', `A property can have at most ${mostAppliances} appliances.`)
  const id = randomUUID()
  await tx
    .insertInto('home_appliance')
    .values({
      ...{ tenant_id: tx.tenant, id, property_id: home.id, name, added_at: now },
      ...{ added_by: person.id, added_by_name: person.name },
    })
    .execute()
  await storeCheckStates(tx, { homes: [home.id] }, now)
  await changed(tx, 'property', [home.id])
  const subject = { type: 'property', id: home.id, name: home.reference } as const
  await audit(tx, { person, action: 'gas appliance added', subject, after: { appliance: name } })
  return id
}

/** Removes an appliance from a property: its records stay readable and no longer count. */
export async function removeAppliance(
  caller: Caller,
  { propertyId, applianceId, reason }: { propertyId: string; applianceId: string; reason: string },
  now: Date,
): Promise<boolean> {
  const { tx, person } = caller
  const home = await holdProperty(caller, propertyId)
  const removed = await tx
    .updateTable('home_appliance')
    .set({ removed_at: now, removed_by: person.id, removed_by_name: person.name, removed_reason: reason })
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', home.id)
    .where('id', '=', applianceId)
    .where('removed_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  if (!removed) throw refuse('not found')
  await storeCheckStates(tx, { homes: [home.id] }, now)
  await changed(tx, 'property', [home.id])
  const subject = { type: 'property', id: home.id, name: home.reference } as const
  const change = { before: { appliance: removed.name }, after: { reason } }
  await audit(tx, { person, action: 'gas appliance removed', subject, ...change })
  return true
}
