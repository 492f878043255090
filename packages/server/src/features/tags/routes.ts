import type { FastifyInstance } from 'fastify'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import {
  createAccessRightsTag,
  deleteAccessRightsTag,
  getAccessRightsTags,
  getTenantTags,
  tenantCreateTag,
  tenantDeleteTag,
  tenantUpdateTag,
} from '@caretaker/contract/tags.ts'
import { tagNameFault } from '@caretaker/rules/tags/tag-names.ts'
import { audit, isRecorded } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { groupGivesTag } from '../../identity/group-access.ts'
import * as store from './store.ts'

export function tagRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantTags, async ({ tx }) =>
    success({ tags: await store.listTags(tx), alerts: await store.listAlerts(tx) }),
  )

  serveTenant(app, tenantCreateTag, async ({ tx, person, body: { name } }) => {
    rejectInvalidView(name)
    const tag = await store.insertTag(tx, name)
    if (!tag) throw taken(name)
    await audit(tx, { person, action: 'tag created', subject: { type: 'tag', ...tag }, after: { name } })
    return success(tag)
  })

  serveTenant(app, tenantUpdateTag, async ({ tx, person, body: { id, name } }) => {
    rejectInvalidView(name)
    const former = await store.holdTag(tx, id)
    if (!former) throw refuse('not found')
    if (former.name === name) return success(former)
    if (!(await store.renameTag(tx, id, name))) throw taken(name)
    const [before, after] = [{ name: former.name }, { name }]
    await audit(tx, { person, action: 'tag renamed', subject: { type: 'tag', id, name }, before, after })
    return success({ id, name })
  })

  serveTenant(app, tenantDeleteTag, async ({ tx, person, body: { id } }) => {
    const tag = await store.deleteTag(tx, id)
    if (!tag) throw refuse('not found')
    await audit(tx, { person, action: 'tag deleted', subject: { type: 'tag', ...tag }, before: { name: tag.name } })
    return success({ id })
  })

  serveTenant(app, getAccessRightsTags, async ({ tx }) => store.listAccessRightsTags(tx))

  serveTenant(app, createAccessRightsTag, async ({ tx, person, body: { displayName } }) => {
    const tag = await store.insertAccessRightsTag(tx, displayName)
    if (!tag) throw refuse('conflict', 'Access Rights Tag already exists')
    const subject = { type: 'access rights tag', id: tag.id, name: displayName } as const
    await audit(tx, { person, action: 'access rights tag created', subject, after: { displayName } })
    return tag
  })

  serveTenant(app, deleteAccessRightsTag, async ({ tx, person, params: { id } }) => {
    const tag = await store.holdAccessRightsTag(tx, id, 'to delete')
    if (!tag) {
      const was = await isRecorded(tx, 'access rights tag deleted', 'access rights tag', id)
      throw refuse(was ? 'gone' : 'not found')
    }
    if (tag.protected) throw refuse('forbidden', 'This access rights tag is protected and cannot be deleted.')
    const carriers = await store.countCarriers(tx, id)
    // Without the tag these users would see everything.
    if (carriers > 0) throw refuse('conflict', carriedText(carriers))
    if (await groupGivesTag(tx, id)) throw refuse('conflict', givenByGroup)
    await store.deleteAccessRightsTag(tx, id)
    const { displayName } = tag
    const subject = { type: 'access rights tag', id, name: displayName } as const
    await audit(tx, { person, action: 'access rights tag deleted', subject, before: { displayName } })
  })
}

function rejectInvalidView(name: string): void {
  const fault = tagNameFault(name, [])
  if (fault) throw refuse('invalid', fault, [{ field: 'name', message: fault }])
}

const taken = (name: string) => refuse('refused', tagNameFault(name, [name]))

const givenByGroup =
  'A group of your directory gives this access rights tag. Change that row in Settings, Sign-in first.'

function carriedText(carriers: number): string {
  const who = carriers === 1 ? '1 user has' : `${carriers} users have`
  return `${who} this access rights tag. Without it they would see everything. Remove the tag from these users first.`
}
