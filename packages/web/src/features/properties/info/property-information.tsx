import { useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconExternalLink, IconPencil, IconTag } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { stateOfDeadline } from '@caretaker/rules/compliance/due.ts'
import { hasFeature, hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { certificateSearch } from '@caretaker/rules/properties/details.ts'
import { energyRatings, energyRatingWords } from '@caretaker/rules/properties/dwelling.ts'
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
import { usePropertyEdit } from '../queries.ts'
import { AwaabsLawStatusField } from './awaabs-law.tsx'
import { TestDatesDialog } from './test-dates-dialog.tsx'
import { VoidSwitch } from './void-switch.tsx'
import classes from './info.module.css'

const ratings = energyRatings.map((value) => ({ value, label: energyRatingWords(value) }))

const ratingControl = (control: InlineControl) => <InlineSelect control={control} data={ratings} />

/** What is due in a home and how it stands: its rating, its checks, whether it is void, where its case under Awaab's Law is. */
export function PropertyInformation({ property }: { property: Property }) {
  const actor = useActor()
  const { change } = usePropertyEdit(property)
  const [success, showSuccess] = useSuccessMessage()
  const [editingDates, setEditingDates] = useState(false)
  const hasBoiler = property.monitoring === 'Boiler'
  return (
    <Card title="Property Information" aside={<SuccessMessage text={success} />}>
      <InlineFields>
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
        {hasBoiler && (
          <>
            <TestDate
              label="Gas Safety Test"
              on={property.lastGasSafetyCheckDate}
              failedOn={property.gasSafetyFailedDate}
              dueOn={property.gasSafetyDueDate}
              near={property.gasSafetyNearDate}
              onEdit={() => setEditingDates(true)}
            />
            <TestDate
              label="Chemical Test"
              on={property.lastChemicalTestDate}
              dueOn={property.chemicalTestDueDate}
              near={property.chemicalTestNearDate}
              onEdit={() => setEditingDates(true)}
            />
          </>
        )}
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
          onClose={() => setEditingDates(false)}
          onSaved={() => showSuccess('Test dates updated successfully!')}
        />
      )}
    </Card>
  )
}

interface TestDateProps {
  label: string
  on: Day | null
  /** The day of a later one that was not passed. */
  failedOn?: Day | null
  dueOn: Day | null
  near: Day | null
  onEdit: () => void
}

/** When a check was, and when the next one is due. */
function TestDate({ label, on, failedOn, dueOn, near, onEdit }: TestDateProps) {
  const today = useToday()
  const zone = useZone()
  const state = failedOn ? 'Failed' : dueOn ? stateOfDeadline(dueOn, near, today) : 'NoRecord'
  return (
    <InlineField
      label={label}
      action={
        <ActionIcon size={28} aria-label={`Edit ${label}`} title="Edit" onClick={onEdit}>
          <IconPencil size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      }
    >
      {(on ?? failedOn) && (
        <span className={classes.dates}>
          {on && <b>{dayText(on)}</b>}
          {state !== 'NoRecord' && (
            <>
              <ComplianceChip state={state} dueAt={dueOn && startOfDay(dueOn, zone)}>
                {failedOn && `Failed ${dayText(failedOn)}`}
              </ComplianceChip>
              {dueOn && (
                <span className={classes.quiet}>
                  {dueOn < today ? 'was due' : 'next'} {dayText(dueOn)}
                </span>
              )}
            </>
          )}
        </span>
      )}
    </InlineField>
  )
}
