import { VisuallyHidden } from '@mantine/core'
import { IconAlertTriangleFilled } from '../../../icons/index.ts'
import type { StartCheck } from '@caretaker/contract/groups.ts'
import { longDay } from '@caretaker/rules/lighting/start-words.ts'
import { useZone } from '../../../ui/zone.tsx'
import { lightsText } from '../words.tsx'
import classes from './nights.module.css'

type Night = StartCheck['nights'][number]

interface NightsProps {
  /** The chosen start in the time zone of the client. */
  start: string
  lights: number
  nights: readonly Night[]
  onStart: (start: string) => void
}

/** The coming nights with the tests that occupy them. */
export function Nights({ start, lights, nights, onStart }: NightsProps) {
  const zone = useZone()
  if (!nights.length) return undefined
  const taken = nights.filter(({ isFree }) => !isFree)
  return (
    <section className={classes.nights} aria-label="Nights for these lights">
      <div className={classes.head}>
        <b>{lights ? `Nights for ${lights === 1 ? 'this light' : `these ${lights} lights`}` : 'Coming nights'}</b>
        <span>02:00 to 05:00, local time</span>
      </div>
      <ul className={classes.strip}>
        {nights.map((night, at) => (
          <li key={`${night.t180StartDate} ${at}`}>
            <button
              type="button"
              aria-pressed={night.t180StartDate === start}
              data-taken={!night.isFree || undefined}
              onClick={() => onStart(night.t180StartDate)}
            >
              <span>{shownOf(night, { start, zone })[0]}</span> <b>{shownOf(night, { start, zone })[1]}</b>{' '}
              <span>
                {!night.isFree && <IconAlertTriangleFilled size={12} aria-hidden />}
                {shownOf(night, { start, zone })[2]}
              </span>
              <VisuallyHidden>, {longDay(Date.parse(night.from), zone)}</VisuallyHidden>
            </button>
          </li>
        ))}
      </ul>
      {taken.slice(0, mostLines).map((night, at) => (
        <p key={`${night.t180StartDate} ${at}`} className={classes.line}>
          <IconAlertTriangleFilled size={14} aria-hidden />
          <b>{dayMonth(night.from, zone)}:</b> {reasonOf(night)}
        </p>
      ))}
      {taken.length > mostLines && (
        <p className={classes.line}>{`${taken.length - mostLines} more of these nights are taken.`}</p>
      )}
    </section>
  )
}

/** The weekday, day and state of a night for its button. */
const shownOf = (night: Night, { start, zone }: { start: string; zone: string }) =>
  [
    longDay(Date.parse(night.from), zone).slice(0, 3),
    shortDay(night.from, zone),
    night.t180StartDate === start ? 'Chosen' : wordOf(night),
  ] as const

/** The largest number of lines below the strip. */
const mostLines = 4

/** '30 November'. */
const dayMonth = (at: string, zone: string) => longDay(Date.parse(at), zone).split(' ').slice(1, 3).join(' ')
/** '30 Nov'. */
const shortDay = (at: string, zone: string) => dayMonth(at, zone).replace(/ (\w{3})\w*$/, ' $1')

function wordOf({ isFree, taken, charging }: Night): string {
  if (isFree) return 'Free'
  const [first] = taken
  if (first) return first.testType
  return charging ? 'Charging' : 'Dark'
}

/** '6 lights already run a T180 with Calder Wharf east, 2 with Calder Wharf west'. */
function reasonOf({ taken, charging, isDark }: Night): string {
  const tests = [...Map.groupBy(taken, ({ testType }) => testType)].map(([type, runs]) =>
    runs
      .map(({ groupName, lights }, at) =>
        at === 0
          ? `${lightsText(lights)} already ${lights === 1 ? 'runs' : 'run'} a ${type} with ${groupName}`
          : `${lights} with ${groupName}`,
      )
      .join(', '),
  )
  return [
    ...tests,
    charging > 0 && `${lightsText(charging)} ${charging === 1 ? 'is' : 'are'} still charging`,
    isDark && 'all lights of the building would be tested at once',
  ]
    .filter(Boolean)
    .join('; ')
}
