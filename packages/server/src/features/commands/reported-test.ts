import { sql } from 'kysely'
import type { TenantTx } from '../../postgres/tenant.ts'

/**
 * Whether the light of a test `command` has reported a test of its type since it was sent; null for other commands.
 */
export const reportedTest = (tx: TenantTx) => sql<boolean | null>`case when command.name = 'runTest' then exists (
  select from emergency_test as test
  where test.tenant_id = ${tx.tenant} and test.device_id = command.device_id
    and test.test_type = command.args ->> 'testType'
    -- The clock of a light may be a little behind.
    and test.started_at > command.sent_at - interval '2 minutes') end`
