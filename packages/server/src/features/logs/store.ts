import { sql } from 'kysely'
import type { LogEntry } from '@caretaker/contract/logs.ts'
import { logPageSize } from '@caretaker/contract/logs.ts'
import type { StoredEnding } from '@caretaker/rules/alerts/words.ts'
import { endingIn } from '@caretaker/rules/alerts/words.ts'
import type { AuditAction, Changed } from '@caretaker/rules/audit/audit.ts'
import { withoutCustomerData } from '@caretaker/rules/audit/audit.ts'
import type { CommandStatus } from '@caretaker/rules/commands/commands.ts'
import type { ConditionKind, Ending, Evidence } from '@caretaker/rules/conditions/conditions.ts'
import type { ComponentStates } from '@caretaker/rules/lighting/tests.ts'
import type { LogCategory, LoggedAlert } from '@caretaker/rules/logs/logs.ts'
import {
  alertText,
  beganText,
  categoryOfCondition,
  commandText,
  conditionsIn,
  endedText,
  installationActions,
  actionsLoggedByConditions,
} from '@caretaker/rules/logs/logs.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reportedTest } from '../commands/reported-test.ts'

interface Wanted {
  category?: LogCategory | undefined
  /** The last entry of the previous page. */
  before?: { timestamp: Date; id: string } | undefined
  hidePersonal: boolean
}

interface LoggedCondition {
  kind: ConditionKind
  key: string
  states: ComponentStates | null
  evidence: Evidence
  ending: Ending | null
  endEvidence: Evidence | null
}
interface LoggedCommand {
  name: string
  args: Record<string, unknown>
  status: CommandStatus
  message: string | null
  lateAnswer: 'confirmed' | 'failed' | null
  expiresAt: string
  reportedTest: boolean | null
}
interface LoggedChange {
  action: AuditAction
  before: Changed | null
  after: Changed | null
}

type Row = { id: string; at: Date; who: string | null } & (
  | { source: 'began' | 'ended'; item: LoggedCondition }
  | { source: 'alert'; item: Omit<LoggedAlert, 'ending'> & { ending: StoredEnding | null } }
  | { source: 'command'; item: LoggedCommand }
  | { source: 'change'; item: LoggedChange }
)

/** A page of a device's log, newest first: changes by users, commands, and states. */
export async function listLog(
  tx: TenantTx,
  deviceId: string,
  { category, before, hidePersonal }: Wanted,
): Promise<{ entries: LogEntry[]; hasMore: boolean }> {
  const kinds = category && conditionsIn(category)
  const ofKinds = kinds ? sql`and kind = any(${kinds}::text[])` : sql``
  const ofAlerts = category === undefined || category === 'Alert'
  const isInstalling = sql<boolean>`action = any(${installationActions}::text[])`
  const ofActions =
    category === undefined
      ? sql``
      : category === 'Installation'
        ? sql`and ${isInstalling}`
        : sql`and ${category === 'Change'} and not ${isInstalling}`
  const condition = sql`jsonb_build_object('kind', kind, 'key', key, 'states', states, 'evidence', evidence,
    'ending', ending, 'endEvidence', end_evidence)`
  const { rows } = await sql<Row>`
    select id, at, who, source, item from (
      select id::text || ' began' as id, date_trunc('milliseconds', began_at) as at, evidence #>> '{by,name}' as who,
        'began' as source, ${condition} as item
      from condition where condition.tenant_id = ${tx.tenant} and device_id = ${deviceId} ${ofKinds}
      union all
      select id::text || ' ended', date_trunc('milliseconds', ended_at), end_evidence #>> '{by,name}', 'ended', ${condition}
      from condition
      where condition.tenant_id = ${tx.tenant} and device_id = ${deviceId} and ended_at is not null ${ofKinds}
      union all
      select command.id::text, date_trunc('milliseconds', command.created_at), person.name, 'command', jsonb_build_object(
        'name', command.name, 'args', args, 'status', status, 'message', message, 'lateAnswer', late_answer, 'expiresAt', expires_at,
        'reportedTest', ${reportedTest(tx)})
      from command left join person on person.id = command.created_by
      where command.tenant_id = ${tx.tenant} and device_id = ${deviceId} and ${category === undefined || category === 'Command'}
      union all
      select id::text || ' notified', date_trunc('milliseconds', told_at), null, 'alert', jsonb_build_object(
        'rule', rule, 'isOver', false, 'ending', null, 'to', coalesce((
          select jsonb_agg(distinct recipient) from alert_mail
          where alert_mail.tenant_id = ${tx.tenant} and alert_mail.alert_id = alert.id and kind <> 'over'), '[]'))
      from alert
      where alert.tenant_id = ${tx.tenant} and device_id = ${deviceId} and told_at is not null and ${ofAlerts}
      union all
      select id::text || ' over', date_trunc('milliseconds', closed_at), null, 'alert', jsonb_build_object(
        'rule', rule, 'isOver', true, 'ending', ending, 'to', '[]'::jsonb)
      from alert
      where alert.tenant_id = ${tx.tenant} and device_id = ${deviceId} and told_at is not null and closed_at is not null
        and ${ofAlerts}
      union all
      select id::text, date_trunc('milliseconds', at), person_name, 'change',
        jsonb_build_object('action', action, 'before', before, 'after', after)
      from audit_entry
      where audit_entry.tenant_id = ${tx.tenant} and subject_type = 'device' and subject_id = ${deviceId}
        and action <> all(${actionsLoggedByConditions}::text[]) ${ofActions} and not exists (
          select from command
          where command.tenant_id = ${tx.tenant} and command.device_id = ${deviceId}
            and command.id::text = audit_entry.after ->> 'commandId')
    ) as entry
    where ${before ? sql`(at, id collate "C") < (${before.timestamp}::timestamptz, ${before.id} collate "C")` : sql`true`}
    order by at desc, id collate "C" desc
    limit ${logPageSize + 1}`.execute(tx)
  const now = Date.now()
  return {
    entries: rows.slice(0, logPageSize).map((row) => entryOf(row, hidePersonal, now)),
    hasMore: rows.length > logPageSize,
  }
}

function entryOf(row: Row, hidePersonal: boolean, now: number): LogEntry {
  const entry = { id: row.id, user: row.who, timestamp: row.at.toISOString() }
  switch (row.source) {
    case 'began':
    case 'ended': {
      const { kind, states, evidence, endEvidence, ending } = row.item
      const item = { ...row.item, ...(states ? { states } : { states: {} }), description: evidence.description ?? null }
      return {
        ...entry,
        category: categoryOfCondition(kind),
        description: row.source === 'ended' ? endedText(item, ending!, endEvidence ?? {}) : beganText(item, evidence),
        data: { condition: kind, ended: row.source === 'ended' },
      }
    }
    case 'alert':
      return {
        ...entry,
        category: 'Alert',
        description: alertText({ ...row.item, ending: row.item.ending && endingIn(row.item.ending) }),
        data: { ...row.item.rule, isOver: row.item.isOver, to: row.item.to },
      }
    case 'command':
      return {
        ...entry,
        category: 'Command',
        description: commandText(row.item, now),
        data: { command: row.item.name, status: row.item.status },
      }
    case 'change': {
      const { action, before, after } = row.item
      const shown = (record: Changed | null) => (hidePersonal ? withoutCustomerData('device', record) : record)
      return {
        ...entry,
        category: installationActions.includes(action) ? 'Installation' : 'Change',
        description: action.charAt(0).toUpperCase() + action.slice(1),
        data: { before: shown(before), after: shown(after) },
      }
    }
  }
}
