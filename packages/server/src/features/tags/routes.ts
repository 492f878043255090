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
import { isRecorded } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { groupGivesTag } from '../../identity/group-access.ts'
import * as commands from '../../tags/access-rights-tags.ts'
import { createTag } from '../../tags/tags.ts'
import * as store from './store.ts'

export function tagRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantTags, async ({ tx }) =>
    success({ tags: await store.listTags(tx), alerts: await store.listAlerts(tx) }),
  )

  serveTenant(app, tenantCreateTag, async ({ tx, person, body: { name } }) => {
    rejectInvalidView(name)
    const tag = await createTag(tx, person, name)
    if (!tag) throw taken(name)
    return success(tag)
  })

  serveTenant(app, tenantUpdateTag, async ({ tx, person, body: { id, name } }) => {
    rejectInvalidView(name)
    const former = await store.holdTag(tx, id)
    if (!former) throw refuse('not found')
    if (former.name === name) return success(former)
    if (!(await store.renameTag(tx, person, former, name))) throw taken(name)
    return success({ id, name })
  })

  serveTenant(app, tenantDeleteTag, async ({ tx, person, body: { id } }) => {
    if (!(await store.deleteTag(tx, person, id))) throw refuse('not found')
    return success({ id })
  })

  serveTenant(app, getAccessRightsTags, async ({ tx }) => store.listAccessRightsTags(tx))

  serveTenant(app, createAccessRightsTag, async ({ tx, person, body: { displayName } }) => {
    const tag = await commands.createAccessRightsTag(tx, person, displayName)
    if (!tag) throw refuse('conflict', 'Access Rights Tag already exists')
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
    await store.deleteAccessRightsTag(tx, person, tag)
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
