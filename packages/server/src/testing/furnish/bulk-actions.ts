import { randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Devices } from './devices.ts'
import type { Tags } from './tags.ts'

/** Bulk actions. */
export async function furnishBulkActions(furnishing: Furnishing, { light }: Devices, { tag: tagId }: Tags) {
  const { test, tenant, secret, manager } = furnishing
  /**
   * A finished bulk action of the member manager@ if there is one, else of the first manager: one whose only device
   * failed, or a flick test that sent its light a command.
   */
  const newBulkAction = async (action: 'add tags' | 'flick test' = 'add tags') => {
    const id = randomUUID()
    const isCommand = action === 'flick test'
    const { rows } = await test.database.owner.query<{ id: string }>(
      'select id from person where email in ($1, $2) order by email = $1 desc limit 1',
      [`manager@${tenant}.test`, manager],
    )
    await write(furnishing, async (tx) => {
      await tx
        .insertInto('bulk_action')
        .values({
          tenant_id: tenant,
          id,
          action,
          tag_ids: isCommand ? [] : [tagId],
          tag_names: isCommand ? [] : [secret],
          // A random id until someone has signed in.
          started_by: rows[0]?.id ?? randomUUID(),
          started_by_name: secret,
          total: 1,
          ...(isCommand ? { done: 1 } : { failed: 1 }),
          finished_at: new Date(),
        })
        .execute()
      await tx
        .insertInto('bulk_item')
        .values({
          ...{ tenant_id: tenant, bulk_action_id: id, item_id: light },
          ...{ state: isCommand ? 'done' : 'failed', message: isCommand ? null : secret },
        })
        .execute()
    })
    return id
  }
  await newBulkAction()
  return { newBulkAction }
}
