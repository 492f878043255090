import type pg from 'pg'
import { SettingError } from './config.ts'
import type { Context } from './context.ts'

/** What may be added to a server and is no part of it: the demo, its data and its life. */
export interface World {
  /** Fills an empty database, or makes what it holds ready for another start. */
  prepare(context: Context): Promise<void>
  /** Lets its devices speak to the device link at this address; gives what ends that. */
  play(context: Context, url: string): () => Promise<void>
}

/** The account of the demo's first person, by which its databases are known: it comes and goes with all the others. */
export const demoAccount = '50a25ce1-e471-8c33-b695-e3ee3878853a'

/** Whether the database holds the demo, whole: it is written in one transaction. */
export async function holdsDemo(owner: pg.Pool | pg.ClientBase): Promise<boolean> {
  const { rowCount } = await owner.query('select from idp.account where id = $1', [demoAccount])
  return rowCount === 1
}

/** Throws a SettingError where a server that is to be real would let in people whose passwords are published. */
export async function refuseDemo({ owner, config }: Context): Promise<void> {
  if (!(await holdsDemo(owner))) return
  const advice = config.databaseUrl
    ? 'Set CARETAKER_DEMO=on, or use another database.'
    : `Set CARETAKER_DEMO=on to go on with it, or CARETAKER_DATA to another folder. To begin without it in this folder, save first what you want to keep of it: "npm run caretaker -- backup FILE", or an export of a client under Settings, Tenants. Then "npm run reset" deletes everything in ${config.dataDir}.`
  throw new SettingError(
    `The demo is off, but this database holds the demo world, whose passwords are published. ${advice}`,
  )
}
