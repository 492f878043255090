import type { QueryClient } from '@tanstack/react-query'
import type { StandardLuminaire } from '@caretaker/contract/equipment.ts'
import { addStandardLuminaire, deleteStandardLuminaire } from '@caretaker/contract/calls/equipment.ts'
import type { AccessRightsTag, Tag } from '@caretaker/contract/tags.ts'
import {
  createAccessRightsTag,
  deleteAccessRightsTag,
  tenantDeleteTag,
  tenantUpdateTag,
} from '@caretaker/contract/calls/tags.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Luminaire } from '@caretaker/rules/lighting/luminaire.ts'
import { call } from '../../api/call.ts'
import { showCallError } from '../../api/errors.ts'
import { accessRightsTagsQuery, createTag, tagsQuery } from '../../api/tags.ts'
import { standardLuminairesQuery } from '../../equipment/queries.ts'
import { AlreadyShown } from '../../ui/forms/use-form.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'

const isStatus = (error: unknown, status: number) => error instanceof CallError && error.status === status

/** Changes to a client's tags; each also updates the cached list. */
export function tagChanges(queryClient: QueryClient, tenant: string) {
  const { queryKey } = tagsQuery(tenant)
  const inList = (change: (tags: Tag[]) => Tag[]) =>
    queryClient.setQueryData(queryKey, (data) => data && { ...data, tags: change(data.tags) })

  return {
    async create(name: string): Promise<Tag> {
      try {
        const tag = await createTag(queryClient, tenant, name)
        showSuccess('Tag created successfully!')
        return tag
      } catch (error) {
        showCallError(error)
        throw new AlreadyShown(error)
      }
    },

    async rename(id: string, name: string): Promise<void> {
      try {
        const renamed = await call(tenantUpdateTag, { body: { tenant, id, name } })
        inList((tags) => tags.map((tag) => (tag.id === id ? renamed : tag)))
        showSuccess('Tag updated successfully!')
      } catch (error) {
        showCallError(error)
        throw new AlreadyShown(error)
      }
    },

    async remove({ id }: Tag): Promise<void> {
      try {
        await call(tenantDeleteTag, { body: { tenant, id } })
      } catch (error) {
        showError('Failed to delete tag!')
        throw error
      }
      inList((tags) => tags.filter((tag) => tag.id !== id))
      showSuccess('Tag deleted!')
    },
  }
}

/** Changes to a client's access rights tags; each also updates the cached list. */
export function accessRightsTagChanges(queryClient: QueryClient, tenant: string) {
  const { queryKey } = accessRightsTagsQuery(tenant)
  const inList = (change: (tags: AccessRightsTag[]) => AccessRightsTag[]) =>
    queryClient.setQueryData(queryKey, (tags) => tags && change(tags))

  return {
    async create(displayName: string): Promise<AccessRightsTag> {
      try {
        const tag = await call(createAccessRightsTag, { params: { tenant }, body: { displayName } })
        inList((tags) => [...tags, tag])
        showSuccess('Tag created successfully!')
        return tag
      } catch (error) {
        showError(isStatus(error, 409) ? 'Access Rights Tag already exists' : anyOther)
        throw new AlreadyShown(error)
      }
    },

    async remove({ id }: AccessRightsTag): Promise<void> {
      try {
        await call(deleteAccessRightsTag, { params: { tenant, id } })
      } catch (error) {
        // Already deleted by someone else, which is the desired state.
        if (!isStatus(error, 410)) {
          showError(anyOther)
          throw error
        }
      }
      inList((tags) => tags.filter((tag) => tag.id !== id))
      showSuccess('Tag deleted!')
    },
  }
}

/** Changes to a client's standard luminaires; each also updates the cached list. */
export function standardLuminaireChanges(queryClient: QueryClient, tenant: string) {
  const { queryKey } = standardLuminairesQuery(tenant)
  const inList = (change: (luminaires: StandardLuminaire[]) => StandardLuminaire[]) =>
    queryClient.setQueryData(queryKey, (luminaires) => luminaires && change(luminaires))

  return {
    async create(luminaire: Luminaire): Promise<StandardLuminaire> {
      const added = await call(addStandardLuminaire, { body: { tenant, ...luminaire } })
      inList((luminaires) => [...luminaires.filter(({ id }) => id !== added.id), added])
      showSuccess('Request Successful')
      return added
    },

    async remove({ luminaireId }: StandardLuminaire): Promise<void> {
      try {
        await call(deleteStandardLuminaire, { body: { tenant, luminaireId } })
      } catch (error) {
        // Already deleted by someone else, which is the desired state.
        if (!isStatus(error, 404)) throw error
      }
      inList((luminaires) => luminaires.filter((one) => one.luminaireId !== luminaireId))
      showSuccess('Request Successful')
    },
  }
}

const anyOther = statusText(0)
