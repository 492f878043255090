import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'

/** The tenant that is furnished, and what everything in it bears. */
export interface Furnishing {
  test: TestApp
  tenant: string
  /** A text that stands in every name of the tenant: an answer to another tenant must not contain it. */
  secret: string
  /** E-mail of the first manager. */
  manager: string
  /** Id of the access rights tag that all devices and homes carry. */
  accessRightsTag: string
}

/** Writes in the tenant that is furnished. */
export const write = <T>({ test, tenant }: Furnishing, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  inTenant(test.database.db, tenant, work)

let count = 0

/** A number that no thing of this process has yet. */
export const nextNumber = (): number => ++count
