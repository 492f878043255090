import type { Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Postcode } from '@caretaker/rules/postcodes/postcode.ts'
import type { Config } from './config.ts'
import type { PartChecks } from './part-checks.ts'
import type { Db } from './postgres/pool.ts'

// It imports no room that imports it back: what those bring to it is described here.

/** Where the bytes of files lie: a folder, or a bucket that speaks S3. Keys begin with the tenant. */
export interface FileStore {
  /** Writes a file, whole and for good when it resolves. */
  put(key: string, content: Blob): Promise<void>
  /** Rejects when there is no such file. */
  read(key: string): Promise<Readable>
  /** Deletes a file; one that is not there is none the less gone. */
  delete(key: string): Promise<void>
}

/** What is known of a post code. */
export interface KnownPostcode {
  /** Degrees of WGS 84; null where nobody has measured it. */
  place: { lat: number; lng: number } | null
  addresses: readonly PostalAddress[]
}
export interface PostalAddress {
  line1: string
  line2: string
  line3: string
  town: string
  county: string
  postcode: string
}

/** A service of others that knows post codes. */
export interface PostcodeService {
  knowsAddresses: boolean
  /** What is to be said of what it tells. */
  credit: string | null
  /** Undefined where there is no such post code; refuses as unavailable while the service does not answer. */
  find(postcode: Postcode): Promise<KnownPostcode | undefined>
}

/** What a handler is given within a transaction, which is the only connection that it may use. */
export type TransactionContext = Omit<Context, 'db' | 'anonymousDb' | 'owner' | 'idp'>

/** What every part of the server is given: nothing is reached by import that could be different in a test. */
export interface Context {
  config: Config
  /** The application role, which row-level security binds to one tenant. */
  db: Db
  /**
   * The same with few connections of its own, for calls of anyone: however many come at once, they take none from people who
   * have signed in.
   */
  anonymousDb: Db
  /** Migrations, partitions, jobs, and what must be written down whatever becomes of the caller's transaction. */
  owner: pg.Pool
  /** The identity provider's own role and schema. */
  idp: pg.Pool
  files: FileStore
  /** Only where a setting names one. */
  postcodes?: PostcodeService | undefined
  log: FastifyBaseLogger
  metrics: Registry
  /** Only in a server that was started whole. */
  partChecks?: PartChecks
  /**
   * The number under which this process claims work, which others have at once when it is gone; only where jobs run, and null
   * while others could not tell that it lives: what is claimed then is due again by the clock alone.
   */
  claimant?(): number | null
}
