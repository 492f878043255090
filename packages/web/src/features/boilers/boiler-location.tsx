import type { Boiler } from '@caretaker/contract/boilers.ts'
import { updateOccupierAddress, updateOccupierId } from '@caretaker/contract/calls/boilers.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/calls/devices.ts'
import {
  addressFault,
  addressLength,
  locationFault,
  referenceFault,
  referenceLength,
} from '@caretaker/rules/boilers/settings.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { DeviceAccessRights } from '../../actions/device-access-rights.tsx'
import { DeviceTags } from '../../actions/device-tags.tsx'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { BuildingRows, CoordinatesRow } from '../../device-page/location-card.tsx'
import { Card } from '../../ui/card.tsx'
import { inlineText } from '../../ui/forms/inline-controls.tsx'
import type { InlineEdit } from '../../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../../ui/forms/inline-edit.tsx'
import { useSend } from '../../heating/send.ts'

/** The longest location and location details that the call accepts. */
const locationLength = 100
const detailsLength = 200

/** The location of the boiler and its property. */
export function BoilerLocation({ device }: { device: Boiler }) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId, version } = device
  const target = targetOfDevice(device)
  const mayEdit = can(actor, 'edit boiler', target) && !device.userHasReadOnlyAccess
  const mayPlace = can(actor, 'place device', target) && !device.userHasReadOnlyAccess
  const hidesAddress = actor.features.includes('HideCustomerPersonalData')
  const hasHome = device.propertyId !== null
  const send = useSend(tenant, deviceId)
  const place = (what: { location: string } | { locationDetails: string }) =>
    send(() => call(updateDeviceBuildingLocation, { body: { tenant, deviceId, version, ...what } }))
  return (
    <Card title="Location">
      <InlineFields>
        <InlineField
          label="Property reference"
          edit={
            mayEdit && hasHome
              ? typed(device.occupierId, referenceLength, referenceFault, (occupierId) =>
                  send(() => call(updateOccupierId, { body: { tenant, deviceId, occupierId } })),
                )
              : undefined
          }
        >
          {device.occupierId}
        </InlineField>
        {!hidesAddress && (
          <InlineField
            label="Address"
            edit={
              mayEdit && hasHome
                ? typed(device.address, addressLength, addressFault, (occupierAddress) =>
                    send(() => call(updateOccupierAddress, { body: { tenant, deviceId, occupierAddress } })),
                  )
                : undefined
            }
          >
            {device.address}
          </InlineField>
        )}
        {device.buildingName !== null && <BuildingRows device={device} />}
        <InlineField
          label="Location"
          edit={
            mayPlace && mayEdit
              ? typed(device.location, locationLength, locationFault, (location) => place({ location }))
              : undefined
          }
        >
          {device.location}
        </InlineField>
        <InlineField
          label="Location details"
          edit={
            mayPlace && mayEdit
              ? typed(
                  device.locationDetails,
                  detailsLength,
                  () => undefined,
                  (locationDetails) => place({ locationDetails }),
                )
              : undefined
          }
        >
          {device.locationDetails}
        </InlineField>
        <InlineField label="Access rights tag">
          <DeviceAccessRights device={device} />
        </InlineField>
        <InlineField label="Tags">
          <DeviceTags device={device} />
        </InlineField>
        <CoordinatesRow device={device} />
        {Object.entries(device.powerClamps ?? {}).map(([clamp, what]) => (
          <InlineField key={clamp} label={`Power clamp ${clamp}`}>
            {what}
          </InlineField>
        ))}
      </InlineFields>
    </Card>
  )
}

/** A text edited in place. */
function typed(
  value: string | null,
  length: number,
  fault: (text: string) => string | undefined,
  save: (text: string) => Promise<void>,
): InlineEdit {
  return {
    value: value ?? '',
    fault,
    save,
    control: inlineText({ maxLength: length }),
  }
}
