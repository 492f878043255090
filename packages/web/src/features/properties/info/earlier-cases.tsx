import type { AwaabsLawCase, Property } from '@caretaker/contract/properties.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import type { LawDeadline } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { isMissed } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { whenText } from '@caretaker/rules/properties/awaabs-history.ts'
import { deadlineName } from '@caretaker/rules/properties/awaabs-words.ts'
import { deadlineOf } from '../../../api/law-deadline.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { CaseRecords } from './case-records.tsx'
import { StepDeadline } from './step-deadline.tsx'
import classes from './awaabs-law.module.css'

interface EarlierCasesProps {
  property: Property
  cases: readonly AwaabsLawCase[]
  mayAdd: boolean
}

/** Earlier cases of a property with deadlines and records. Closed ones are collapsed. */
export function EarlierCases({ property, cases, mayAdd }: EarlierCasesProps) {
  if (cases.length === 0) return undefined
  return (
    <section className={classes.earlier} aria-label="Earlier cases">
      <h3>Earlier cases</h3>
      {cases.map((one) => (
        <EarlierCase key={one.caseId} property={property} one={one} mayAdd={mayAdd} />
      ))}
    </section>
  )
}

function EarlierCase({ property, one, mayAdd }: { property: Property; one: AwaabsLawCase; mayAdd: boolean }) {
  const zone = useZone()
  const now = useClock()
  const deadlines = one.deadlines.map(deadlineOf)
  const missed = deadlines.filter((deadline) => isMissed(deadline, now, zone)).length
  const aware = { on: one.aware.on, at: one.aware.at === null ? null : Date.parse(one.aware.at) }
  return (
    <details className={classes.history} open={one.status !== 'None'}>
      <summary>
        Case {one.number}, {one.hazard ?? 'no hazard recorded'},{' '}
        {one.closedOn ? `closed ${dayText(one.closedOn)}` : one.status},{' '}
        {missed === 0 ? 'no deadline missed' : `${missed} ${missed === 1 ? 'deadline' : 'deadlines'} missed`}
      </summary>
      <p className={classes.about}>
        Aware since {whenText(aware, zone)}.
        {one.closedOn && ` Closed ${dayText(one.closedOn)}: ${one.closeReason ?? 'no reason was entered'}.`}
      </p>
      <ul className={classes.missed} aria-label={`Deadlines of case ${one.number}`}>
        {deadlines.map((deadline) => (
          <li key={`${deadline.step} ${deadline.due.on} ${deadline.due.at}`}>
            {deadlineName(deadline)} <PastDeadline deadline={deadline} now={now} />
          </li>
        ))}
        {deadlines.length === 0 && <li className={classes.quiet}>The law set no deadline for this case.</li>}
      </ul>
      <CaseRecords property={property} one={one} mayAdd={mayAdd} />
    </details>
  )
}

/** The outcome of a deadline, met or missed. */
function PastDeadline({ deadline, now }: { deadline: LawDeadline; now: number }) {
  const zone = useZone()
  const { due, done, ended, moved } = deadline
  const end = done ?? ended
  if (!end || moved || isMissed(deadline, now, zone)) return <StepDeadline deadline={deadline} now={now} />
  return (
    <span>
      {done ? 'Completed' : 'Closed'} {whenText(end, zone)}, due {whenText(due, zone)}
    </span>
  )
}
