import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'

/** The tenant that is being furnished, and what all its items have in common. */
export interface Furnishing {
  test: TestApp
  tenant: string
  /** A text in every name of the tenant: a response to another tenant must not contain it. */
  secret: string
  /** The e-mail of the first manager. */
  manager: string
  /** The id of the access rights tag that all devices and properties have. */
  accessRightsTag: string
}

/** Runs `work` in a transaction of the furnished tenant. */
export const write = <T>({ test, tenant }: Furnishing, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  inTenant(test.database.db, tenant, work)

let count = 0

/** A number unique within this process. */
export const nextNumber = (): number => ++count
