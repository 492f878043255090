import { sql } from 'kysely'
import type { CommandName, CommandStatus } from '@caretaker/rules/commands/commands.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionStates, connectionWords } from '@caretaker/rules/devices/connection.ts'
import { commandText } from '@caretaker/rules/logs/logs.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reportedTest } from '../commands/reported-test.ts'
import type { Events } from './store.ts'
import { latestOf, newestOf } from './store.ts'

/** Maximum number of entries per lane: the newest ones. */
const most = 300
const broken = [connectionStates.offline, connectionStates.intermittent]

interface Row {
  id: string
  device_id: string
  start_at: Date
  end_at: Date | null
}

/**
 * Commands and broken connections of devices over a range, shown below the events that they often cause or result
 * from.
 */
export async function readLanes(
  tx: TenantTx,
  devices: readonly { id: string; name: string }[],
  { from, to }: TimeRange,
): Promise<Events> {
  const ids = devices.map(({ id }) => id)
  const [first, last, now] = [new Date(from), new Date(to), new Date()]
  const { rows: commands } = await sql<
    Row & {
      name: CommandName
      args: Record<string, unknown>
      status: CommandStatus
      message: string | null
      late_answer: 'confirmed' | 'failed' | null
      expires_at: Date
      reported_test: boolean | null
    }
  >`
    select id, device_id, created_at as start_at, name, args, status, message, late_answer, expires_at,
      ${reportedTest(tx)} as reported_test,
      coalesce(answered_at, taken_back_at, case when status = 'expired' or expires_at <= ${now} then expires_at end) as end_at
    from command
    where command.tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[]) and created_at < ${last}
      and coalesce(answered_at, taken_back_at, expires_at) >= ${first}
    order by created_at desc, id limit ${most + 1}`.execute(tx)
  const { rows: spells } = await sql<Row & { key: ConnectionStatus }>`
    select device_id || ' ' || key || ' ' || seen_at as id, device_id, key, began_at as start_at, ended_at as end_at
    from device_spell as spell
    where spell.tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[]) and kind = 'CONNECTIONSTATUS'
      and key = any(${broken}::text[]) and began_at < ${last} and (ended_at is null or ended_at >= ${first})
    order by began_at desc limit ${most + 1}`.execute(tx)
  const names = new Map(devices.map(({ id, name }) => [id, name]))
  const asEvent = (row: Row, category: string, description: string) => ({
    eventId: row.id,
    start: row.start_at.toISOString(),
    end: row.end_at?.toISOString() ?? null,
    severity: 'Low' as const,
    category,
    description,
    contextLabel: names.get(row.device_id)!,
  })
  const [asked, silent] = [newestOf(commands, most), newestOf(spells, most)]
  const events = [
    ...asked.rows.map((row) => {
      const command = {
        ...row,
        expiresAt: row.expires_at.toISOString(),
        lateAnswer: row.late_answer,
        reportedTest: row.reported_test,
      }
      return asEvent(row, 'Command', commandText(command, +now))
    }),
    ...silent.rows.map((row) => asEvent(row, 'Connection', connectionWords[row.key])),
  ]
  return { events, since: latestOf(asked.since, silent.since) }
}
