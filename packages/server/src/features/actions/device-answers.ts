import { sql } from 'kysely'
import { watchedLimit } from '@caretaker/rules/actions/actions.ts'
import { isHomeAction } from '@caretaker/rules/actions/home-actions.ts'
import { operationOf } from '@caretaker/rules/actions/operations.ts'
import { answerOf, noAnswers } from '@caretaker/rules/commands/answers.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { StoredRun } from '../../bulk/subject.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { commandFor } from '../commands/order.ts'
import { visible } from '../devices/visible.ts'

/** The answers of a bulk action's devices to its command; none for an action without a command. */
export async function answersOf(tx: TenantTx, actor: Actor, run: StoredRun) {
  const counts = { ...noAnswers }
  const order = isHomeAction(run.action) ? undefined : commandFor(operationOf[run.action])
  if (!order) return { counts, devices: [] }
  const now = new Date()
  const asked = visible(tx.selectFrom('device'), actor)
    .innerJoin('bulk_item as item', (join) =>
      join
        .on('item.tenant_id', '=', tx.tenant)
        .on('item.bulk_action_id', '=', run.id)
        .onRef('item.item_id', '=', 'device.id'),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('command')
          .select(['command.status', 'command.late_answer', 'command.message', 'command.expires_at'])
          .where('command.tenant_id', '=', tx.tenant)
          .whereRef('command.device_id', '=', 'item.item_id')
          .where('command.name', '=', order.name)
          // Planned tests use the same command.
          .where(sql<boolean>`command.args = ${JSON.stringify(order.args)}::jsonb`)
          // For an item that was not sent again, the command that was already waiting is used.
          .where(
            sql<boolean>`case when item.changed then command.created_at >= ${run.startedAt}::timestamptz
              else command.created_at <= coalesce(${run.finishedAt}::timestamptz, ${now}::timestamptz) end`,
          )
          .orderBy(sql`case when item.changed then command.created_at end`)
          .orderBy('command.created_at', 'desc')
          .limit(1)
          .as('asked'),
      (join) => join.onTrue(),
    )
    .where('item.state', '=', 'done')
  const isOver = sql<boolean>`asked.expires_at <= ${now}::timestamptz`
  const groups = await asked
    .select(['asked.status', 'asked.late_answer', isOver.as('is_over'), sql<number>`count(*)::int`.as('count')])
    .groupBy(['asked.status', 'asked.late_answer', sql.ref('is_over')])
    .execute()
  const answer = (row: Pick<(typeof groups)[number], 'status' | 'late_answer' | 'is_over'>) =>
    answerOf(
      {
        status: row.status,
        lateAnswer: row.late_answer,
        expiresAt: new Date(+now + (row.is_over ? 0 : 1)).toISOString(),
      },
      +now,
    )
  for (const row of groups) counts[answer(row)] += row.count
  const each = await asked
    .select(['item.item_id', 'asked.status', 'asked.late_answer', isOver.as('is_over'), 'asked.message'])
    .orderBy('item.item_id')
    .limit(watchedLimit)
    .execute()
  return {
    counts,
    devices: each.map((row) => ({ deviceId: row.item_id, answer: answer(row), message: row.message })),
  }
}
