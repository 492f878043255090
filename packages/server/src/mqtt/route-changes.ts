import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'

/** The channel on which every process with a device link hears which devices were admitted or refused. */
export const routesChanged = 'device_routes_changed'

/** A notification of Postgres holds less than 8000 bytes; an id takes 37 of them. */
const idsAtOnce = 200

/** Notifies the device links, with the commit, that the routes of these devices are other ones. */
export async function announceRoutes(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  const payloads: string[] = []
  for (let from = 0; from < deviceIds.length; from += idsAtOnce)
    payloads.push(deviceIds.slice(from, from + idsAtOnce).join(' '))
  if (payloads.length)
    await sql`select pg_notify(${routesChanged}, payload) from unnest(${payloads}::text[]) as payload`.execute(tx)
}

export const idsIn = (payload: string): string[] => payload.split(' ').filter(Boolean)
