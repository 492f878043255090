import { randomUUID } from 'node:crypto'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'

/** The tenant's audit entries, e-mails and exports. */
export async function furnishTenant(furnishing: Furnishing, tagId: string): Promise<void> {
  const { tenant, secret, manager } = furnishing
  await write(furnishing, async (tx) => {
    const vendor = randomUUID()
    await tx
      .insertInto('person')
      .values({ id: vendor, issuer: 'vendor', subject: vendor, email: `staff@${tenant}.vendor.test`, name: secret })
      .execute()
    await tx
      .insertInto('tenant_export')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), person_id: vendor, person_name: secret, state: 'failed' },
        ...{ fault: secret, asked_at: new Date(), finished_at: new Date() },
      })
      .execute()
    await tx
      .insertInto('audit_entry')
      .values({
        tenant_id: tenant,
        person_id: null,
        person_name: secret,
        action: 'tag created',
        subject_type: 'tag',
        subject_id: tagId,
        subject_name: secret,
        before: null,
        after: null,
      })
      .execute()
    await tx
      .insertInto('mail')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        recipient: manager,
        subject: secret,
        text: secret,
        html: secret,
        sent_at: null,
        failed_at: null,
        error: null,
      })
      .execute()
  })
}

/** Tables that nothing writes to any more, and that a later migration removes. */
export async function furnishFormerTables({ database }: TestApp, tenant: string): Promise<void> {
  await database.owner.query(
    `insert into bulk_action_device (tenant_id, bulk_action_id, device_id)
     select tenant_id, bulk_action_id, item_id from bulk_item where tenant_id = $1`,
    [tenant],
  )
  await database.owner.query(
    `insert into user_document (tenant_id, id, owner_id, document_type, content_type, metadata, content)
     values ($1, gen_random_uuid(), gen_random_uuid(), 'ListingViewConfig', 'application/json', '{}', '{}')`,
    [tenant],
  )
}
