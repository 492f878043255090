import { useState } from 'react'
import { Select } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { Property } from '@caretaker/contract/properties.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { workingDaysBetween } from '@caretaker/rules/calendar/bank-holidays.ts'
import type { AwaabsLawHazard } from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawHazardNames,
  awaabsLawHazards,
  awaabsLawSteps,
  hazardOf,
  isKnownHazard,
  openCase,
} from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { usePropertyEdit } from '../queries.ts'
import classes from './awaabs-law.module.css'

/** The case of a home under Awaab's Law: the dropdown writes, the steps explain. Without a case there are none. */
export function AwaabsLaw({ property }: { property: Property }) {
  const { change } = usePropertyEdit(property)
  const today = useToday()
  const [wanted, setWanted] = useState<Property['awaabsLawStatus']>()
  const steps = openCase(property.awaabsLawHistory.map((step) => ({ ...step, on: step.happenedOn })))
  const last = steps.at(-1)
  const choose = async (awaabsLawStatus: Property['awaabsLawStatus']) => {
    setWanted(awaabsLawStatus)
    try {
      await change({ awaabsLawStatus })
    } catch (error) {
      showError(error instanceof Error ? error.message : String(error))
    }
    setWanted(undefined)
  }
  const hazard = hazardOf(steps)
  const sayHazard = async (awaabsLawHazard: AwaabsLawHazard) => {
    try {
      await change({ awaabsLawHazard })
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
          value={wanted ?? property.awaabsLawStatus}
          disabled={wanted !== undefined}
          allowDeselect={false}
          onChange={(chosen) => {
            if (chosen && chosen !== property.awaabsLawStatus) void choose(chosen as Property['awaabsLawStatus'])
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
              if (chosen && chosen !== hazard) void sayHazard(chosen as AwaabsLawHazard)
            }}
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
          {awaabsLawSteps.map((status, at) => (
            <Step
              key={status}
              number={at + 1}
              status={status}
              step={steps.findLast((one) => one.status === status)}
              isNow={status === last.status}
              isPast={at < awaabsLawSteps.indexOf(last.status as (typeof awaabsLawSteps)[number])}
              today={today}
            />
          ))}
        </ol>
      )}
    </div>
  )
}

interface StepProps {
  number: number
  status: string
  step: (Property['awaabsLawHistory'][number] & { on: string }) | undefined
  isNow: boolean
  isPast: boolean
  today: string
}

function Step({ number, status, step, isNow, isPast, today }: StepProps) {
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
            <span>{`${isNow ? 'since ' : ''}${dayText(step.happenedOn)}`}</span>
            <span>{step.enteredBy}</span>
            {isNow && step.dueOn && (
              <b className={classes.due} data-over={step.dueOn < today || undefined}>
                {step.dueOn < today ? 'overdue since' : 'due'} {dayText(step.dueOn)}
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
