import { useState } from 'react'
import { Button, Select } from '@mantine/core'
import {
  IconAlertTriangleFilled,
  IconArrowBackUp,
  IconCheck,
  IconCircleXFilled,
  IconClock,
  IconPencil,
} from '../../../icons/index.ts'
import type { AwaabsLawCase, Property } from '@caretaker/contract/properties.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import type { LawDeadline } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { isMissed, isRunning, runningDeadlines, timeLeftText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { whenText } from '@caretaker/rules/properties/awaabs-history.ts'
import {
  arrivalOf,
  awaabsLawSteps,
  casesOf,
  completionOf,
  emergencyOf,
} from '@caretaker/rules/properties/awaabs-law.ts'
import { deadlineName, deadlineWords } from '@caretaker/rules/properties/awaabs-words.ts'
import type { AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../../../api/actor.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { Card } from '../../../ui/card.tsx'
import { InlineField } from '../../../ui/forms/inline-edit.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { CaseRecords } from './case-records.tsx'
import { EarlierCases } from './earlier-cases.tsx'
import { EditCaseDialog } from './edit-case-dialog.tsx'
import { deadlineOf } from '../../../api/law-deadline.ts'
import { entriesIn } from './law-entries.ts'
import { LawHistory } from './law-history.tsx'
import { StepDeadline } from './step-deadline.tsx'
import { StepDialog } from './step-dialog.tsx'
import { useCaseChange } from './use-case.ts'
import classes from './awaabs-law.module.css'

/** The step of a property's case as a field; choosing another step opens its dialog. */
export function AwaabsLawStatusField({ property }: { property: Property }) {
  const send = useCaseChange(property)
  const [asked, setAsked] = useState<AwaabsLawStatus>()
  const current = property.awaabsLawStatus === 'None' ? null : property.awaabsLawStatus
  return (
    <InlineField
      label="Awaab's Law Status"
      action={
        <Select
          aria-label="Awaab's Law Status"
          className={classes.select}
          data={[...awaabsLawStatuses]}
          value={asked ?? property.awaabsLawStatus}
          allowDeselect={false}
          onChange={(chosen) => {
            const status = awaabsLawStatuses.find((one) => one === chosen)
            if (status && status !== property.awaabsLawStatus) setAsked(status)
          }}
        />
      }
    >
      {asked && (
        <StepDialog
          status={asked}
          current={current}
          isEmergency={property.awaabsLawCases[0]?.isEmergency === true && current !== null}
          send={send}
          onClose={() => setAsked(undefined)}
        />
      )}
    </InlineField>
  )
}

/** The case of a property under Awaab's Law with all its deadlines; no card without a case. */
export function AwaabsLawCard({ property }: { property: Property }) {
  const { actor, client } = usePresence()
  const zone = useZone()
  const now = useClock()
  const send = useCaseChange(property)
  const [open, setOpen] = useState<'edit' | 'complete'>()
  const [one, ...earlier] = property.awaabsLawCases
  if (!one) return undefined
  const mayEdit = can(actor, "keep case of Awaab's Law")
  const deadlines = one.deadlines.map(deadlineOf)
  const law = casesOf(entriesIn(property.awaabsLawHistory)).at(-1)
  const found = law && emergencyOf(law.steps)
  const isClosed = one.status === 'None'
  const next = awaabsLawSteps[awaabsLawSteps.indexOf(one.status as (typeof awaabsLawSteps)[number]) + 1]
  const reopen = async () => {
    try {
      await send([{ reopen: true }])
    } catch (error) {
      showError(error instanceof Error ? error.message : String(error))
    }
  }
  const aware = { on: one.aware.on, at: one.aware.at === null ? null : Date.parse(one.aware.at) }
  return (
    <Card
      title="Awaab’s Law"
      aside={
        <span className={classes.quiet}>
          Case {one.number}, aware since {whenText(aware, zone)}
        </span>
      }
      actions={
        mayEdit &&
        (isClosed ? (
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            onClick={() => void reopen()}
          >
            Reopen case
          </Button>
        ) : (
          <>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setOpen('edit')}
            >
              Edit case
            </Button>
            {next && (
              <Button
                variant="light"
                leftSection={<IconCheck size={16} aria-hidden />}
                onClick={() => setOpen('complete')}
              >
                Complete {one.status}
              </Button>
            )}
          </>
        ))
      }
    >
      <p className={classes.about}>
        {[one.hazard ?? 'No hazard set', found && `Emergency since ${whenText(found, zone)}`]
          .filter(Boolean)
          .join('. ')}
        {isClosed && one.closedOn && `. Closed ${dayText(one.closedOn)}: ${one.closeReason ?? 'no reason was entered'}`}
      </p>
      <Coverage one={one} />
      {!isClosed && <Running deadlines={deadlines} client={client.displayName} now={now} />}
      {law && !isClosed && (
        <ol className={classes.steps} aria-label="Steps of the case">
          {awaabsLawSteps.map((status, at) => {
            const arrival = arrivalOf(law.steps, status)
            const own = deadlines.filter(({ step }) => step === status)
            const isNow = status === one.status
            const completion = completionOf(law.steps, status)
            const isDone = !isNow && completion !== undefined
            return (
              <li
                key={status}
                className={classes.step}
                data-state={isNow ? 'now' : isDone ? 'done' : undefined}
                aria-current={isNow ? 'step' : undefined}
              >
                <span className={classes.mark} aria-hidden>
                  {isDone ? <IconCheck size={14} stroke={2.4} /> : at + 1}
                </span>
                <span className={classes.text}>
                  <span className={classes.name}>{status}</span>
                  {isDone && <span>Completed {whenText(completion, zone)}</span>}
                  {isNow && arrival && <span>Since {whenText(arrival, zone)}</span>}
                  {!isDone && !isNow && own.every((deadline) => !isRunning(deadline)) && <span>Not started</span>}
                  {own.map((deadline) => (
                    <StepDeadline key={`${deadline.due.on} ${deadline.due.at}`} deadline={deadline} now={now} />
                  ))}
                </span>
              </li>
            )
          })}
        </ol>
      )}
      {isClosed && (
        <ul className={classes.missed} aria-label="Missed deadlines">
          {deadlines
            .filter((deadline) => deadline.moved || isMissed(deadline, now, zone))
            .map((deadline) => (
              <li key={`${deadline.step} ${deadline.due.on} ${deadline.due.at}`}>
                {deadlineName(deadline)} <StepDeadline deadline={deadline} now={now} />
              </li>
            ))}
        </ul>
      )}
      {property.awaabsLawPreventiveDate && !isClosed && (
        <p className={classes.quiet}>
          Works that keep the hazard from coming again begin by {dayText(property.awaabsLawPreventiveDate)}.
        </p>
      )}
      <footer className={classes.links}>
        <CaseRecords property={property} one={one} mayAdd={mayEdit} />
        {can(actor, 'see breach register') && (
          <AppLink className={classes.link} href={pathTo(actor.tenant, 'Reporting', 'breachRegister')}>
            Open breach register
          </AppLink>
        )}
      </footer>
      <EarlierCases property={property} cases={earlier} mayAdd={mayEdit} />
      <LawHistory entries={property.awaabsLawHistory} />
      {open === 'edit' && <EditCaseDialog property={property} send={send} onClose={() => setOpen(undefined)} />}
      {open === 'complete' && next && (
        <StepDialog
          status={next}
          current={one.status}
          isEmergency={one.isEmergency}
          send={send}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Card>
  )
}

/** If the law sets no deadline: the date from which it covers the hazard, and the source. */
function Coverage({ one: { coverage, aware } }: { one: AwaabsLawCase }) {
  if (!coverage || (coverage.from !== null && coverage.from <= aware.on)) return undefined
  return (
    <p className={classes.quiet}>
      {coverage.from
        ? `The law covers this hazard from ${dayText(coverage.from)}, so it sets no deadline for this case.`
        : 'The law does not cover this hazard yet, so it sets no deadline.'}{' '}
      {coverage.source}
    </p>
  )
}

interface RunningProps {
  deadlines: readonly LawDeadline[]
  client: string
  now: number
}

/** All running deadlines side by side, soonest first. */
function Running({ deadlines, client, now }: RunningProps) {
  const zone = useZone()
  const running = runningDeadlines(deadlines, zone)
  if (!running.length) return undefined
  return (
    <ul className={classes.deadlines} aria-label="Deadlines">
      {running.map((deadline) => {
        const { due, lawDue, otherDue, isEmergency } = deadline
        const isLate = isMissed(deadline, now, zone)
        const Icon =
          isLate || isEmergency ? IconCircleXFilled : due.on === dayAt(now, zone) ? IconAlertTriangleFilled : IconClock
        const tone = isLate || isEmergency ? 'failed' : due.on === dayAt(now, zone) ? 'warning' : undefined
        return (
          <li key={`${deadline.step} ${due.on} ${due.at}`} className={classes.deadline} data-tone={tone}>
            <Icon size={16} aria-hidden />
            <span>
              <span className={classes.what}>{deadlineWords(deadline)}</span>
              <b>{whenText(due, zone)}</b>
              <span>
                {timeLeftText(deadline, now, zone)}.
                {otherDue && ` ${isEmergency ? 'Without emergency' : 'Emergency'}: ${whenText(otherDue, zone)}.`}
              </span>
              {lawDue && (
                <span className={classes.quiet}>
                  {client}: {whenText(due, zone)}. By law: {whenText(lawDue, zone)}.
                </span>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
