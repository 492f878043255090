import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { getSession } from '@caretaker/contract/session.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { can, isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { Action } from '@caretaker/rules/rights/can.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { TenantItems } from '../testing/furnish/furnish.ts'
import { furnish } from '../testing/furnish/furnish.ts'

/** Every route that belongs to a tenant, by its name. */
export const tenantRoutes: readonly (readonly [string, AnyRoute])[] = Object.entries(routes).filter(
  ([, { may }]) => !['anyone', 'signed in', 'resident app'].includes(may) && !isVendorAction(may),
)

/** The e-mail of the member of 'mine' with this role; a limited one has the tenant's access rights tag. */
export const memberOf = (role: Role, limited = false) => `${limited ? 'limited-' : ''}${role}@mine.test`.toLowerCase()
export const actorOf = (role: Role, tags: string[] = []): Actor => ({
  userId: '',
  memberId: '',
  tenant: 'mine',
  role,
  tags,
  features: [],
  capabilities: [],
})
/** The member with the lowest of three roles that may make the call. */
export const memberAllowedTo = (route: AnyRoute) =>
  memberOf((['Manager', 'Admin', 'Developer'] as const).find((role) => can(actorOf(role), route.may as Action))!)

export interface Pair {
  app: TestApp
  mine: TenantItems
  theirs: TenantItems
}

/** An app with two tenants that have one of everything; the members of 'mine' have signed in. */
export async function openPair(env: Record<string, string> = {}): Promise<Pair> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-isolation-'))
  const app = await testApp({ CARETAKER_DATA: folder, ...env })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const mine = await furnish(app, 'mine')
  const theirs = await furnish(app, 'theirs')
  for (const role of roles) {
    await app.addMember('mine', memberOf(role), role)
    await app.addMember('mine', memberOf(role, true), role, [mine.accessRightsTag])
  }
  const members = roles.flatMap((role) => [memberOf(role), memberOf(role, true)])
  // Everyone signs in while both layers are active: the walks do not test the first sign-in.
  for (const email of [mine.manager, theirs.manager, ...members]) await app.send(getSession, {}, email)
  return { app, mine, theirs }
}

/** The names of all tables with row-level security. */
export async function tenantTables({ database }: TestApp): Promise<string[]> {
  const { rows } = await database.owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relrowsecurity and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Every row of a tenant as JSON, by table. */
export async function rowsOf({ database }: TestApp, tables: readonly string[], tenant: string) {
  const rows = new Map<string, string[]>()
  for (const table of tables) {
    const query = `select to_jsonb(row)::text as text from ${table} as row where tenant_id = $1 order by 1`
    rows.set(
      table,
      (await database.owner.query<{ text: string }>(query, [tenant])).rows.map(({ text }) => text),
    )
  }
  return rows
}

/** The ids in texts: UUIDs, and the series numbers of `addDueWork`. */
export function idsIn(texts: Iterable<string>): Set<string> {
  const id = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|77\d{10})\b/g
  return new Set([...texts].flatMap((text) => text.match(id) ?? []))
}
