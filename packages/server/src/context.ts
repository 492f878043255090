import type { Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Postcode } from '@caretaker/rules/postcodes/postcode.ts'
import type { Config } from './config.ts'
import type { PartChecks } from './part-checks.ts'
import type { Db } from './postgres/pool.ts'

// It imports no module that imports it: their interfaces are declared here.

/** The store of file contents: a folder or an S3 bucket. Keys start with the tenant. */
export interface FileStore {
  /** Writes a file; it is complete and durable when this resolves. */
  put(key: string, content: Blob): Promise<void>
  /** Rejects if the file does not exist. */
  read(key: string): Promise<Readable>
  /** Deletes a file; succeeds if it does not exist. */
  delete(key: string): Promise<void>
}

/** The known data of a postcode. */
export interface KnownPostcode {
  /** Degrees (WGS 84); null if there are no coordinates. */
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

/** An external postcode service. */
export interface PostcodeService {
  knowsAddresses: boolean
  /** The attribution for its data. */
  credit: string | null
  /** Undefined if the postcode does not exist; refuses as unavailable while the service does not respond. */
  find(postcode: Postcode): Promise<KnownPostcode | undefined>
}

/** The context of a handler within a transaction, which is the only connection that it may use. */
export type TransactionContext = Omit<Context, 'db' | 'anonymousDb' | 'owner' | 'idp'>

/** The context of every part of the server: everything that tests may replace is passed, not imported. */
export interface Context {
  config: Config
  /** The application role, which row-level security limits to one tenant. */
  db: Db
  /** The same role with a few separate connections for public calls, so that they take none from signed-in users. */
  anonymousDb: Db
  /** For migrations, partitions, jobs, and records that must survive a failed transaction of the caller. */
  owner: pg.Pool
  /** The identity provider's own role and schema. */
  idp: pg.Pool
  files: FileStore
  /** Only if a setting names one. */
  postcodes?: PostcodeService | undefined
  /** The DNS TXT records of a name; undefined for the resolver of the system. */
  resolveTxt?(name: string): Promise<string[][]>
  log: FastifyBaseLogger
  metrics: Registry
  /** Only in a server that runs as a whole. */
  partChecks?: PartChecks
  /**
   * The number under which this process claims work; others take it over as soon as the process is gone. Only where
   * jobs run. Null while other processes cannot detect that it is live: its claims then only expire by time.
   */
  claimant?(): number | null
}
