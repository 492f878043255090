import { sql } from 'kysely'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { isLightAction } from '@caretaker/rules/actions/light-settings.ts'
import { operationOf, rightTo } from '@caretaker/rules/actions/operations.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { ChangedItem, StoredRun } from '../../bulk/subject.ts'
import type { Initiator } from '../../bulk/subject.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { holdDevices } from '../devices/held.ts'
import { changeTags, setAccessRightsTag } from '../../devices/tags.ts'
import { holdTags, tagsOfDevices } from './device-tags.ts'
import { undoLights } from './light-bulk.ts'
import { endUncovered } from '../alerts/uncovered.ts'
import { holdAccessRightsTag } from '../tags/store.ts'

interface Left {
  device: HeldDevice
  /** The tags that were added or removed, or the former access rights tag. */
  tagIds: string[]
}

/** Reverses a tag change on devices that still have its result, if the actor still has the right; returns how many. */
export async function undo(
  tx: TenantTx,
  { actor, person }: Initiator,
  run: StoredRun<BulkAction>,
  items: readonly ChangedItem[],
): Promise<number> {
  const { action } = run
  if (isLightAction(action)) return undoLights(tx, { actor, person }, { ...run, action }, items)
  const isTags = run.action === 'add tags' || run.action === 'remove tags'
  const wanted = [...new Set(items.flatMap((item) => item.changedTagIds))].sort()
  // Lock order: tags before devices.
  const still = new Set(await (isTags ? tagsStill(tx, wanted) : accessRightsTagsStill(tx, wanted)))
  const devices = await holdDevices(
    tx,
    items.map((item) => item.itemId),
  )
  const uninstalled = await uninstalledSince(tx, run.startedAt, [...devices.keys()])
  const left = items.flatMap(({ itemId, changedTagIds }): Left[] => {
    const device = devices.get(itemId)
    if (!device || !can(actor, rightTo[operationOf[run.action]], device)) return []
    // Uninstalling removed its tags permanently, and it may be elsewhere by now.
    if (uninstalled.has(itemId)) return []
    return changedTagIds.every((id) => still.has(id)) ? [{ device, tagIds: changedTagIds }] : []
  })
  return isTags ? restoreTags(tx, person, run, left) : restoreAccessRightsTags(tx, person, run, left)
}

/** The locked devices that have been uninstalled since then, even if they were installed again. */
async function uninstalledSince(tx: TenantTx, since: Date, deviceIds: string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('audit_entry')
    .select('subject_id')
    .where('tenant_id', '=', tx.tenant)
    .where('subject_type', '=', 'device')
    .where(sql<boolean>`subject_id = any(${deviceIds}::text[])`)
    .where('action', '=', 'device uninstalled')
    .where('at', '>', since)
    .execute()
  return new Set(rows.map((row) => row.subject_id))
}

const tagsStill = async (tx: TenantTx, ids: string[]) => (await holdTags(tx, ids)).map((tag) => tag.id)

async function accessRightsTagsStill(tx: TenantTx, ids: string[]): Promise<string[]> {
  const still: string[] = []
  for (const id of ids) if (await holdAccessRightsTag(tx, id, 'to hand out')) still.push(id)
  return still
}

async function restoreTags(tx: TenantTx, person: Recorded, { action }: StoredRun, left: Left[]): Promise<number> {
  const now = await tagsOfDevices(
    tx,
    left.map(({ device }) => device.deviceId),
  )
  const added = action === 'add tags'
  const unchanged = left.filter(({ device, tagIds }) => {
    const has = new Set(now.get(device.deviceId)!.map((tag) => tag.id))
    return tagIds.every((id) => has.has(id) === added)
  })
  const taggings = unchanged.flatMap(({ device: { deviceId }, tagIds }) => tagIds.map((tagId) => ({ deviceId, tagId })))
  const held = new Map(unchanged.map(({ device }) => [device.deviceId, device]))
  const restored = await changeTags(tx, person, held, added ? { remove: taggings } : { add: taggings })
  if (added) await endUncovered(tx, [...held.keys()], new Date())
  return restored.size
}

async function restoreAccessRightsTags(tx: TenantTx, person: Recorded, run: StoredRun, left: Left[]): Promise<number> {
  const given = run.tagIds[0] ?? null
  const unchanged = left.filter(({ device }) => device.accessRightsTagId === given)
  let restored = 0
  for (const [before, of] of Map.groupBy(unchanged, ({ tagIds }) => tagIds[0] ?? null))
    restored += (
      await setAccessRightsTag(
        tx,
        person,
        of.map(({ device }) => device),
        before,
      )
    ).length
  return restored
}
