import type pg from 'pg'
import type { FleetConnection } from '@caretaker/contract/mqtt/fleet.ts'
import type { FileStore } from '@caretaker/server/context.ts'
import type { Row } from './copy.ts'
import { writeRows } from './copy.ts'
import type { Keys } from './fleet.ts'
import type { DemoDevice } from './plan/device.ts'
import type { TenantWorld } from './plan/tenants.ts'

/** The context of a seeder: the plan of one tenant, and a transaction limited to that tenant. */
export interface Seeding {
  client: pg.ClientBase
  world: TenantWorld
  /** All times of the demo are relative to this one; ms since the epoch. */
  now: number
  keys: Keys
  /** The connections that the simulator sends to. */
  connections: readonly FleetConnection[]
  /** The encrypted tokens of the connections that send downlinks, by id. */
  downlinkTokens: ReadonlyMap<string, string>
  /** The longest history of readings, in days. */
  historyDays: number
  /** The store for uploaded files. */
  files: FileStore
  /** Writes rows of the tenant, adding its id. Returns their number. */
  write(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<number>
}

/** Writes data that exist once per tenant. */
export type Seeder = (seeding: Seeding) => Promise<void>

/**
 * Writes the data of a batch of devices.
 * @param from the number of the tenant's devices before these
 */
export type DeviceSeeder = (seeding: Seeding, devices: readonly DemoDevice[], from: number) => Promise<void>

/** Returns the writer of one tenant; `written` collects the names of the tables. */
export function writerOf(client: pg.ClientBase, tenant: string, written: Set<string>): Seeding['write'] {
  return (table, columns, rows) => {
    written.add(table)
    return writeRows(client, table, columns, rows, tenant)
  }
}
