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
  const hidesPersonalData = actor.features.includes('HideCustomerPersonalData')
  const text = useTextRow(device)
  return (
    <Card title="Location">
      <InlineFields>
        <BuildingRows device={device} />
        {!hidesPersonalData && device.address !== null && <InlineField label="Address">{device.address}</InlineField>}
        {device.location !== null && (
          <InlineField label="Location" edit={text(device.location, 100, (location) => ({ location }))}>
            {device.location}
          </InlineField>
        )}
        {device.locationDetails !== null && (
          <InlineField
            label="Location details"
            edit={text(device.locationDetails, 200, (locationDetails) => ({ locationDetails }))}
          >
            {device.locationDetails}
          </InlineField>
        )}
        <CoordinatesRow device={device} />
      </InlineFields>
    </Card>
  )
}

/** Moves the device, for whoever may. */
function useMove(device: Device): ((to: Move) => Promise<void>) | undefined {
  const actor = useActor()
  const save = useDeviceEdit(device)
  const of = { tenant: actor.tenant, deviceId: device.deviceId }
  if (!mayEdit(actor, 'place device', device)) return undefined
  return (to) => save(call(updateDeviceBuildingLocation, { body: { ...of, ...to } }))
}

/** How a text of the place is edited; not at all for who may not. */
function useTextRow(device: Device) {
  const move = useMove(device)
  return (value: string | null, maxLength: number, to: (text: string | null) => Move): InlineEdit | undefined =>
    move && {
      value: value ?? '',
      control: inlineText({ maxLength }),
      fault: () => undefined,
      save: (wanted) => move(to(wanted.trim() || null)),
    }
}

/** Building, floor and room, as rows of a location. */
export function BuildingRows({ device }: { device: Device }) {
  const seesBuildings = can(useActor(), 'see buildings')
  const move = useMove(device)
  const text = useTextRow(device)
  const choose = seesBuildings ? move : undefined
  return (
    <>
      <InlineField
        label="Building"
        edit={
          choose && {
            value: device.buildingId ?? nowhere,
            control: buildingChoice,
            fault: () => undefined,
            hint: 'With its building a device leaves its floor',
            save: (wanted) => choose({ buildingId: wanted === nowhere ? null : wanted }),
          }
        }
      >
        {device.buildingName}
      </InlineField>
      <FloorField device={device} move={choose} />
      <InlineField label="Room" edit={text(device.room, 100, (room) => ({ room }))}>
        {device.room}
      </InlineField>
    </>
  )
}

/** Where the device is on the map, as a row of a location; nothing where addresses are hidden. */
export function CoordinatesRow({ device }: { device: Device }) {
  const actor = useActor()
  const save = useDeviceEdit(device)
  if (actor.features.includes('HideCustomerPersonalData')) return undefined
  const of = { tenant: actor.tenant, deviceId: device.deviceId }
  const where: InlineEdit = {
    value: coordinatesText(device.lat, device.long),
    control: inlineText(),
    fault: coordinatesFault,
    hint: 'Latitude and longitude; empty takes it off the map',
    save: async (wanted) => {
      const found = coordinatesIn(wanted) ?? { latitude: null, longitude: null }
      await save(
        call(updateDeviceGeoLocation, { body: { ...of, ...found } }),
        'There was an error updating device geo location',
      )
      showSuccess('Device geo location updated successfully')
    },
  }
  return (
    <InlineField label="Coordinates" edit={mayEdit(actor, 'place device', device) ? where : undefined}>
      {coordinatesText(device.lat, device.long)}
    </InlineField>
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
