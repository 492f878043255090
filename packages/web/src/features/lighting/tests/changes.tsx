import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { resultChangeText } from '@caretaker/rules/lighting/decisions.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { IconFlag, IconPencil } from '../../../icons/index.ts'
import { useZone } from '../../../ui/zone.tsx'
import { resultWord } from '../test-result.tsx'
import classes from './tests.module.css'

/** Decisions about a result, shown beside it: author, time and old value. The reason is in the tooltip. */
export function Changes({ test: { corrected, disputed } }: { test: Pick<EmergencyTest, 'corrected' | 'disputed'> }) {
  const zone = useZone()
  const day = (at: string) => dayText(dayAt(Date.parse(at), zone))
  return (
    <>
      {disputed && (
        <span className={classes.change} title={disputed.reason}>
          <b>
            <IconFlag size={14} aria-hidden /> Disputed
          </b>{' '}
          Counts as {disputed.countsAs}. {disputed.by}, {day(disputed.at)}
        </span>
      )}
      {corrected && (
        <span className={classes.change} title={corrected.reason || undefined}>
          <b>
            <IconPencil size={14} aria-hidden /> Corrected
          </b>{' '}
          Was {resultWord(corrected.was.result)}. {corrected.by}, {day(corrected.at)}
        </span>
      )}
    </>
  )
}

/** All decisions about a result with reasons, oldest first. */
export function ChangeHistory({ changes }: Pick<EmergencyTest, 'changes'>) {
  const zone = useZone()
  if (!changes.length) return undefined
  return (
    <ol className={classes.history} aria-label="Decisions about this result">
      {changes.map((change) => (
        <li key={`${change.at} ${change.kind}`}>{resultChangeText(change, zone)}</li>
      ))}
    </ol>
  )
}
