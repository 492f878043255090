import type { FastifyInstance } from 'fastify'
import type { Group } from '@caretaker/contract/groups.ts'
import {
  addEmeredGroup,
  deleteEmeredGroup,
  getConflictingTestSchedules,
  getDeviceTestSchedule,
  getEmeredGroup,
  getEmeredGroups,
  getTenantEmereds,
  getTenantEmeredTestShedules,
  updateEmeredGroup,
} from '@caretaker/contract/groups.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { lightsInNoGroup } from '@caretaker/rules/devices/list.ts'
import { hourOf, leastAhead } from '@caretaker/rules/lighting/plan.ts'
import { serveTenant } from '../../http/serve.ts'
import { countRows, zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceList } from '../devices/list.ts'
import { findDevice } from '../devices/store.ts'
import { comingCollisions } from './collisions.ts'
import type { ChargeOf } from './conflicts.ts'
import { conflictsOf } from './conflicts.ts'
import { addGroup, deleteGroup, updateGroup } from './save.ts'
import { deviceSchedule, schedules } from './schedule.ts'
import { groupInFull, groupNamed, groupRows, listEmereds, membersOf } from './store.ts'

/** @param chargeOf reads the charge of lights, which the lighting feature knows */
export function groupRoutes(app: FastifyInstance, chargeOf: ChargeOf): void {
  serveTenant(app, getEmeredGroups, async ({ tx, actor }) => {
    const now = new Date()
    const groups = await groupRows(tx, actor)
    const collisions = await comingCollisions(tx, now, groups)
    const wanted = { listing: 'EmergencyLights', filters: lightsInNoGroup, sorts: [], search: '' } as const
    const ungrouped = await countRows(deviceList, tx, actor, wanted)
    return success({ groups, collisions, ungrouped, hour: hourOf(+now, await zoneOf(tx)) })
  })

  serveTenant(app, getEmeredGroup, async ({ tx, body }) => {
    const group = await groupInFull(tx, body.groupName, new Date())
    if (!group) throw refuse('not found')
    return success(group)
  })

  serveTenant(app, getTenantEmeredTestShedules, async ({ tx, body }) => {
    const { from = new Date(), groupName, deviceTypes: products } = body
    if (groupName !== undefined && !(await groupNamed(tx, groupName))) throw refuse('not found')
    const { to = new Date(+from + leastAhead) } = body
    return success(await schedules(tx, { from, to, groupName, products }))
  })

  serveTenant(app, getDeviceTestSchedule, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await deviceSchedule(tx, actor, device))
  })

  serveTenant(app, getTenantEmereds, async ({ tx, actor, body }) =>
    success(await listEmereds(tx, actor, body.building)),
  )

  serveTenant(app, getConflictingTestSchedules, async ({ tx, actor, body }) =>
    success(await conflictsOf(tx, actor, body, { now: new Date(), chargeOf })),
  )

  serveTenant(app, addEmeredGroup, async ({ tx, actor, person, body }) => {
    await addGroup(tx, { actor, person }, body, new Date())
    return success(await asSaved(tx, body.groupName))
  })

  serveTenant(app, updateEmeredGroup, async ({ tx, actor, person, body }) => {
    await updateGroup(tx, { actor, person }, body, new Date())
    return success(await asSaved(tx, body.groupName))
  })

  serveTenant(app, deleteEmeredGroup, async ({ tx, actor, person, body }) => {
    return success(await deleteGroup(tx, { actor, person }, body, new Date()), 'Group deleted successfully')
  })
}

async function asSaved(tx: TenantTx, name: string): Promise<Group> {
  const group = (await groupNamed(tx, name))!
  return {
    groupId: group.id,
    groupName: group.name,
    building: group.building_id,
    buildingName: group.building_name,
    t180StartDate: group.start,
    alsoTypes: group.also_types,
    deviceIds: await membersOf(tx, group.id),
    version: group.version,
  }
}
