import type pg from 'pg'
import type { FileStore } from '@caretaker/server/context.ts'
import type { Row } from './copy.ts'
import { writeRows } from './copy.ts'
import type { Keys } from './fleet.ts'
import type { DemoDevice } from './plan/device.ts'
import type { TenantWorld } from './plan/tenants.ts'

/** What the seeder of a room is given: the plan of one tenant, and a transaction behind its wall. */
export interface Seeding {
  client: pg.ClientBase
  world: TenantWorld
  /** All times of the world are relative to this one; ms since the epoch. */
  now: number
  keys: Keys
  /** Days that readings go back at most. */
  historyDays: number
  /** Where uploaded files lie. */
  files: FileStore
  /** Writes rows of the tenant; its id is added to them. Returns how many. */
  write(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<number>
}

/** Writes what a room has once in a tenant. */
export type Seeder = (seeding: Seeding) => Promise<void>

/**
 * Writes what a room has of some devices.
 * @param from how many devices of the tenant came before these
 */
export type DeviceSeeder = (seeding: Seeding, devices: readonly DemoDevice[], from: number) => Promise<void>

/** The writing of one tenant; `written` collects the names of the tables. */
export function writerOf(client: pg.ClientBase, tenant: string, written: Set<string>): Seeding['write'] {
  return (table, columns, rows) => {
    written.add(table)
    return writeRows(client, table, columns, rows, tenant)
  }
}
