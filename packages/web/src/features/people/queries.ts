import type { QueryClient } from '@tanstack/react-query'
import {
  createUser,
  deleteUser,
  endUserSessions,
  resetUserPassword,
  resetUserSecondFactor,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/calls/people.ts'
import type { User } from '@caretaker/contract/people.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { call } from '../../api/call.ts'
import { usersQuery } from '../../api/users.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'

/** The values of a user form; `tag` is the id of an access rights tag, or null for no restrictions. */
export interface UserValues {
  name: string
  email: string
  role: Role
  tag: string | null
}

/** Changes to a client's users; each also updates the cached list (core specification, section 4.4). */
export function userChanges(queryClient: QueryClient, tenant: string) {
  const { queryKey } = usersQuery(tenant)
  const inList = (change: (users: User[]) => User[]) =>
    queryClient.setQueryData(queryKey, (users) => users && change(users))
  const merge = (id: string, part: Partial<User>) =>
    inList((users) => users.map((user) => (user.id === id ? { ...user, ...part } : user)))

  return {
    async create({ name, email, role, tag }: UserValues): Promise<void> {
      const tags = tag === null ? [] : [{ type: 'AccessRight' as const, value: tag }]
      await withFailureToast(
        'Failed to create user!',
        call(createUser, { params: { tenant }, body: { name, email, role, tags } }),
      )
      showSuccess('User created successfully!')
      await queryClient.invalidateQueries({ queryKey })
    },

    /** Makes one call for each changed part: details, role, tag. Successful ones are merged into the list. */
    update(user: User, { name, email, role, tag }: UserValues): Promise<void>[] {
      const params = { tenant, id: user.id }
      const calls: Promise<void>[] = []
      const begin = (text: string, sent: Promise<unknown>, part: Partial<User>) =>
        calls.push(withFailureToast(text, sent).then(() => void merge(user.id, part)))
      if (name !== user.name || email !== user.email)
        begin('Failed to update user details!', call(updateUserDetails, { params, body: { name, email } }), {
          name,
          email,
        })
      if (role !== user.role)
        begin('Failed to update user role!', call(updateUserRole, { params, body: { role } }), { role })
      if (tag !== user.accessRightsTag) {
        const tags = tag === null ? null : [tag]
        const part = { accessRightsTag: tag, tags: tags ?? [] }
        begin('Failed to update user tag!', call(updateUserTags, { params, body: { tags } }), part)
      }
      return calls
    },

    async remove(user: User): Promise<void> {
      await withFailureToast('Failed to delete user.', call(deleteUser, { params: { tenant, id: user.id } }))
      inList((users) => users.filter((one) => one.id !== user.id))
      showSuccess('User deleted!')
    },

    async endSessions(user: User): Promise<void> {
      await withFailureToast('Failed to sign the user out.', call(endUserSessions, { params: { tenant, id: user.id } }))
      showSuccess('Signed out of all browsers.')
    },

    async resetSecondFactor(user: User): Promise<void> {
      await withFailureToast(
        'Failed to reset the second factor.',
        call(resetUserSecondFactor, { params: { tenant, id: user.id } }),
      )
      showSuccess('Second factor reset.')
    },

    async resetPassword(user: User): Promise<void> {
      await withFailureToast(
        'Failed to send password reset',
        call(resetUserPassword, { params: { tenant, id: user.id } }),
      )
    },
  }
}

/** Awaits a call; on failure shows the action's text and rethrows, so that the server's messages are shown. */
async function withFailureToast(text: string, sent: Promise<unknown>): Promise<void> {
  try {
    await sent
  } catch (error) {
    showError(text)
    throw error
  }
}
