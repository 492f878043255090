import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { getDeviceNotes, getDeviceRepairForms } from '@caretaker/contract/calls/maintenance.ts'
import { formTexts } from '@caretaker/rules/maintenance/forms.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import { showError } from '../../ui/toasts.tsx'

type OfDevice = Pick<Device, 'deviceId' | 'productId'>

export const notesQuery = (tenant: string, { deviceId }: OfDevice) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'notes'],
    meta: { shows: { subjects: ['device forms'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceNotes, { body: { tenant, deviceId } }, { signal }),
  })

export const repairFormsQuery = (tenant: string, { deviceId, productId }: OfDevice) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'repair forms'],
    meta: { shows: { subjects: ['device forms'], deviceId } },
    queryFn: ({ signal }) =>
      call(getDeviceRepairForms, { body: { tenant, deviceId, deviceType: productId } }, { signal }),
  })

/** Posts a form of the device page, refetches the page, and reports a failure with the documented text. */
export function usePostForm<V, A>(
  { deviceId }: OfDevice,
  post: (tenant: string, values: V) => Promise<A>,
  done: (answer: A) => void,
) {
  const { tenant } = useActor()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (values: V) => post(tenant, values),
    onSuccess: (answer) => {
      void client.invalidateQueries({ queryKey: devicePageKey(tenant, deviceId) })
      done(answer)
    },
    onError: () => showError(formTexts.failed),
  })
}
