import { Checkbox } from '@mantine/core'
import type { AskedType } from '@caretaker/rules/lighting/plan.ts'
import { askedTypes, localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { dateText } from '../../../ui/age.ts'
import { useZone } from '../../../ui/zone.tsx'
import { monthAfter, shortMonth } from '../months.ts'
import classes from './group-dialog.module.css'

interface NextRunsProps {
  runs: readonly { testDate: string; testType: TestType }[]
  t180: { from: string; to: string } | null
  collisions: number
  isDark: boolean
  alsoTypes: readonly AskedType[]
  onAlso: (types: AskedType[]) => void
}

const day = 86_400_000
const rhythm: Record<AskedType, string> = { T5: 'T5 monthly', T60: 'T60 yearly' }

/** The tests of the group in the coming year, computed by the server. */
export function NextRuns({ runs, t180, collisions, isDark, alsoTypes, onAlso }: NextRunsProps) {
  const zone = useZone()
  const first = (type: TestType) => runs.find(({ testType }) => testType === type)
  const isHit = collisions > 0 || isDark
  const clock = (at: string) => localTimeAt(Date.parse(at), zone).slice(11)
  return (
    <section className={classes.nextRuns} aria-label="Next runs with this start">
      <div className={classes.nextHead}>
        <b>Next runs with this start</b>
        {testTypes.map((type) => {
          if (type === 'T180')
            return (
              t180 && (
                <span key={type} data-hit={isHit || undefined}>
                  <b>T180</b> {dateText(t180.from, zone)}, {clock(t180.from)} to {clock(t180.to)}
                  {collisions > 0 && ` – ${collisions} ${collisions === 1 ? 'collision' : 'collisions'}`}
                </span>
              )
            )
          const run = first(type)
          return (
            run && (
              <span key={type}>
                <b>{type}</b> {dateText(run.testDate, zone)}
              </span>
            )
          )
        })}
        <span className={classes.also}>
          {askedTypes.map((type) => (
            <Checkbox
              key={type}
              label={rhythm[type]}
              checked={alsoTypes.includes(type)}
              onChange={(event) =>
                onAlso(
                  event.currentTarget.checked ? [...alsoTypes, type].sort() : alsoTypes.filter((one) => one !== type),
                )
              }
            />
          ))}
        </span>
      </div>
      {runs.length > 0 && <Year runs={runs} isHit={isHit} zone={zone} />}
    </section>
  )
}

function Year({ runs, isHit, zone }: Pick<NextRunsProps, 'runs'> & { isHit: boolean; zone: string }) {
  const first = Math.min(...runs.map(({ testDate }) => Date.parse(testDate)))
  const month = localTimeAt(first, zone).slice(0, 7)
  const begin = Date.parse(`${month}-01`)
  const months = Array.from({ length: 13 }, (_, at) => monthAfter(month, at))
  const end = Date.parse(`${monthAfter(month, 13)}-01`)
  const at = (time: number) => `${((Math.min(time, end - day) - begin) / (end - begin)) * 100}%`
  return (
    <div className={classes.year} aria-hidden>
      <div className={classes.line}>
        {runs.map(({ testType, testDate }) => (
          <i
            key={`${testType} ${testDate}`}
            data-type={testType}
            data-hit={(isHit && testType === 'T180') || undefined}
            style={{ insetInlineStart: at(Date.parse(testDate)) }}
          >
            {testType === 'T180' || testType === 'T60' ? testType : ''}
          </i>
        ))}
      </div>
      <div className={classes.months}>
        {months.map((one) => (
          <span key={one}>{shortMonth(one)}</span>
        ))}
      </div>
    </div>
  )
}
