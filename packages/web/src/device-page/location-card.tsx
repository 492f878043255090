import { useQuery } from '@tanstack/react-query'
import type { Building } from '@caretaker/contract/buildings.ts'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { mayEdit } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { Card } from '../ui/card.tsx'
import { InlineSelect, inlineText } from '../ui/forms/inline-controls.tsx'
import type { InlineControl, InlineEdit } from '../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../ui/forms/inline-edit.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import { coordinatesFault, coordinatesIn, coordinatesText, nowhere } from './place-fields.ts'
import { useDeviceEdit } from './use-device-edit.ts'

type Move = Omit<Parameters<typeof call<typeof updateDeviceBuildingLocation>>[1]['body'], 'tenant' | 'deviceId'>

/** Where a device hangs: building, floor, room, and where on the map. */
export function LocationCard({ device }: { device: Device }) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId } = device
  const hidesPersonalData = actor.features.includes('HideCustomerPersonalData')
  const mayPlace = mayEdit(actor, 'place device', device)
  const mayMove = mayPlace && can(actor, 'see buildings')
  const save = useDeviceEdit(device)
  const move = (to: Move) => save(call(updateDeviceBuildingLocation, { body: { tenant, deviceId, ...to } }))
  const text = (value: string | null, maxLength: number, to: (text: string | null) => Move): InlineEdit => ({
    value: value ?? '',
    control: inlineText({ maxLength }),
    fault: () => undefined,
    save: (wanted) => move(to(wanted.trim() || null)),
  })
  const where: InlineEdit = {
    value: coordinatesText(device.lat, device.long),
    control: inlineText(),
    fault: coordinatesFault,
    hint: 'Latitude and longitude; empty takes it off the map',
    save: async (wanted) => {
      const found = coordinatesIn(wanted) ?? { latitude: null, longitude: null }
      await save(
        call(updateDeviceGeoLocation, { body: { tenant, deviceId, ...found } }),
        'There was an error updating device geo location',
      )
      showSuccess('Device geo location updated successfully')
    },
  }
  return (
    <Card title="Location">
      <InlineFields>
        <InlineField
          label="Building"
          edit={
            mayMove
              ? {
                  value: device.buildingId ?? nowhere,
                  control: buildingChoice,
                  fault: () => undefined,
                  hint: 'With its building a device leaves its floor',
                  save: (wanted) => move({ buildingId: wanted === nowhere ? null : wanted }),
                }
              : undefined
          }
        >
          {device.buildingName}
        </InlineField>
        <FloorField device={device} move={mayMove ? move : undefined} />
        <InlineField label="Room" edit={mayPlace ? text(device.room, 100, (room) => ({ room })) : undefined}>
          {device.room}
        </InlineField>
        {!hidesPersonalData && device.address !== null && <InlineField label="Address">{device.address}</InlineField>}
        {device.location !== null && (
          <InlineField
            label="Location"
            edit={mayPlace ? text(device.location, 100, (location) => ({ location })) : undefined}
          >
            {device.location}
          </InlineField>
        )}
        {device.locationDetails !== null && (
          <InlineField
            label="Location details"
            edit={mayPlace ? text(device.locationDetails, 200, (locationDetails) => ({ locationDetails })) : undefined}
          >
            {device.locationDetails}
          </InlineField>
        )}
        {!hidesPersonalData && (
          <InlineField label="Coordinates" edit={mayPlace ? where : undefined}>
            {coordinatesText(device.lat, device.long)}
          </InlineField>
        )}
      </InlineFields>
    </Card>
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

/** The floor is chosen among those of the building. */
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
