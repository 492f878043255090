import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { mayDoInBulk, undoLightsLimit, undoLimit } from '@caretaker/rules/actions/actions.ts'
import { isLightAction } from '@caretaker/rules/actions/light-settings.ts'
import { operationOf, rightTo, unfitForBulk } from '@caretaker/rules/actions/operations.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { refusals } from '@caretaker/contract/refusal.ts'
import type { BulkOrder, BulkSubject, Initiator, Outcome } from '../../bulk/subject.ts'
import { doneWith as done, failedWith as failed } from '../../bulk/subject.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { orderFrom } from '../commands/order.ts'
import type { HeldDevice } from '../devices/held.ts'
import { holdDevices } from '../devices/held.ts'
import { changeTags, setAccessRightsTag } from '../../devices/tags.ts'
import { holdTags } from './device-tags.ts'
import { undo } from './device-undo.ts'
import { actOnLights } from './light-bulk.ts'
import { holdAccessRightsTag } from '../tags/store.ts'
import { uninstall } from './uninstall.ts'

/** Devices as the subject of bulk actions. */
export const deviceBulk: BulkSubject<BulkAction> = {
  may: (actor, action) => can(actor, rightTo[operationOf[action]]) && mayDoInBulk(actor, action),
  perform,
  isUndoable: (action) => action.endsWith('tags') || isLightAction(action),
  undoLimit: (action) => (isLightAction(action) ? undoLightsLimit : undoLimit),
  undo,
}

/**
 * Applies a bulk action to some devices in a few statements. Each is checked in its current state with the actor's
 * current rights; a hidden device is treated as missing.
 */
async function perform(
  tx: TenantTx,
  initiator: Initiator,
  bulk: BulkOrder<BulkAction>,
  deviceIds: readonly string[],
): Promise<Outcome[]> {
  const lost = await holdGivenTags(tx, bulk)
  if (lost) return deviceIds.map((id) => failed(id, lost))
  const devices = await holdDevices(tx, deviceIds)
  const refused: Outcome[] = []
  const fit: HeldDevice[] = []
  for (const id of deviceIds) {
    const device = devices.get(id)
    const why = whyNot(initiator.actor, bulk.action, device)
    if (why || !device) refused.push(failed(id, why ?? refusals['not found'].text))
    else fit.push(device)
  }
  return [...refused, ...(fit.length ? await act(tx, initiator, bulk, fit) : [])]
}

function whyNot(actor: Actor, action: BulkAction, device: HeldDevice | undefined): string | undefined {
  if (!device || !can(actor, 'see device', device)) return refusals['not found'].text
  const unfit = unfitForBulk(action, device, actor)
  if (unfit) return unfit
  return can(actor, rightTo[operationOf[action]], device) ? undefined : refusals.forbidden.text
}

/** Locks the tags to add before the devices; returns a message if one was deleted. */
async function holdGivenTags(tx: TenantTx, { action, tagIds }: BulkOrder<BulkAction>): Promise<string | undefined> {
  if (action === 'add tags' || action === 'remove tags') {
    const found = await holdTags(tx, tagIds)
    return found.length < new Set(tagIds).size ? 'The tag was deleted.' : undefined
  }
  if (action !== 'add access rights tags') return undefined
  const found = await holdAccessRightsTag(tx, tagIds[0]!, 'to hand out')
  return found ? undefined : 'The access rights tag was deleted.'
}

async function act(
  tx: TenantTx,
  initiator: Initiator,
  order: BulkOrder<BulkAction>,
  devices: HeldDevice[],
): Promise<Outcome[]> {
  const { person } = initiator
  const { action, tagIds } = order
  if (isLightAction(action)) return actOnLights(tx, initiator, { ...order, action }, devices)
  const ids = devices.map((device) => device.deviceId)
  switch (action) {
    case 'add tags':
    case 'remove tags': {
      const taggings = ids.flatMap((deviceId) => tagIds.map((tagId) => ({ deviceId, tagId })))
      const held = new Map(devices.map((device) => [device.deviceId, device]))
      const change = action === 'add tags' ? { add: taggings } : { remove: taggings }
      const changed = await changeTags(tx, person, held, change)
      return ids.map((id) => {
        const { added = [], removed = [] } = changed.get(id) ?? {}
        return done(id, { changed: changed.has(id), changedTagIds: [...added, ...removed] })
      })
    }
    case 'add access rights tags':
    case 'remove access rights tags': {
      const changed = new Set(await setAccessRightsTag(tx, person, devices, tagIds[0] ?? null))
      return devices.map((device) =>
        done(device.deviceId, {
          changed: changed.has(device),
          changedTagIds: device.accessRightsTagId ? [device.accessRightsTagId] : [],
        }),
      )
    }
    case 'uninstall':
      await uninstall(tx, person, devices)
      return ids.map((id) => done(id))
    case 'flick test':
    case 'join network':
    case 'leave network': {
      const ordered = await orderFrom(tx, person, action, devices)
      return ids.map((id) =>
        ordered.has(id)
          ? done(id)
          : done(id, { changed: false, message: 'The command is already waiting for the device.' }),
      )
    }
  }
}
