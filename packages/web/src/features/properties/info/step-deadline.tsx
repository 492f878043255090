import { IconCircleXFilled } from '../../../icons/index.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import type { LawDeadline } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { latenessOf, latenessText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { whenText } from '@caretaker/rules/properties/awaabs-history.ts'
import { useZone } from '../../../ui/zone.tsx'
import classes from './awaabs-law.module.css'

/** The deadline of a step: when it is due, or by how much it was missed, which is permanent. */
export function StepDeadline({ deadline, now }: { deadline: LawDeadline; now: number }) {
  const zone = useZone()
  const late = latenessOf(deadline, now, zone)
  const isLate = late !== undefined
  if (deadline.done && !isLate && !deadline.moved) return undefined
  return (
    <>
      {isLate && (
        <b className={classes.due} data-over>
          <IconCircleXFilled size={14} aria-hidden /> {latenessText(late)}
        </b>
      )}
      {isLate || deadline.moved ? (
        <span>
          Was due {whenText(deadline.due, zone)}
          {deadline.moved &&
            `, moved ${dayText(dayAt(deadline.moved.at, zone))}: ${deadline.moved.reason ?? 'no reason'}`}
        </span>
      ) : (
        <b className={classes.due}>Due {whenText(deadline.due, zone)}</b>
      )}
    </>
  )
}
