import type { Db } from '../../postgres/pool.ts'

export async function recordClientError(
  db: Db,
  error: { tenant: string | null; personId: string; message: string; stack: string; componentStack: string },
): Promise<void> {
  await db
    .insertInto('client_error')
    .values({
      tenant_id: error.tenant,
      person_id: error.personId,
      message: error.message,
      stack: error.stack,
      component_stack: error.componentStack,
    })
    .execute()
}
