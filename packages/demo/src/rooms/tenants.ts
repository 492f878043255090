import type pg from 'pg'
import { writeRows } from '../copy.ts'
import { demoTenants } from '../fixtures.ts'
import { tenantPlans } from '../plan/tenants.ts'
import type { Seeder } from '../seeding.ts'
import { meridianLogo } from './logo.ts'

/** The web addresses of a property's surveys. */
const surveys = {
  'Property Survey': 'https://surveys.example/property',
  HHSRS: 'https://surveys.example/hhsrs',
  'Survey 3': 'https://surveys.example/third',
}

/** Creates the clients, which all tenant tables refer to. */
export async function seedClients(client: pg.ClientBase, now: Date): Promise<void> {
  await writeRows(
    client,
    'tenant',
    ['id', 'display_name', 'contacts', 'created_at', 'settings'],
    tenantPlans.map(({ id, contacts }) => [
      id,
      demoTenants[id],
      contacts,
      now,
      { surveys, ...(id === 'meridian' && { logo: meridianLogo }) },
    ]),
  )
}

export const seedFlags: Seeder = async ({ write, world: { plan } }) => {
  await write(
    'tenant_feature',
    ['feature'],
    plan.features.map((feature) => [feature]),
  )
  await write(
    'tenant_capability',
    ['capability'],
    plan.capabilities.map((capability) => [capability]),
  )
}
