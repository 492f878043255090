import type { FastifyInstance } from 'fastify'
import type { User } from '@caretaker/contract/people.ts'
import {
  createUser,
  deleteUser,
  endUserSessions,
  endViewing,
  listUsers,
  resetUserPassword,
  resetUserSecondFactor,
  startViewing,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/people.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { accessRightsTagOf, isVendorStaff, whyNotChange } from '@caretaker/rules/people/users.ts'
import { inviteManager, joinTenant } from '@caretaker/contract/tenant-administration.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import type { MemberRow } from '../../people/members.ts'
import { clientsOf } from '../../people/other-issuer.ts'
import { endViews } from '../../people/viewings.ts'
import { tenantsOf } from '../../identity/person.ts'
import type { StepsCall } from '../../http/serve.ts'
import { serveTenant, serveTenantInSteps, serveVendor } from '../../http/serve.ts'
import * as service from './service.ts'
import * as viewing from './viewing.ts'
import { listMembers, provisionedMembers } from './store.ts'

export function userRoutes(app: FastifyInstance): void {
  const { vendorDomain } = app.services.context.config

  serveTenant(app, listUsers, async ({ tx, actor }) => {
    const provisioned = await provisionedMembers(tx)
    const asListed = (member: MemberRow) => asUser(member, actor, { vendorDomain, provisioned })
    return { results: (await listMembers(tx)).map(asListed) }
  })

  serveTenant(app, createUser, async (call) => {
    const { tags, ...wanted } = call.body
    const member = await service.addMember(call, { ...wanted, tags: tags.map((tag) => tag.value) })
    return asUser(member, call.actor, { vendorDomain, provisioned: new Set() })
  })

  serveTenant(app, updateUserDetails, async (call) => service.changeDetails(call, call.params.id, call.body))
  serveTenant(app, updateUserTags, async (call) => service.changeTags(call, call.params.id, call.body.tags ?? []))
  serveTenant(app, updateUserRole, async (call) => service.changeRole(call, call.params.id, call.body.role))
  serveTenant(app, deleteUser, async (call) => ({
    apiKeys: (await service.removeMember(call, call.params.id)).map(({ expiresAt, ...key }) => ({
      ...key,
      expiresAt: expiresAt.toISOString(),
    })),
  }))
  serveVendor(app, inviteManager, async (call) => service.addManager(call, call.body))
  serveVendor(app, joinTenant, async (call) => service.joinAsStaff(call, call.staffRole))
  serveTenant(app, resetUserPassword, async (call) => service.resetPassword(call, call.params.id))
  serveTenantInSteps(app, startViewing, async (call) => {
    const { context, params, inTx } = call
    const personId = await inTx((asking) => viewing.personToView(asking, params.id))
    const elsewhere = personId === null ? [] : (await tenantsOf(context.db, personId)).map(({ role }) => role)
    return inTx((asking) => viewing.beginViewing(asking, params.id, elsewhere))
  })
  serveTenant(app, endViewing, async ({ tx, person, params }) => {
    if (!(await endViews(tx, { viewer: person.id, id: params.viewingId }))) throw refuse('not found')
  })
  serveTenantInSteps(app, endUserSessions, async (call) => {
    const personId = await onlyHere(call, 'sign them out')
    await call.inTx((asking) => service.endSessions(asking, { id: call.params.id, personId }))
  })
  serveTenantInSteps(app, resetUserSecondFactor, async (call) => {
    const personId = await onlyHere(call, 'reset their second factor')
    await call.inTx((asking) => service.resetSecondFactor(asking, { id: call.params.id, personId }))
  })
}

/**
 * The person of a member whose sign-in an administrator is about to change; null for a member who has never signed in. A manager of
 * one client does not decide about the sign-in to another.
 */
async function onlyHere(
  { context, inTx, params }: StepsCall<typeof endUserSessions>,
  what: string,
): Promise<string | null> {
  const { personId, role } = await inTx(async (call) => ({
    personId: await service.personOfMember(call, params.id),
    role: call.actor.role,
  }))
  if (personId !== null && !internalRoles.includes(role) && (await clientsOf(context.db, personId)).length > 1)
    throw refuse('refused', `This user belongs to other clients too. Please ask support to ${what}.`)
  return personId
}

function asUser(
  member: MemberRow,
  actor: Actor,
  { vendorDomain, provisioned }: { vendorDomain: string; provisioned: ReadonlySet<string> },
): User {
  return {
    id: member.id,
    name: member.name,
    email: can(actor, 'administer users') ? member.email : null,
    role: member.role,
    tags: [...member.tags],
    accessRightsTag: accessRightsTagOf(member.tags),
    canChange: whyNotChange(actor, member, vendorDomain) === undefined,
    isVendorStaff: isVendorStaff(member.email, vendorDomain),
    hasSignedIn: member.personId !== null,
    isProvisioned: provisioned.has(member.id),
  }
}
