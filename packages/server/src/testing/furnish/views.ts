import { randomUUID } from 'node:crypto'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'
import { nextNumber } from './context.ts'

/** Public views, and a member's own. */
export async function furnishViews({ test, tenant, secret }: Furnishing, caller: () => Promise<string>) {
  /** A public view of emergency lights. */
  const newView = async () => addView(test, tenant, await caller(), `${secret} view ${nextNumber()}`)
  /** A saved grid view of the caller. */
  const newDocument = async () => addDocument(test, tenant, await caller(), `${secret} document ${nextNumber()}`)
  await newView()
  await newDocument()
  return { newView, newDocument }
}

const anyContent = {
  columns: '["serial"]',
  filters: '[{"fieldId":"name","filterOp":"contains","value":"light"}]',
  sorts: '[{"fieldId":"serial","descending":false}]',
}

/** Adds a public view of emergency lights to a tenant. */
async function addView(test: TestApp, tenant: string, ownerId: string, label: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('view_definition')
      .values({
        tenant_id: tenant,
        id,
        root: 'emered',
        label,
        private: false,
        owner_id: ownerId,
        author_ids: [ownerId],
        ...anyContent,
      })
      .execute(),
  )
  return id
}

async function addDocument(test: TestApp, tenant: string, ownerId: string, name: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('view_definition')
      .values({ tenant_id: tenant, id, root: 'bcm', label: name, private: true, owner_id: ownerId, ...anyContent })
      .execute(),
  )
  return id
}
