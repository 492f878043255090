import { useState } from 'react'
import { ActionIcon, Checkbox, Select } from '@mantine/core'
import { IconCheck, IconPencil } from '../../../icons/index.ts'
import type { Property, PropertyChanges } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { workingDaysBetween } from '@caretaker/rules/calendar/bank-holidays.ts'
import type { AwaabsLawHazard } from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawHazardNames,
  awaabsLawHazards,
  awaabsLawSteps,
  correctedSteps,
  emergencySince,
  hazardOf,
  isKnownHazard,
  openCase,
  stagesOf,
  stepDayFault,
} from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { usePropertyEdit } from '../queries.ts'
import { LawHistory } from './law-history.tsx'
import { StepDialog } from './step-dialog.tsx'
import classes from './awaabs-law.module.css'

/** The case of a home under Awaab's Law: the dropdown writes, the steps explain. Without a case there are none. */
export function AwaabsLaw({ property }: { property: Property }) {
  const { change } = usePropertyEdit(property)
  const today = useToday()
  const [asked, setAsked] = useState<Asked>()
  const entered = correctedSteps(property.awaabsLawHistory.map((entry) => ({ ...entry, on: entry.happenedOn })))
  const steps = openCase(entered)
  const stages = stagesOf(entered)
  const last = stages.at(-1)
  const hazard = hazardOf(entered)
  const say = async (said: PropertyChanges) => {
    try {
      await change(said)
    } catch (error) {
      showError(error instanceof Error ? error.message : String(error))
    }
  }
  const days = last ? workingDaysBetween(last.on, today) : 0
  return (
    <div className={classes.law}>
      <div className={classes.head}>
        <b>Awaab's Law Status</b>
        {last && (
          <span className={classes.quiet}>
            {days} working {days === 1 ? 'day' : 'days'} in {last.status}
          </span>
        )}
        <Select
          aria-label="Awaab's Law Status"
          className={classes.select}
          data={[...awaabsLawStatuses]}
          value={asked?.status ?? property.awaabsLawStatus}
          allowDeselect={false}
          onChange={(chosen) => {
            const status = awaabsLawStatuses.find((one) => one === chosen)
            if (status && status !== property.awaabsLawStatus) setAsked({ status })
          }}
        />
      </div>
      {last && (
        <div className={classes.hazard}>
          <Select
            label="Hazard"
            placeholder="Not said"
            className={classes.select}
            data={awaabsLawHazardNames}
            value={hazard}
            allowDeselect={false}
            onChange={(chosen) => {
              if (chosen && chosen !== hazard) void say({ awaabsLawHazard: chosen as AwaabsLawHazard })
            }}
          />
          <Checkbox
            label="Emergency"
            checked={emergencySince(entered) !== undefined}
            onChange={(event) => void say({ awaabsLawEmergency: event.currentTarget.checked })}
          />
          {hazard && !isKnownHazard(hazard, steps[0]!.on) && (
            <span className={classes.quiet}>
              {awaabsLawHazards[hazard]
                ? `The law knows this hazard from ${dayText(awaabsLawHazards[hazard])}: no step of this case is due by it.`
                : 'The law does not know this hazard yet, nor a day from which it will: no step is due by it.'}
            </span>
          )}
        </div>
      )}
      {last && (
        <ol className={classes.steps} aria-label="Steps of the case">
          {awaabsLawSteps.map((status, at) => {
            const step = stages.findLast((one) => one.status === status)
            return (
              <Step
                key={status}
                number={at + 1}
                status={status}
                step={step}
                dueOn={property.awaabsLawDueDate}
                isNow={status === last.status}
                isPast={at < awaabsLawSteps.indexOf(last.status as (typeof awaabsLawSteps)[number])}
                today={today}
                onCorrect={() => step && setAsked({ status: step.status, corrected: step })}
              />
            )
          })}
        </ol>
      )}
      {property.awaabsLawPreventiveDate && (
        <span className={classes.quiet}>
          Works that keep the hazard from coming again begin by {dayText(property.awaabsLawPreventiveDate)}.
        </span>
      )}
      <LawHistory entries={property.awaabsLawHistory} />
      {asked && (
        <StepDialog
          title={
            asked.corrected ? `True date of ${asked.status}` : asked.status === 'None' ? 'Close the case' : asked.status
          }
          day={asked.corrected?.on ?? today}
          fault={(on) => stepDayFault(entered, { on, today, corrected: asked.corrected })}
          said={asked.corrected ? { awaabsLawCorrects: asked.corrected.id } : { awaabsLawStatus: asked.status }}
          change={change}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

type Known = Property['awaabsLawHistory'][number] & { on: Day }

/** A step whose day is asked for: one to be entered, or one that has another day. */
interface Asked {
  status: Property['awaabsLawStatus']
  corrected?: Known
}

interface StepProps {
  number: number
  status: string
  step: Known | undefined
  /** By when the step that the case is at is due. */
  dueOn: Day | null
  isNow: boolean
  isPast: boolean
  today: Day
  onCorrect: () => void
}

function Step({ number, status, step, dueOn, isNow, isPast, today, onCorrect }: StepProps) {
  const isDone = isPast && step !== undefined
  return (
    <li
      className={classes.step}
      data-state={isNow ? 'now' : isDone ? 'done' : undefined}
      aria-current={isNow ? 'step' : undefined}
    >
      <span className={classes.mark} aria-hidden>
        {isDone ? <IconCheck size={14} stroke={2.4} /> : number}
      </span>
      <span className={classes.text}>
        <span className={classes.name}>{status}</span>
        {step && (isNow || isDone) ? (
          <>
            <span className={classes.day}>
              {`${isNow ? 'since ' : ''}${dayText(step.on)}`}
              <ActionIcon size={24} aria-label={`Correct date of ${status}`} title="Correct" onClick={onCorrect}>
                <IconPencil size={14} stroke={1.7} aria-hidden />
              </ActionIcon>
            </span>
            <span>{step.enteredBy}</span>
            {isNow && dueOn && (
              <b className={classes.due} data-over={dueOn < today || undefined}>
                {dueOn < today ? 'overdue since' : 'due'} {dayText(dueOn)}
              </b>
            )}
          </>
        ) : (
          <span>{isPast ? 'Not entered' : 'Not started'}</span>
        )}
      </span>
    </li>
  )
}
