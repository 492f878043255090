import { useId, useState } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PropertyDampCells } from '@caretaker/contract/damp.ts'
import type { DampCell } from '@caretaker/rules/properties/damp.ts'
import { dampCellLevels, dampDefaults, dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import { homeZone } from '@caretaker/rules/telemetry/ranges.ts'
import type { Below } from '../../../telemetry/source.ts'
import { shortTimeText } from '../../../ui/age.ts'
import { Failed } from '../../../ui/states.tsx'
import { TableToggle } from '../../../ui/time-chart.tsx'
import type { Lane } from '../../../ui/time-lanes.tsx'
import { TimeLanes } from '../../../ui/time-lanes.tsx'
import { propertyDampCellsQuery } from '../queries.ts'
import chartClasses from '../../../ui/time-chart.module.css'
import classes from './damp-strip.module.css'

type Answer = PropertyDampCells & { from: number; to: number }

/** The damp strip of a property, for its telemetry. */
export function dampStripOf(tenant: string, propertyId: string): Below {
  return function Strip({ range, syncKey }) {
    const { data, isError, isPlaceholderData, refetch } = useQuery({
      ...propertyDampCellsQuery(tenant, propertyId, range),
      placeholderData: keepPreviousData,
    })
    // Most failures are caused by a long range, which does not affect the other charts.
    if (isError)
      return <Failed text="Damp and mould risk could not be loaded for this range." onRetry={() => void refetch()} />
    return data && data.rooms.length > 0 && <DampStrip {...data} syncKey={syncKey} isFormer={isPlaceholderData} />
  }
}

const spell = ['', 'an hour', 'two hours', 'three hours', 'four hours', 'five hours', 'six hours']
const lengthOf = (hours: number) =>
  spell[hours] ?? (hours === 24 ? 'a day' : hours === 168 ? 'a week' : `${hours} hours`)

interface StripProps extends Answer {
  syncKey: string
  /** Shows the previous range until the new data arrives. */
  isFormer: boolean
}

/**
 * The damp level of each room over time, below the humidity chart: taller with risk, so that it can be read without
 * colour.
 */
function DampStrip({ rooms, hours, humidity, watchDays, highDays, from, to, syncKey, isFormer }: StripProps) {
  const titleId = useId()
  const [isTable, setTable] = useState(false)
  const length = hours * 3_600_000
  const lanes = rooms.map(({ deviceId, room, serialNumber, cells }): Lane => ({
    id: deviceId,
    label: room ?? serialNumber,
    words: wordsOf(cells, from, length),
    draw: (place) =>
      cells.map((level, at) => {
        const start = from + at * length
        if (!level || start >= to) return undefined
        return (
          <span
            // oxlint-disable-next-line react/no-array-index-key -- a cell is its place in time
            key={at}
            className={classes.cell}
            data-level={level}
            title={`${dampLevelWords[level]}, ${shortTimeText(start, homeZone)}`}
            style={{
              insetInlineStart: `${place(start)}%`,
              width: `calc(${place(start + length) - place(start)}% - 1px)`,
            }}
          />
        )
      }),
  }))
  return (
    <section
      className={`${chartClasses.card} ${classes.card}`}
      aria-labelledby={titleId}
      data-card="dampStrip"
      data-former={isFormer || undefined}
      aria-busy={isFormer}
    >
      <header className={chartClasses.head} data-many>
        <div className={classes.title}>
          <h2 id={titleId} className={chartClasses.title}>
            {title}
          </h2>
          <span className={chartClasses.note}>{lengthOf(hours)} a cell</span>
        </div>
        <span className={classes.legend} aria-hidden>
          {dampCellLevels.map((level) => (
            <span key={level}>
              <i className={classes.cell} data-level={level} />
              {dampLevelWords[level]}
            </span>
          ))}
        </span>
        <TableToggle {...{ title, isTable, setTable }} />
      </header>
      <p className={classes.note}>
        {`Watch: cold surfaces at ${humidity} % humidity or more on ${watchDays} of the last 7 days. High: on ${highDays}, or mould index ${dampDefaults.highIndex}. Severe: mould index ${dampDefaults.severeIndex}.`}
      </p>
      {isTable ? (
        <Cells {...{ rooms, from, to, length }} />
      ) : (
        <TimeLanes {...{ lanes, from, to, syncKey }} zone={homeZone} labelledBy={titleId} />
      )}
    </section>
  )
}

const title = 'Damp and mould risk by room'

interface CellsProps extends Pick<Answer, 'rooms' | 'from' | 'to'> {
  /** The length of a cell in milliseconds. */
  length: number
}

/** The cells as a table, newest first. */
function Cells({ rooms, from, to, length }: CellsProps) {
  const count = Math.max(...rooms.map(({ cells }) => cells.length))
  const starts = Array.from({ length: count }, (_, at) => from + at * length).filter((start) => start < to)
  return (
    <div
      className={`${chartClasses.tableBox} ${classes.cells}`}
      role="region"
      aria-label={`${title}, cells`}
      tabIndex={0}
    >
      <table className={chartClasses.table}>
        <thead>
          <tr>
            <th scope="col">From</th>
            {rooms.map(({ deviceId, room, serialNumber }) => (
              <th key={deviceId} scope="col">
                {room ?? serialNumber}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts.toReversed().map((start) => (
            <tr key={start}>
              <th scope="row">{shortTimeText(start, homeZone)}</th>
              {rooms.map(({ deviceId, cells }) => {
                const level = cells[(start - from) / length]
                return <td key={deviceId}>{level ? dampLevelWords[level] : 'Unknown'}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The strip of a room in words: how often its risk was severe, high and on watch, and when last. */
function wordsOf(cells: readonly (DampCell | null)[], from: number, length: number): string {
  const known = cells.filter((cell) => cell !== null)
  if (!known.length) return 'no data'
  return (['severe', 'high', 'watch'] as const)
    .map((level) => {
      const last = cells.lastIndexOf(level)
      const times = known.filter((cell) => cell === level).length
      const when = last < 0 ? '' : `, last ${shortTimeText(from + last * length, homeZone)}`
      return `${level} in ${times} of ${known.length} cells${when}`
    })
    .join('; ')
}
