import { useEffect, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Building } from '@caretaker/contract/buildings.ts'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { refreshTenant } from '../actions/refresh.ts'
import { requestSuccessful } from '../actions/tag-changes.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/forms/fields.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { AlreadySaid, useSubmission, useValidForm } from '../ui/forms/use-form.ts'
import { Failed, Loading } from '../ui/states.tsx'
import { showError, showSuccess } from '../ui/toasts.tsx'
import { PlaceForm, nowhere, placeChanges, placeValues } from './place-form.ts'

interface PlaceDialogProps {
  device: Device
  onClose: () => void
}

const title = 'Edit location'

/** Says where a device is. Buildings are offered to those who see them. */
export function PlaceDialog({ device, onClose }: PlaceDialogProps) {
  const actor = useActor()
  const { tenant } = actor
  const sees = can(actor, 'see buildings')
  const buildings = useQuery({
    queryKey: [tenant, 'buildings'],
    enabled: sees,
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  })
  if (!sees) return <PlaceFields device={device} buildings={[]} onClose={onClose} />
  if (buildings.data) return <PlaceFields device={device} buildings={buildings.data} onClose={onClose} />
  return (
    <Dialog title={title} onClose={onClose}>
      {buildings.error ? <Failed onRetry={() => void buildings.refetch()} /> : <Loading />}
    </Dialog>
  )
}

function PlaceFields({ device, buildings, onClose }: PlaceDialogProps & { buildings: readonly Building[] }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [stored] = useState(() => placeValues(device, buildings))
  const form = useValidForm({ schema: PlaceForm, defaultValues: stored })
  const of = { tenant, deviceId: device.deviceId }
  const submission = useSubmission(
    form,
    (values) => {
      const { moved, located } = placeChanges(stored, values)
      const calls = [
        moved && call(updateDeviceBuildingLocation, { body: { ...of, ...moved } }),
        located && call(updateDeviceGeoLocation, { body: { ...of, ...located } }).catch(geoFailed),
      ]
      return calls.filter((one) => one !== undefined)
    },
    () => {
      const { located } = placeChanges(stored, form.getValues())
      showSuccess(located ? 'Device geo location updated successfully' : requestSuccessful)
      void refreshTenant(queryClient, tenant)
      onClose()
    },
  )
  const chosen = buildings.find(({ building }) => building === form.watch('building'))
  const floors = chosen?.floors.map(({ floor, name }) => ({ value: floor, label: name })) ?? []
  // A floor of the building that was chosen before is none of this one.
  const floor = form.watch('floor')
  const isOfAnother = floor !== nowhere && !floors.some(({ value }) => value === floor)
  useEffect(() => {
    if (isOfAnother) form.setValue('floor', nowhere, { shouldDirty: true })
  }, [form, isOfAnother])
  return (
    <FormDialog
      title={title}
      verb="Save"
      form={form}
      submission={submission}
      onClose={onClose}
      ready={form.formState.isDirty}
    >
      {buildings.length > 0 && (
        <>
          <SelectField
            form={form}
            name="building"
            label="Building"
            data={[
              { value: nowhere, label: 'No building' },
              ...buildings.map(({ building, name }) => ({ value: building, label: name })),
            ]}
          />
          <SelectField
            form={form}
            name="floor"
            label="Floor"
            disabled={floors.length === 0}
            data={[{ value: nowhere, label: 'No floor' }, ...floors]}
          />
        </>
      )}
      <TextField form={form} name="room" label="Room" maxLength={100} />
      <TextField form={form} name="location" label="Location" maxLength={100} />
      <TextField form={form} name="locationDetails" label="Location details" maxLength={200} />
      <TextField form={form} name="latitude" label="Latitude" />
      <TextField form={form} name="longitude" label="Longitude" />
    </FormDialog>
  )
}

/** Said in the words of the document, and not again by the form. */
function geoFailed(error: unknown): never {
  const why = error instanceof CallError ? ` ${error.complaint.message}` : ''
  showError(`There was an error updating device geo location${why}`)
  throw new AlreadySaid(error)
}
