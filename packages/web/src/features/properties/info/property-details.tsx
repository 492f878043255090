import { useRef, useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconPencil } from '../../../icons/index.ts'
import type { Property, PropertyChanges } from '@caretaker/contract/properties.ts'
import { hasFeature, hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import {
  addressLine,
  architypes,
  countWords,
  mostCounted,
  mostFloors,
  propertyReferenceFault,
} from '@caretaker/rules/properties/details.ts'
import { compassPoints } from '@caretaker/rules/properties/dwelling.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import type { InlineControl } from '../../../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../../../ui/forms/inline-edit.tsx'
import { InlineSelect, inlineText } from '../../../ui/forms/inline-controls.tsx'
import { InlineNumber } from '../../../ui/forms/inline-number.tsx'
import { SuccessMessage, useSuccessMessage } from '../../../ui/success-message.tsx'
import { usePropertyEdit } from '../queries.ts'
import { AccessRightsField } from './access-rights-field.tsx'
import { AddressDialog } from './address-dialog.tsx'
import classes from './info.module.css'

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value }))
const counts = Array.from({ length: mostCounted }, (_, at) => ({ value: String(at + 1), label: countWords(at + 1) }))

/** The reference, address and type of a property. */
export function PropertyDetails({ property }: { property: Property }) {
  const actor = useActor()
  const { change } = usePropertyEdit(property)
  const [lookingUp, setLookingUp] = useState(false)
  const isReadOnly = !can(actor, 'be offered edits of homes')
  const [success, showSuccess] = useSuccessMessage()
  const pencil = useRef<HTMLButtonElement>(null)
  const { address1, address2, address3, town, county } = property
  const address =
    address1 === null || address2 === null || address3 === null || town === null || county === null
      ? ''
      : addressLine({ address1, address2, address3, town, county })
  return (
    <Card title="Property Details" aside={<SuccessMessage text={success} />}>
      <InlineFields isReadOnly={isReadOnly}>
        <InlineField
          label="Property REF"
          edit={{
            value: property.propertyReference,
            control: inlineText(),
            fault: propertyReferenceFault,
            staysOpen: true,
            save: (propertyReference) => change({ propertyReference: propertyReference.trim() }),
          }}
        >
          {property.propertyReference}
        </InlineField>
        {!hidesPersonalData(actor) && (
          <>
            <InlineField label="Address">{address}</InlineField>
            <InlineField
              label="Postcode"
              action={
                <ActionIcon
                  ref={pencil}
                  size={28}
                  aria-label="Edit Postcode"
                  title="Edit"
                  onClick={() => setLookingUp(true)}
                >
                  <IconPencil size={16} stroke={1.7} aria-hidden />
                </ActionIcon>
              }
            >
              {property.postcode}
            </InlineField>
          </>
        )}
        <AccessRightsField property={property} />
      </InlineFields>
      {hasFeature(actor, 'PropertyContext') && <Context property={property} isReadOnly={isReadOnly} change={change} />}
      {lookingUp && (
        <AddressDialog
          property={property}
          onClose={() => setLookingUp(false)}
          onSaved={() => showSuccess('Address updated successfully!')}
        />
      )}
    </Card>
  )
}

const chosenAmong = (data: Choice[]) => (control: InlineControl) => (
  <InlineSelect control={control} data={data} placeholder="Not set" />
)
const countedUp = (label: string) => (control: InlineControl) => (
  <InlineNumber control={control} label={label} max={mostFloors} />
)

interface Choice {
  value: string
  label: string
}
interface ContextProps {
  property: Property
  isReadOnly: boolean
  change: (changes: PropertyChanges) => Promise<void>
}

/** The type of a property, and its residents. */
function Context({ property, isReadOnly, change }: ContextProps) {
  const chosen = (label: string, value: string | null, data: Choice[], save: Save) => (
    <InlineField
      label={label}
      edit={{
        value: value ?? '',
        control: chosenAmong(data),
        fault: () => undefined,
        staysOpen: true,
        save,
      }}
    >
      {data.find((one) => one.value === value)?.label}
    </InlineField>
  )
  const stepped = (label: string, value: number | null, save: Save) => (
    <InlineField
      label={label}
      edit={{
        value: value === null ? '' : String(value),
        control: countedUp(label),
        fault: () => undefined,
        staysOpen: true,
        save,
      }}
    >
      {value === null ? undefined : String(value)}
    </InlineField>
  )
  const { numberOfRoom: rooms, numberOfInhabitant: people } = property
  return (
    <div className={classes.pair}>
      <InlineFields isReadOnly={isReadOnly}>
        {chosen('Property Architype', property.propertyArchitype, choices(architypes), (value) =>
          change({ propertyArchitype: value as never }),
        )}
        {chosen('Orientation of property', property.propertyOrientation, choices(compassPoints), (value) =>
          change({ propertyOrientation: value as never }),
        )}
        {chosen('Number of Inhabitants', people === null ? null : String(people), counts, (value) =>
          change({ numberOfInhabitant: Number(value) }),
        )}
      </InlineFields>
      <InlineFields isReadOnly={isReadOnly}>
        {stepped('Number of floors in property', property.numberOfFloor, (value) =>
          change({ numberOfFloor: Number(value) }),
        )}
        {stepped('Apartment level in Tower Block', property.apartmentLevel, (value) =>
          change({ apartmentLevel: Number(value) }),
        )}
        {chosen('Number of rooms', rooms === null ? null : String(rooms), counts, (value) =>
          change({ numberOfRoom: Number(value) }),
        )}
      </InlineFields>
    </div>
  )
}

type Save = (value: string) => Promise<void>
