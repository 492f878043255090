import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'

/** The Postgres channel that announces changed device routes to every process with a device link. */
export const routesChanged = 'device_routes_changed'

/** A Postgres notification holds less than 8000 bytes; an id takes 37. */
const idsAtOnce = 200

/** On commit, notifies the device links that the routes of these devices have changed. */
export async function announceRoutes(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  const payloads: string[] = []
  for (let from = 0; from < deviceIds.length; from += idsAtOnce)
    payloads.push(deviceIds.slice(from, from + idsAtOnce).join(' '))
  if (payloads.length)
    await sql`select pg_notify(${routesChanged}, payload) from unnest(${payloads}::text[]) as payload`.execute(tx)
}

export const idsIn = (payload: string): string[] => payload.split(' ').filter(Boolean)
