import { Refusal } from '@caretaker/contract/refusal.ts'
import { accessOfGroups } from '@caretaker/rules/identity/group-access.ts'
import type { Context } from '../../context.ts'
import { groupAccessTable } from '../../identity/group-access.ts'
import type { DirectoryMembers, DirectoryPerson } from '../../idp/sso-account.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { admitMember, endMembership, followDirectory, isStaff, personWith } from '../people/provisioned.ts'
import { holdMembers, provisionedMembers } from '../people/store.ts'
import * as store from './store.ts'

/** Memberships that follow the groups which a client's provider reports at each sign-in. */
export const directoryMembers: DirectoryMembers = {
  follow: async (context, signedIn) => {
    try {
      await inTenant(context.db, signedIn.tenant, (tx) => follow(tx, context, signedIn))
    } catch (error) {
      // The last manager keeps the access, and an e-mail that another user has stays with that user.
      if (!(error instanceof Refusal)) throw error
      const about = { tenant: signedIn.tenant, connection: signedIn.connectionId, reason: error.message }
      context.log.warn(about, 'a membership does not follow its groups')
    }
  },
}

async function follow(
  tx: TenantTx,
  context: Pick<Context, 'config'>,
  { connectionId, connectionName, createsMembers, account, groups }: DirectoryPerson,
): Promise<void> {
  const table = await groupAccessTable(tx)
  if (!table.length) return
  const access = accessOfGroups(groups, table)
  const members = await holdMembers(tx)
  const by = { tx, context, invites: false, person: { id: null, name: `Single sign-on: ${connectionName}` } }
  const personId = await personWith(by, account.email)
  const member =
    members.find((one) => one.personId !== null && one.personId === personId) ??
    members.find((one) => one.email === account.email)
  if (!member) {
    if (!access || !createsMembers) return
    const { id } = await admitMember(by, { name: account.name, email: account.email, ...access }, personId)
    await store.insertSsoMember(tx, { membershipId: id, connectionId, now: new Date() })
    return
  }
  if (isStaff(by, member) || !(await store.isSsoMember(tx, member.id))) return
  if ((await provisionedMembers(tx, [member.id])).has(member.id)) return
  if (!access) return endMembership(by, member, members)
  await followDirectory(by, member, { name: member.name, email: member.email, ...access }, members)
}
