import type { FastifyInstance } from 'fastify'
import {
  addTagToDevice,
  getDeviceTags,
  removeTagFromDevice,
  setDeviceAccessRightsTags,
  updateDeviceTags,
} from '@caretaker/contract/actions.ts'
import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import { setDeviceAccessRightsTag } from '@caretaker/contract/tags.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { unfitFor, unfitForBulk } from '@caretaker/rules/actions/operations.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { render } from '../../http/errors.ts'
import { serveTenant } from '../../http/serve.ts'
import type { Person } from '../../identity/person.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'
import { holdDevice, holdDeviceFor } from '../devices/held.ts'
import { changeTags, setAccessRightsTag } from '../../devices/tags.ts'
import { deviceVersion, expectDeviceVersion } from '../../devices/version.ts'
import { chosenTags, tagsOfDevices } from './device-tags.ts'
import { chosenAccessRightsTag, listAccessRightsTags } from '../tags/store.ts'
import { onePart } from './bulk.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Person
}

/** A device, and the version of it that the change is based on. */
interface Edited {
  deviceId: string
  version?: number | undefined
}

/** The tags of one device, and its access rights tag. */
export function deviceTagRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceTags, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await tagsOf(tx, device.id, device.accessRightsTags[0]))
  })

  serveTenant(app, addTagToDevice, async ({ body: { tagId, ...body }, ...caller }) =>
    retag(caller, body, 'tagId', [tagId], () => ({ add: [tagId] })),
  )

  serveTenant(app, removeTagFromDevice, async ({ body: { tagId, ...body }, ...caller }) =>
    retag(caller, body, 'tagId', [tagId], () => ({ remove: [tagId] })),
  )

  serveTenant(app, updateDeviceTags, async ({ body: { tagIds, ...body }, ...caller }) =>
    retag(caller, body, 'tagIds', tagIds, (before) => ({
      add: tagIds.filter((id) => !before.includes(id)),
      remove: before.filter((id) => !tagIds.includes(id)),
    })),
  )

  serveTenant(app, setDeviceAccessRightsTag, async ({ params: { deviceId }, body, ...caller }) => {
    const edited = { deviceId, version: body.version }
    await changeAccessRightsTag(caller, edited, body.accessRightsTagId, 'accessRightsTagId', 'single')
  })

  serveTenant(app, setDeviceAccessRightsTags, async ({ params: { deviceId }, body, ...caller }) => {
    const [tag] = body.accessRightsTags
    if (body.bulkActionId !== undefined) {
      const action = tag ? 'add access rights tags' : 'remove access rights tags'
      const tags = tag ? [tag.id] : []
      const { state, message } = await onePart(caller, body.bulkActionId, { action, deviceId, tags })
      // Refused without throwing, which would roll back the record of the bulk action.
      if (state === 'failed') return render(caller.request, caller.reply, refuse('refused', message ?? undefined))
      return tagsOf(caller.tx, deviceId, tag?.id)
    }
    await changeAccessRightsTag(caller, { deviceId }, tag?.id ?? null, 'accessRightsTags.0.id', 'bulk')
    return tagsOf(caller.tx, deviceId, tag?.id)
  })
}

/** Replaces the tags of a device with the wanted ones, and announces the change. */
async function retag(
  { tx, actor, person }: Caller,
  { deviceId, version }: Edited,
  field: string,
  chosen: readonly string[],
  change: (before: string[]) => { add?: string[]; remove?: string[] },
) {
  await findDevice(tx, actor, deviceId)
  await chosenTags(tx, chosen, field)
  const device = await holdDeviceFor(tx, actor, 'update tags', deviceId)
  await expectDeviceVersion(tx, deviceId, version)
  const before = (await tagsOfDevices(tx, [deviceId])).get(deviceId)!.map((tag) => tag.id)
  const { add = [], remove = [] } = change(before)
  const taggings = (ids: string[]) => ids.map((tagId) => ({ deviceId, tagId }))
  await changeTags(tx, person, new Map([[deviceId, device]]), { add: taggings(add), remove: taggings(remove) })
  return success(await tagsOf(tx, deviceId, device.accessRightsTags[0]))
}

/**
 * Sets the one stored value behind two calls: the single action is for installed devices; the other, used by bulk
 * actions and lists, also for allocated ones (devices gaps A4, A10).
 */
async function changeAccessRightsTag(
  { tx, actor, person }: Caller,
  { deviceId, version }: Edited,
  tagId: string | null,
  field: string,
  way: 'single' | 'bulk',
): Promise<AccessRightsTag | null> {
  const known = await findDevice(tx, actor, deviceId)
  if (!can(actor, 'set access rights tag', known)) throw refuse('forbidden')
  const tag = tagId ? await chosenAccessRightsTag(tx, tagId, field) : null
  const device = await holdDevice(tx, actor, deviceId)
  await expectDeviceVersion(tx, deviceId, version)
  const unfit =
    way === 'single'
      ? unfitFor('update access rights tag', device, actor)
      : unfitForBulk(tagId ? 'add access rights tags' : 'remove access rights tags', device, actor)
  if (unfit) throw refuse('refused', unfit)
  await setAccessRightsTag(tx, person, [device], tagId)
  return tag
}

async function tagsOf(tx: TenantTx, deviceId: string, accessRightsTagId: string | undefined) {
  const version = await deviceVersion(tx, deviceId)
  const tags = (await tagsOfDevices(tx, [deviceId])).get(deviceId)!
  const found = (await listAccessRightsTags(tx)).find((tag) => tag.id === accessRightsTagId)
  return { tags, accessRightsTag: found ? { id: found.id, displayName: found.displayName } : null, version }
}
