import { useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconExternalLink, IconPencil, IconTag } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { HomeCheck } from '@caretaker/contract/property-safety.ts'
import { dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { hasFeature, hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { certificateSearch } from '@caretaker/rules/properties/details.ts'
import { energyRatings, energyRatingWords } from '@caretaker/rules/properties/dwelling.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { Card } from '../../../ui/card.tsx'
import { ComplianceChip } from '../../../ui/compliance-chip.tsx'
import { InlineSelect } from '../../../ui/forms/inline-controls.tsx'
import type { InlineControl } from '../../../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../../../ui/forms/inline-edit.tsx'
import { SuccessMessage, useSuccessMessage } from '../../../ui/success-message.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { EpcScale } from '../epc-badge.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { propertySafetyQuery, usePropertyEdit } from '../queries.ts'
import { AwaabsLawStatusField } from './awaabs-law.tsx'
import { TestDatesDialog } from './test-dates-dialog.tsx'
import { VoidSwitch } from './void-switch.tsx'
import classes from './info.module.css'

const ratings = energyRatings.map((value) => ({ value, label: energyRatingWords(value) }))

const ratingControl = (control: InlineControl) => <InlineSelect control={control} data={ratings} />

/** Due dates and states of a property: rating, checks, void and case under Awaab's Law. */
export function PropertyInformation({ property }: { property: Property }) {
  const actor = useActor()
  const { change } = usePropertyEdit(property)
  const isHeatedOtherwise = property.monitoring === 'HeatPump' || property.monitoring === 'None'
  const [success, showSuccess] = useSuccessMessage()
  const [editingDates, setEditingDates] = useState(false)
  const { data: safety } = useQuery(propertySafetyQuery(actor.tenant, property.propertyId))
  return (
    <Card title="Property Information" aside={<SuccessMessage text={success} />}>
      <InlineFields isReadOnly={!can(actor, 'be offered edits of homes')}>
        <InlineField
          label="EPC rating"
          edit={{
            value: property.epcRating ?? 'NoRating',
            control: ratingControl,
            fault: () => undefined,
            staysOpen: true,
            // 'NoRating' is sent as null.
            save: (value) => change({ epcRating: value === 'NoRating' ? null : (value as Property['epcRating']) }),
          }}
        >
          <span className={classes.dates}>
            <EpcScale rating={property.epcRating} />
            {!hidesPersonalData(actor) && property.postcode && (
              <a className={classes.link} href={certificateSearch(property.postcode)} target="_blank" rel="noreferrer">
                Check EPC Rating
                <IconExternalLink size={14} stroke={1.7} aria-hidden />
              </a>
            )}
          </span>
        </InlineField>
        <CheckRow
          id="gas"
          label="Gas Safety Test"
          type="GasSafety"
          check={safety?.gas ?? null}
          onEdit={() => setEditingDates(true)}
        />
        <CheckRow
          label="Chemical Test"
          type="WaterTreatment"
          // The specification shows no water treatment for a property heated without a boiler.
          check={isHeatedOtherwise && !safety?.gas ? null : (safety?.water ?? null)}
          onEdit={() => setEditingDates(true)}
        />
        {hasFeature(actor, 'AwaabsLaw') && <AwaabsLawStatusField property={property} />}
        {hasFeature(actor, 'VoidFlag') && <VoidSwitch property={property} onDone={showSuccess} />}
      </InlineFields>
      <InlineFields>
        <InlineField label="Tags against devices">
          {property.deviceTags.length > 0 && (
            <span className={classes.chips}>
              {property.deviceTags.map(({ id, name }) => (
                <span key={id} className={classes.tag}>
                  <IconTag size={14} stroke={1.7} aria-hidden />
                  {name}
                </span>
              ))}
            </span>
          )}
        </InlineField>
      </InlineFields>
      {editingDates && (
        <TestDatesDialog
          property={property}
          stated={{ gas: safety?.gas?.statedOn ?? null, water: safety?.water?.statedOn ?? null }}
          onClose={() => setEditingDates(false)}
          onSaved={() => showSuccess('Test dates updated successfully!')}
        />
      )}
    </Card>
  )
}

interface CheckRowProps {
  id?: string
  label: string
  type: RecordType
  check: HomeCheck | null
  onEdit: () => void
}

/** The state of the property's checks from its records, with a link; nothing without a date or appliance. */
function CheckRow({ id, label, type, check, onEdit }: CheckRowProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const today = useToday()
  if (!check) return undefined
  const { state, dueOn, failedOn, lastOn, certificate, isStated } = check
  const last = lastOn && `last ${type === 'GasSafety' ? 'check' : 'treatment'} ${dayText(lastOn)}`
  return (
    <InlineField
      label={label}
      action={
        <ActionIcon size={28} aria-label={`Edit ${label}`} title="Edit" onClick={onEdit}>
          <IconPencil size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      }
    >
      <span className={classes.dates} id={id}>
        {dueOn && <b>{dayText(dueOn)}</b>}
        <ComplianceChip state={state} dueAt={dueOn && startOfDay(dueOn, zone)}>
          {failedOn && `Failed ${dayText(failedOn)}`}
        </ComplianceChip>
        {dueOn && dueOn < today && <span className={classes.quiet}>was due {dayText(dueOn)}</span>}
        {last && (
          <span className={classes.quiet}>
            {[last, certificate && `certificate ${certificate}`].filter(Boolean).join(', ')}
          </span>
        )}
        {!isStated && check.statedOn && (
          <span className={classes.quiet}>entered without a certificate: {dayText(check.statedOn)}</span>
        )}
        {isStated && <span className={classes.quiet}>{statedText(check)}</span>}
        {state === 'NeverChecked' && (
          <span className={classes.quiet}>Add the latest certificate, or book a check.</span>
        )}
        {check.appliances.map(({ deviceId, name }) =>
          deviceId ? (
            <AppLink key={deviceId} className={classes.link} href={`${pathTo(tenant, 'Boilers', deviceId)}/compliance`}>
              Records{check.appliances.length > 1 ? ` of ${name}` : ''}
            </AppLink>
          ) : undefined,
        )}
      </span>
    </InlineField>
  )
}

/** Who entered the date, and that it is not proof. */
function statedText({ statedBy, statedAt }: HomeCheck): string {
  const entered = statedBy && statedAt ? `Entered by ${statedBy} on ${dayText(statedAt.slice(0, 10))}. ` : ''
  return `${entered}A date without a certificate does not prove a check.`
}
