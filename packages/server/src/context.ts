import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { FileStore } from './files/store.ts'
import type { Db } from './postgres/pool.ts'

/** What every part of the server is given: nothing is reached by import that could be different in a test. */
export interface Context {
  config: Config
  /** Behind the wall: the application role. */
  db: Db
  /** Migrations, partitions, jobs, and what must be written down whatever becomes of the caller's transaction. */
  owner: pg.Pool
  /** The identity provider's own role and schema. */
  idp: pg.Pool
  files: FileStore
  log: FastifyBaseLogger
  metrics: Registry
}
