import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Building } from '@caretaker/contract/buildings.ts'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/calls/devices.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { FarPlace } from '@caretaker/rules/postcodes/far-places.ts'
import { farPlace, farPlaceText } from '@caretaker/rules/postcodes/far-places.ts'
import { splitAddress } from '@caretaker/rules/postcodes/postcode.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { mayEdit } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { postcodeQuery } from '../api/postcode.ts'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { InlineSelect, inlineText } from '../ui/forms/inline-controls.tsx'
import type { InlineControl, InlineEdit } from '../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../ui/forms/inline-edit.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import { coordinatesFault, coordinatesIn, coordinatesText, nowhere } from './place-fields.ts'
import { useDeviceEdit } from './use-device-edit.ts'

type Move = Omit<
  Parameters<typeof call<typeof updateDeviceBuildingLocation>>[1]['body'],
  'tenant' | 'deviceId' | 'version'
>

/** The location fields that the actor may change, and how they are sent. */
function usePlacing(device: Device) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId, version } = device
  const save = useDeviceEdit(device)
  const mayPlace = mayEdit(actor, 'place device', device)
  return {
    hidesPlace: hidesPersonalData(actor),
    mayPlace,
    mayMove: mayPlace && can(actor, 'see buildings'),
    move: (to: Move) => save(call(updateDeviceBuildingLocation, { body: { tenant, deviceId, version, ...to } })),
    locate: (found: { latitude: number | null; longitude: number | null }) =>
      save(
        call(updateDeviceGeoLocation, { body: { tenant, deviceId, version, ...found } }),
        'There was an error updating device geo location',
      ),
  }
}

/** The location of a device: building, floor, room and position on the map. */
export function LocationCard({ device }: { device: Device }) {
  const { hidesPlace, mayPlace, move } = usePlacing(device)
  return (
    <Card title="Location">
      <InlineFields>
        <BuildingRows device={device} />
        {!hidesPlace && device.address !== null && <InlineField label="Address">{device.address}</InlineField>}
        {device.location !== null && (
          <InlineField
            label="Location"
            edit={mayPlace ? written(device.location, 100, (location) => move({ location })) : undefined}
          >
            {device.location}
          </InlineField>
        )}
        {device.locationDetails !== null && (
          <InlineField
            label="Location details"
            edit={
              mayPlace
                ? written(device.locationDetails, 200, (locationDetails) => move({ locationDetails }))
                : undefined
            }
          >
            {device.locationDetails}
          </InlineField>
        )}
        <CoordinatesRow device={device} />
      </InlineFields>
    </Card>
  )
}

/** A text edited in place, which may be empty. */
function written(value: string | null, maxLength: number, save: (text: string | null) => Promise<void>): InlineEdit {
  return {
    value: value ?? '',
    control: inlineText({ maxLength }),
    fault: () => undefined,
    save: (wanted) => save(wanted.trim() || null),
  }
}

/** Building, floor and room; the floor belongs to the building. */
export function BuildingRows({ device }: { device: Device }) {
  const { mayPlace, mayMove, move } = usePlacing(device)
  const toBuilding: InlineEdit = {
    value: device.buildingId ?? nowhere,
    control: buildingChoice,
    fault: () => undefined,
    hint: 'If you change the building, the device is removed from its floor',
    save: (wanted) => move({ buildingId: wanted === nowhere ? null : wanted }),
  }
  return (
    <>
      <InlineField label="Building" edit={mayMove ? toBuilding : undefined}>
        {device.buildingName}
      </InlineField>
      <FloorField device={device} move={mayMove ? move : undefined} />
      <InlineField label="Room" edit={mayPlace ? written(device.room, 100, (room) => move({ room })) : undefined}>
        {device.room}
      </InlineField>
    </>
  )
}

interface FarQuestion {
  far: FarPlace
  postcode: string
  answer: (isRight: boolean) => void
}

/** The coordinates of the device on the map. They reveal the address and are hidden with it. */
export function CoordinatesRow({ device }: { device: Device }) {
  const actor = useActor()
  const { hidesPlace, mayPlace, locate } = usePlacing(device)
  const [question, ask] = useState<FarQuestion>()
  const client = useQueryClient()
  if (hidesPlace) return undefined
  /** Whether coordinates are near the postcode of the device, or the user confirms them. */
  const isRight = async ({ latitude, longitude }: { latitude: number; longitude: number }) => {
    const { postcode } = splitAddress(device.address ?? '')
    // If the postcode's position is unknown, there is nothing to compare.
    const isKnown = postcode !== '' && can(actor, 'edit buildings')
    const centre = isKnown ? await client.fetchQuery(postcodeQuery(actor.tenant, postcode)).catch(() => null) : null
    const far = centre ? farPlace({ lat: latitude, lng: longitude }, centre) : undefined
    if (!far) return true
    const answered = await new Promise<boolean>((answer) => ask({ far, postcode, answer }))
    ask(undefined)
    return answered
  }
  const where: InlineEdit = {
    value: coordinatesText(device.lat, device.long),
    control: inlineText(),
    fault: coordinatesFault,
    hint: 'Latitude and longitude. Leave empty to remove the device from the map',
    save: async (wanted) => {
      const found = coordinatesIn(wanted)
      if (found && !(await isRight(found))) throw new Error('The coordinates were not changed.')
      await locate(found ?? { latitude: null, longitude: null })
      showSuccess('Device geo location updated successfully')
    },
  }
  return (
    <>
      <InlineField label="Coordinates" edit={mayPlace ? where : undefined}>
        {coordinatesText(device.lat, device.long)}
      </InlineField>
      {question && (
        <ConfirmDialog
          title="Far from the postcode"
          verb="Use it anyway"
          onConfirm={() => Promise.resolve(true)}
          onDone={() => question.answer(true)}
          onClose={() => question.answer(false)}
        >
          <p>{farPlaceText(question.far, question.postcode)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function useBuildings(enabled = true) {
  const { tenant } = useActor()
  return useQuery({
    queryKey: [tenant, 'buildings'],
    enabled,
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  }).data
}

function BuildingChoice({ control }: { control: InlineControl }) {
  const buildings = useBuildings()
  return (
    <InlineSelect
      control={buildings ? control : { ...control, disabled: true }}
      data={[
        { value: nowhere, label: 'No building' },
        ...(buildings ?? []).map(({ building, name }) => ({ value: building, label: name })),
      ]}
    />
  )
}

const buildingChoice = (control: InlineControl) => <BuildingChoice control={control} />

/** Selects one of the floors of the building. */
function FloorField({ device, move }: { device: Device; move: ((to: Move) => Promise<void>) | undefined }) {
  const isSomewhere = device.buildingId !== null
  const buildings = useBuildings(move !== undefined && isSomewhere)
  const floors = buildings?.find(({ building }) => building === device.buildingId)?.floors
  const edit = move && floors && floors.length > 0 ? floorEdit(floors, device.floor, move) : undefined
  return (
    <InlineField label="Floor" edit={edit}>
      {device.floorName}
    </InlineField>
  )
}

function floorEdit(floors: Building['floors'], current: number | null, move: (to: Move) => Promise<void>): InlineEdit {
  const data = [
    { value: nowhere, label: 'No floor' },
    ...floors.map(({ floor, name }) => ({ value: floor, label: name })),
  ]
  return {
    value: floors.find(({ number }) => number === current)?.floor ?? nowhere,
    control: (control) => <InlineSelect control={control} data={data} />,
    fault: () => undefined,
    save: (wanted) => move({ floorId: wanted === nowhere ? null : wanted }),
  }
}
