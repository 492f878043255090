import type pg from 'pg'
import { SettingError } from './config.ts'
import type { Context } from './context.ts'
import type { FetchOptions } from './webhooks/fetch.ts'

/** An optional addition to a server: the demo, with its data and simulated devices. */
export interface World {
  /** Fills an empty database, or prepares an existing one for another start. */
  prepare(context: Context): Promise<void>
  /** Connects its devices to the device link at this address; returns the function that stops them. */
  play(context: Context, url: string): () => Promise<void>
  /** Answers a call to a simulated network server; undefined for other addresses. */
  answer?(address: string, options: FetchOptions): Promise<Response> | undefined
}

/**
 * The account of the demo's first person, which identifies demo databases: it is created and deleted with all the
 * others.
 */
export const demoAccount = '50a25ce1-e471-8c33-b695-e3ee3878853a'

/** Whether the database contains the complete demo, which is written in one transaction. */
export async function holdsDemo(owner: pg.Pool | pg.ClientBase): Promise<boolean> {
  const { rowCount } = await owner.query('select from idp.account where id = $1', [demoAccount])
  return rowCount === 1
}

/** Throws a SettingError if a production server would accept users with published passwords. */
export async function refuseDemo({ owner, config }: Context): Promise<void> {
  if (!(await holdsDemo(owner))) return
  const advice = config.databaseUrl
    ? 'Set CARETAKER_DEMO=on, or use another database.'
    : `Set CARETAKER_DEMO=on to continue with it, or CARETAKER_DATA to another folder. To start without it in this folder, first save what you want to keep: "npm run caretaker -- backup FILE", or an export of a client under Settings, Tenants. Then "npm run reset" deletes everything in ${config.dataDir}.`
  throw new SettingError(
    `The demo is off, but this database contains the demo, whose passwords are published. ${advice}`,
  )
}
