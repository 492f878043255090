import type { FastifyInstance } from 'fastify'
import { getGroupAccess, setGroupAccess } from '@caretaker/contract/group-access.ts'
import { serveTenant } from '../../http/serve.ts'
import { groupAccessTable } from '../../identity/group-access.ts'
import { applyTable } from '../provisioning/access.ts'
import { invitesOf } from '../provisioning/settings.ts'
import * as service from './service.ts'

export function groupAccessRoutes(app: FastifyInstance): void {
  serveTenant(app, getGroupAccess, async ({ tx }) => ({
    rows: (await groupAccessTable(tx)).map(({ tags, ...row }) => ({ ...row, tags: [...tags] })),
  }))
  serveTenant(app, setGroupAccess, async (call) => {
    const { tx, context } = call
    if (!(await service.setGroupAccess(call, call.body.rows))) return
    await applyTable({ tx, context, invites: await invitesOf(tx) })
  })
}
