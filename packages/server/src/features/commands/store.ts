import { randomUUID } from 'node:crypto'
import type { RawBuilder, Transaction } from 'kysely'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Command } from '@caretaker/contract/lighting.ts'
import type { CommandName, CommandStatus } from '@caretaker/rules/commands/commands.ts'
import {
  commandLifetime,
  commandNames,
  commandResend,
  commandStatuses,
  mayBecome,
} from '@caretaker/rules/commands/commands.ts'
import { kindOf } from '@caretaker/rules/commands/life.ts'
import type { Db } from '../../postgres/pool.ts'
import type { Database } from '../../postgres/database.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { enter, inTransaction } from '../../postgres/tenant.ts'
import { enqueueMessages } from '../../projections/outbox.ts'
import { reportedTest } from './reported-test.ts'

/** The channel on which a queued command is announced with its device id once committed. */
export const commandQueued = 'command_queued'

/** States from which a command can still reach the given one. */
const before = (status: CommandStatus) => commandStatuses.filter((from) => mayBecome(from, status))
/** A command that is waiting for its device. */
const open: CommandStatus[] = before('confirmed')
/** Final states without an answer from the device. */
const unanswered: CommandStatus[] = ['expired', 'withdrawn']

interface NewCommands {
  deviceIds: readonly string[]
  name: CommandName
  args: Record<string, unknown>
  /** The user who asked for it; null for the server itself. */
  createdBy: string | null
  /** When each command is to be sent, for devices that take turns; otherwise at once. */
  dueAt?: ReadonlyMap<string, Date>
  /** Whether a connection sends it to its network server, in place of the device link. */
  isDownlink?: boolean
}

/**
 * Stores a command for each device, queues it and notifies the device link, all within the caller's transaction.
 * Returns the command ids by device.
 */
export async function queueCommands(
  tx: TenantTx,
  { deviceIds, name, args, createdBy, dueAt, isDownlink = false }: NewCommands,
): Promise<Map<string, string>> {
  const commands = new Map(deviceIds.map((deviceId) => [deviceId, randomUUID()]))
  if (!commands.size) return commands
  const each = sql`unnest(${[...commands.values()]}::uuid[], ${[...commands.keys()]}::uuid[]) as new (id, device_id)`
  const now = new Date()
  const expiresAt = new Date(now.getTime() + commandLifetime[name] * 1000)
  await sql`
    insert into command (tenant_id, id, device_id, name, args, created_by, created_at, expires_at)
    select ${tx.tenant}, id, device_id, ${name}, ${JSON.stringify(args)}::jsonb, ${createdBy}::uuid, ${now}::timestamptz,
      ${expiresAt}::timestamptz
    from ${each}
    on conflict do nothing`.execute(tx)
  if (dueAt) await queueByTurns(tx, commands, dueAt, expiresAt)
  else
    await sql`
    insert into command_outbox (command_id, tenant_id, device_id, expires_at, is_downlink)
    select id, ${tx.tenant}, device_id, ${expiresAt}::timestamptz, ${isDownlink} from ${each}`.execute(tx)
  if (!isDownlink) await sql`select pg_notify(${commandQueued}, device_id::text) from ${each}`.execute(tx)
  await changed(tx, 'device commands', commands.keys())
  return commands
}

async function queueByTurns(
  tx: TenantTx,
  commands: ReadonlyMap<string, string>,
  dueAt: ReadonlyMap<string, Date>,
  expiresAt: Date,
): Promise<void> {
  const times = [...commands.keys()].map((deviceId) => dueAt.get(deviceId)!.toISOString())
  await sql`
    insert into command_outbox (command_id, tenant_id, device_id, due_at, expires_at)
    select id, ${tx.tenant}, device_id, due_at, ${expiresAt}::timestamptz
    from unnest(${[...commands.values()]}::uuid[], ${[...commands.keys()]}::uuid[], ${times}::timestamptz[])
      as new (id, device_id, due_at)`.execute(tx)
}

/** Deletes all commands of these devices, including unanswered ones. */
export async function dropCommands(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  // Lock order: queue entries before commands, always sorted.
  const waiting = await tx
    .selectFrom('command_outbox')
    .select('command_id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .orderBy('command_id')
    .forUpdate()
    .execute()
  await dequeue(
    tx,
    waiting.map((row) => row.command_id),
  )
  await tx
    .deleteFrom('command')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}

/** A command as the device link sends it. */
export interface DueCommand {
  tenant: string
  deviceId: string
  commandId: string
  name: CommandName
  args: Record<string, unknown>
  expiresAt: Date
}

/**
 * Claims the due commands of these devices, oldest first, and marks them sent. A claim lasts `commandResend` seconds:
 * unanswered commands are due again after that. If several processes claim at once, each command goes to one of them.
 */
export async function takeDueCommands(db: Db, deviceIds: readonly string[], limit: number): Promise<DueCommand[]> {
  if (!deviceIds.length) return []
  return takeDue(db, sql<boolean>`not is_downlink and device_id = any(${deviceIds}::uuid[])`, limit)
}

/** The same for the commands that connections send to their network servers, of all tenants. */
export function takeDueDownlinks(db: Db, limit: number): Promise<DueCommand[]> {
  return takeDue(db, sql<boolean>`is_downlink`, limit)
}

function takeDue(db: Db, which: RawBuilder<boolean>, limit: number): Promise<DueCommand[]> {
  return inTransaction(db, async (transaction) => {
    const due = await transaction
      .selectFrom('command_outbox')
      // By the database clock, with which other processes compare it.
      .select(['command_id', 'tenant_id', sql<Date>`now()`.as('now')])
      .where(which)
      .where('due_at', '<=', sql<Date>`now()`)
      .where('expires_at', '>', sql<Date>`now()`)
      .orderBy('due_at')
      .orderBy('command_id')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
    if (!due.length) return []
    const taken: DueCommand[] = []
    for (const [tenant, ids] of byTenant(due)) taken.push(...(await markSent(transaction, tenant, ids)))
    await postpone(transaction, due, new Set(taken.map((command) => command.commandId)))
    const position = new Map(due.map(({ command_id }, index) => [command_id, index]))
    return taken.sort((a, b) => position.get(a.commandId)! - position.get(b.commandId)!)
  })
}

async function markSent(transaction: Transaction<Database>, tenant: string, ids: string[]): Promise<DueCommand[]> {
  const tx = await enter(transaction, tenant)
  const rows = await tx
    .updateTable('command')
    .set({
      status: 'sent',
      sent_at: sql<Date>`coalesce(sent_at, ${new Date()})`,
      attempts: sql<number>`attempts + 1`,
    })
    .where('tenant_id', '=', tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('status', 'in', open)
    .returning(['id', 'device_id', 'name', 'args', 'expires_at'])
    .execute()
  await changed(
    tx,
    'device commands',
    rows.map((row) => row.device_id),
  )
  return rows.map((row) => ({
    tenant,
    deviceId: row.device_id,
    commandId: row.id,
    name: row.name,
    args: row.args,
    expiresAt: row.expires_at,
  }))
}

/** Sent commands are due again later; entries whose command is final or deleted leave the queue. */
async function postpone(
  transaction: Transaction<Database>,
  due: { command_id: string; now: Date }[],
  sent: Set<string>,
) {
  const ids = due.map((row) => row.command_id)
  const [again, final] = [ids.filter((id) => sent.has(id)), ids.filter((id) => !sent.has(id))]
  if (again.length)
    await transaction
      .updateTable('command_outbox')
      .set({ due_at: new Date(+due[0]!.now + commandResend * 1000) })
      .where(sql<boolean>`command_id = any(${again}::uuid[])`)
      .execute()
  await dequeue(transaction, final)
}

async function dequeue(transaction: Transaction<Database>, ids: string[]): Promise<void> {
  if (!ids.length) return
  await transaction
    .deleteFrom('command_outbox')
    .where(sql<boolean>`command_id = any(${ids}::uuid[])`)
    .execute()
}

/** The answer of a device to one command. */
export interface CommandAnswer {
  commandId: string
  deviceId: string
  status: 'confirmed' | 'failed'
  message: string | null
  answeredAt: Date
}

/**
 * Applies the answers of devices to commands, each once: an answer to a final or expired command changes nothing.
 * Returns the answers to commands that were never sent to the device.
 */
export async function applyCommandAnswers(
  tx: TenantTx,
  commandAnswers: readonly CommandAnswer[],
): Promise<Set<CommandAnswer>> {
  if (!commandAnswers.length) return new Set()
  const ids = commandAnswers.map((one) => one.commandId)
  // Lock order: queue entries before commands, always sorted, so that two processes never deadlock.
  await tx
    .selectFrom('command_outbox')
    .select('command_id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`command_id = any(${ids}::uuid[])`)
    .orderBy('command_id')
    .forUpdate()
    .execute()
  const known = await tx
    .selectFrom('command')
    .select(['id', 'device_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const deviceOf = new Map(known.map((row) => [row.id, row.device_id]))
  const ours = commandAnswers.filter((one) => deviceOf.get(one.commandId) === one.deviceId)
  await expireAnswered(tx, firstOfEach(ours))
  for (const status of ['confirmed', 'failed'] as const) await applyStatus(tx, firstOfEach(ours), status)
  await changed(
    tx,
    'device commands',
    ours.map((one) => one.deviceId),
  )
  return new Set(commandAnswers.filter((one) => !ours.includes(one)))
}

/** Expires commands that were answered too late before the job ran, so that a late answer is late everywhere. */
async function expireAnswered(tx: TenantTx, answers: CommandAnswer[]): Promise<void> {
  const { rows } = await sql<Ended>`
    update command set status = 'expired'
    from unnest(
      ${answers.map((one) => one.commandId)}::uuid[],
      ${answers.map((one) => one.answeredAt.toISOString())}::timestamptz[]
    ) as answer (id, at)
    where tenant_id = ${tx.tenant} and command.id = answer.id and status = any(${before('expired')}::text[])
      and expires_at <= answer.at
    returning command.id, device_id as "deviceId", name, command.status, command.message, expires_at as at`.execute(tx)
  await announceEnded(tx, rows)
}

async function applyStatus(
  tx: TenantTx,
  commandAnswers: CommandAnswer[],
  status: 'confirmed' | 'failed',
): Promise<void> {
  const these = commandAnswers.filter((one) => one.status === status)
  if (!these.length) return
  const { rows } = await sql<Ended>`
    update command set status = ${status}, message = answer.message, answered_at = answer.at
    from unnest(
      ${these.map((one) => one.commandId)}::uuid[],
      ${these.map((one) => one.message)}::text[],
      ${these.map((one) => one.answeredAt.toISOString())}::timestamptz[]
    ) as answer (id, message, at)
    where tenant_id = ${tx.tenant} and command.id = answer.id and status = any(${before(status)}::text[])
    returning command.id, device_id as "deviceId", name, command.status, command.message, answered_at as at`.execute(tx)
  await announceEnded(tx, rows)
  await storeLateAnswers(tx, these)
  await dequeue(
    tx,
    these.map((one) => one.commandId),
  )
}

interface Ended {
  id: string
  deviceId: string
  name: CommandName
  status: CommandStatus
  message: string | null
  at: Date
}

/** Announces commands that ended: answered, expired or withdrawn. */
async function announceEnded(tx: TenantTx, ended: readonly Ended[]): Promise<void> {
  await enqueueMessages(
    tx,
    ended.map(({ id, deviceId, name, status, message, at }) => ({
      ...{ event: 'command.ended', deviceId, at },
      data: { command: { id, name, status, message } },
    })),
  )
}

/** Stores answers to commands that had already ended: they change nothing, but are shown. */
async function storeLateAnswers(tx: TenantTx, answers: CommandAnswer[]): Promise<void> {
  await sql`
    update command set late_answer = answer.status, message = answer.message, answered_at = answer.at
    from unnest(
      ${answers.map((one) => one.commandId)}::uuid[],
      ${answers.map((one) => one.status)}::text[],
      ${answers.map((one) => one.message)}::text[],
      ${answers.map((one) => one.answeredAt.toISOString())}::timestamptz[]
    ) as answer (id, status, message, at)
    where tenant_id = ${tx.tenant} and command.id = answer.id and answered_at is null
      and command.status = any(${unanswered}::text[])`.execute(tx)
}

function firstOfEach(commandAnswers: CommandAnswer[]): CommandAnswer[] {
  const first = new Map<string, CommandAnswer>()
  for (const one of commandAnswers) if (!first.has(one.commandId)) first.set(one.commandId, one)
  return [...first.values()]
}

/** Expires overdue commands; returns how many. Several processes may run it at once. */
export async function expireCommands(db: Db, batch = 500): Promise<number> {
  let expired = 0
  for (;;) {
    const found = await expireBatch(db, batch)
    expired += found.expired
    if (found.seen < batch) return expired
  }
}

async function expireBatch(db: Db, batch: number): Promise<{ seen: number; expired: number }> {
  return inTransaction(db, async (transaction) => {
    const over = await transaction
      .selectFrom('command_outbox')
      .select(['command_id', 'tenant_id'])
      .where('expires_at', '<=', sql<Date>`now()`)
      .limit(batch)
      .forUpdate()
      .skipLocked()
      .execute()
    let expired = 0
    for (const [tenant, ids] of byTenant(over)) {
      const tx = await enter(transaction, tenant)
      const rows = await tx
        .updateTable('command')
        .set({ status: 'expired' })
        .where('tenant_id', '=', tenant)
        .where(sql<boolean>`id = any(${ids}::uuid[])`)
        .where('status', 'in', before('expired'))
        .returning(['id', 'device_id', 'device_id as deviceId', 'name', 'status', 'message', 'expires_at as at'])
        .execute()
      await announceEnded(tx, rows)
      await changed(
        tx,
        'device commands',
        rows.map((row) => row.device_id),
      )
      expired += rows.length
    }
    await dequeue(
      transaction,
      over.map((row) => row.command_id),
    )
    return { seen: over.length, expired }
  })
}

function byTenant(rows: { command_id: string; tenant_id: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { tenant_id, command_id } of rows) groups.set(tenant_id, [...(groups.get(tenant_id) ?? []), command_id])
  return groups
}

/** The newest unanswered command of this name, by device. */
export async function findOpenCommands(
  tx: TenantTx,
  deviceIds: readonly string[],
  { name, args }: Pick<NewCommands, 'name' | 'args'>,
): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('command')
    .select(['id', 'device_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .where('name', '=', name)
    .where(sql<boolean>`args = ${JSON.stringify(args)}::jsonb`)
    .where('status', 'in', open)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at')
    .execute()
  return new Map(rows.map((row) => [row.device_id, row.id]))
}

/** The reported and desired state of a device, locked until the transaction ends. */
export async function holdState(tx: TenantTx, deviceId: string) {
  return tx
    .selectFrom('device')
    .select(['reported', 'desired'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

/** The reported and desired state of a device. */
export async function findState(tx: TenantTx, deviceId: string) {
  return tx
    .selectFrom('device')
    .select(['reported', 'desired'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
}

/** The unanswered commands of this name of a device, locked with their queue entries; newest first. */
export async function holdOpenCommands(tx: TenantTx, deviceId: string, name: CommandName) {
  // Lock order: queue entries before commands, always sorted.
  await tx
    .selectFrom('command_outbox')
    .select('command_id')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('command_id')
    .forUpdate()
    .execute()
  return tx
    .selectFrom('command')
    .select(['id', 'name', 'args', 'status'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('name', '=', name)
    .where('status', 'in', open)
    .where('expires_at', '>', new Date())
    .orderBy('created_at', 'desc')
    .forUpdate()
    .execute()
}

/**
 * Stops repeating these commands, because newer ones replace them. A command that the device already has expires unless
 * it is answered.
 */
export async function dontRepeat(tx: TenantTx, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await tx
    .updateTable('command_outbox')
    .set({ due_at: sql<Date>`expires_at` })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`command_id = any(${ids}::uuid[])`)
    .execute()
}

/**
 * Requeues a command that its network server did not accept; `message` is the reason. It is due again when its claim
 * ends, and does not count as sent.
 */
export async function queueAgain(
  tx: TenantTx,
  { commandId, deviceId }: Pick<DueCommand, 'commandId' | 'deviceId'>,
  message: string,
): Promise<void> {
  await tx
    .updateTable('command')
    .set({ status: 'queued', sent_at: null, message })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', commandId)
    .where('status', '=', 'sent')
    .execute()
  await changed(tx, 'device commands', [deviceId])
}

/** Forgets why a command was not accepted before, now that it was. */
export async function forgetMessage(tx: TenantTx, { commandId }: Pick<DueCommand, 'commandId'>): Promise<void> {
  await tx
    .updateTable('command')
    .set({ message: null })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', commandId)
    .where('status', '=', 'sent')
    .execute()
}

/** The newest command of this name of each device that was sent and has neither been answered nor withdrawn. */
export async function unansweredCommands(tx: TenantTx, deviceIds: readonly string[], name: CommandName) {
  return tx
    .selectFrom('command')
    .distinctOn('device_id')
    .select(['id', 'device_id', 'args', 'sent_at', 'answered_at', 'taken_back_at'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .where('name', '=', name)
    .orderBy('device_id')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
    .then((rows) => rows.filter((row) => row.sent_at && !row.answered_at && !row.taken_back_at))
}

/** A command of a device, locked until the transaction ends so that it is neither sent nor answered meanwhile. */
export async function holdCommand(tx: TenantTx, deviceId: string, id: string): Promise<Command | undefined> {
  // Lock order: the queue entry before the command. A process about to send it has locked the entry.
  await tx
    .selectFrom('command_outbox')
    .select('command_id')
    .where('tenant_id', '=', tx.tenant)
    .where('command_id', '=', id)
    .forUpdate()
    .execute()
  await tx
    .selectFrom('command')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .execute()
  return (await readCommands(tx, [deviceId], sql<boolean>`command.id = ${id}`))[0]
}

/** Withdraws a locked command: it is not sent any more, and no longer desired. */
export async function takeBack(
  tx: TenantTx,
  { commandId, deviceId, status }: { commandId: string; deviceId: string; status: CommandStatus },
  personId: string | null,
): Promise<void> {
  const now = new Date()
  const taken = await tx
    .updateTable('command')
    .set({
      status: mayBecome(status, 'withdrawn') ? 'withdrawn' : status,
      taken_back_at: now,
      taken_back_by: personId,
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', commandId)
    .returning(['id', 'name', 'status', 'message'])
    .execute()
  // A command that had already ended was announced then.
  if (mayBecome(status, 'withdrawn'))
    await announceEnded(
      tx,
      taken.map((row) => ({ ...row, deviceId, at: now })),
    )
  await dequeue(tx, [commandId])
  await changed(tx, 'device commands', [deviceId])
}

/**
 * Withdraws those of these commands that are unsent, and stops repeating the others: a command that the device already
 * has stays until it is answered or expires. Returns the withdrawn ids.
 */
export async function takeBackUnsent(
  tx: TenantTx,
  ids: readonly string[],
  personId: string | null,
): Promise<Set<string>> {
  if (!ids.length) return new Set()
  // Lock order: queue entries before commands, always sorted.
  await tx
    .selectFrom('command_outbox')
    .select('command_id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`command_id = any(${ids}::uuid[])`)
    .orderBy('command_id')
    .forUpdate()
    .execute()
  const now = new Date()
  const taken = await tx
    .updateTable('command')
    .set({ status: 'withdrawn', taken_back_at: now, taken_back_by: personId })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('status', 'in', before('withdrawn'))
    .returning(['id', 'device_id as deviceId', 'name', 'status', 'message'])
    .execute()
  await announceEnded(
    tx,
    taken.map((row) => ({ ...row, at: now })),
  )
  const withdrawn = new Set(taken.map(({ id }) => id))
  await dequeue(tx, [...withdrawn])
  await dontRepeat(
    tx,
    ids.filter((id) => !withdrawn.has(id)),
  )
  await changed(
    tx,
    'device commands',
    taken.map(({ deviceId }) => deviceId),
  )
  return withdrawn
}

/** A device's last 50 commands, and the last of each name, for each relay; newest first. */
export async function listCommands(tx: TenantTx, deviceId: string): Promise<Command[]> {
  const ofDevice = tx
    .selectFrom('command')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
  const last = ofDevice.orderBy('created_at', 'desc').orderBy('id').limit(50)
  const relay = sql<string>`args ->> 'relay'`
  const ofEach = ofDevice
    .distinctOn(['name', relay])
    .orderBy('name')
    .orderBy(relay)
    .orderBy('created_at', 'desc')
    .orderBy('id')
  return readCommands(tx, [deviceId], sql<boolean>`(command.id in ${last} or command.id in ${ofEach})`)
}

/** The resets sent to these devices since an instant, newest first. */
export function listResets(
  tx: TenantTx,
  deviceIds: readonly string[],
  since: Date,
): Promise<(Command & { deviceId: string })[]> {
  const resets = commandNames.filter((name) => kindOf(name) === 'reset')
  return readCommands(
    tx,
    deviceIds,
    sql<boolean>`(command.name = any(${resets}::text[])
    and command.created_at >= ${since}::timestamptz)`,
  )
}

/** Commands by id, of any device; those of deleted devices are left out. */
export async function commandsById(tx: TenantTx, ids: readonly string[]): Promise<(Command & { deviceId: string })[]> {
  if (!ids.length) return []
  const rows = await tx
    .selectFrom('command')
    .select('device_id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const deviceIds = [...new Set(rows.map((row) => row.device_id))]
  return readCommands(tx, deviceIds, sql<boolean>`command.id = any(${ids}::uuid[])`)
}

async function readCommands(
  tx: TenantTx,
  deviceIds: readonly string[],
  wanted: RawBuilder<boolean>,
): Promise<(Command & { deviceId: string })[]> {
  const rows = await tx
    .selectFrom('command')
    .leftJoin('person as requester', 'requester.id', 'command.created_by')
    .leftJoin('person as retractor', 'retractor.id', 'command.taken_back_by')
    .selectAll('command')
    .select(['requester.name as requested_by', 'retractor.name as retracted_by'])
    .select(reportedTest(tx).as('reported_test'))
    .where('command.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`command.device_id = any(${deviceIds}::uuid[])`)
    .where(wanted)
    .orderBy('command.created_at', 'desc')
    .orderBy('command.id')
    .execute()
  return rows.map((row) => ({
    deviceId: row.device_id,
    commandId: row.id,
    name: row.name,
    args: row.args,
    status: row.status,
    message: row.message,
    requestedBy: row.requested_by,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    answeredAt: row.answered_at?.toISOString() ?? null,
    expiresAt: row.expires_at.toISOString(),
    withdrawnAt: row.taken_back_at?.toISOString() ?? null,
    withdrawnBy: row.retracted_by,
    lateAnswer: row.late_answer,
    reportedTest: row.reported_test,
  }))
}

/** Makes commands due whose due time lies in the future because the clock was set back. */
export async function makeFutureCommandsDue(client: pg.ClientBase, now: Date): Promise<void> {
  await client.query('update command_outbox set due_at = $1 where due_at > $1', [now])
}
