import type { QueryClient } from '@tanstack/react-query'
import { undoBulkAction, updateDeviceTags } from '@caretaker/contract/calls/actions.ts'
import { setDeviceAccessRightsTag } from '@caretaker/contract/calls/tags.ts'
import type { BulkSubjectName } from '@caretaker/rules/actions/home-actions.ts'
import { countOf } from '@caretaker/rules/actions/home-actions.ts'
import { call } from '../api/call.ts'
import { showError, showSuccess } from '../ui/toasts.tsx'
import { failureTexts, somethingWrong } from './failure.ts'
import { refreshTenant } from './refresh.ts'
import { forgetUndo, undoable, undone } from './undo.ts'

/** Shown when a device's access rights tag could not be set (core specification, section 8). */
export const accessRightsFailure = 'Failed to update device access rights tag!'

/** Shown after an action without a text of its own (devices specification, section 8). */
export const requestSuccessful = 'Request Successful'

/** Changes the tags of one device; each change can be undone from its toast. */
export function tagChanges(queryClient: QueryClient, tenant: string, deviceId: string) {
  const refresh = () => refreshTenant(queryClient, tenant)
  const setTags = async (tagIds: readonly string[]) => {
    await call(updateDeviceTags, { body: { tenant, deviceId, tagIds: [...tagIds] } })
    await refresh()
  }
  const setAccessRights = async (accessRightsTagId: string | null) => {
    await call(setDeviceAccessRightsTag, { params: { tenant, deviceId }, body: { accessRightsTagId } })
    await refresh()
  }
  const undo = (change: () => Promise<void>) =>
    undoable(() => void change().then(() => showSuccess('The change was undone.'), showFailure))
  return {
    async replaceTags(tagIds: readonly string[], former: readonly string[]): Promise<void> {
      await setTags(tagIds)
      showSuccess(
        requestSuccessful,
        undo(() => setTags(former)),
      )
    },
    async setAccessRightsTag(id: string | null, former: string | null): Promise<void> {
      await setAccessRights(id)
      showSuccess(
        'Access Tag Updated Successfully',
        undo(() => setAccessRights(former)),
      )
    },
  }
}

/** Undoes a bulk action for every item that has not changed since; returns whether it succeeded. */
export async function undoBulk(
  queryClient: QueryClient,
  tenant: string,
  bulkActionId: string,
  subject: BulkSubjectName = 'device',
): Promise<boolean> {
  let isDone = false
  try {
    const { restored, skipped } = await call(undoBulkAction, { body: { tenant, bulkActionId } })
    isDone = true
    forgetUndo()
    const kept = skipped > 0 ? ` ${countOf(skipped, subject)} had been changed since.` : ''
    showSuccess(`The change was undone on ${countOf(restored, subject)}.${kept}`)
  } catch (error) {
    showFailure(error)
  }
  await refreshTenant(queryClient, tenant)
  if (isDone) undone()
  return isDone
}

/** '1 device', '1,204 devices'. */
export function devices(count: number): string {
  return countOf(count, 'device')
}

export function showFailure(error: unknown): void {
  for (const text of failureTexts(error)) showError(text || somethingWrong)
}
