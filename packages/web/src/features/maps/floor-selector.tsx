import { ActionIcon } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '../../icons/index.ts'
import { nextFloor, previousFloor } from '@caretaker/rules/buildings/default-floor.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { floorWords, worstOf, type FloorOf } from './floors.ts'
import { ToneIcon } from '../../map/pins.tsx'
import { floorWords as called } from '../../plans/device-look.tsx'
import classes from './maps.module.css'

interface FloorSelectorProps {
  /** From the lowest up. */
  floors: readonly FloorOf[]
  /** The index of the shown floor; undefined if none. */
  at: number | undefined
  by: MapStatusFilter
  onFloor: (index: number) => void
}

/** The floors of a building, highest first, each with its worst status, so that users need not open each floor. */
export function FloorSelector({ floors, at, by, onFloor }: FloorSelectorProps) {
  const here = floors.findIndex(({ index }) => index === at)
  const step = (go: (floors: number, at: number) => number) => () =>
    onFloor(floors[here === -1 ? 0 : go(floors.length, here)]!.index)
  return (
    <nav className={classes.floors} aria-label="Floors">
      <ActionIcon variant="subtle" color="gray" aria-label="Next floor" onClick={step(nextFloor)}>
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ol>
        {floors.toReversed().map((floor) => {
          const worst = worstOf(floor, by)
          return (
            <li key={floor.floor}>
              <button
                type="button"
                aria-current={floor.index === at || undefined}
                aria-label={floorWords(floor, by)}
                onClick={() => onFloor(floor.index)}
              >
                <span>{floor.name}</span>
                {worst && worst.tone !== 'passed' && (
                  <span className={classes.worst} data-tone={worst.tone}>
                    <ToneIcon tone={worst.tone} /> {worst.count}
                  </span>
                )}
              </button>
            </li>
          )
        })}
      </ol>
      <ActionIcon variant="subtle" color="gray" aria-label="Previous floor" onClick={step(previousFloor)}>
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </nav>
  )
}

interface OtherFloorsProps extends Pick<FloorSelectorProps, 'floors' | 'by' | 'onFloor'> {
  shown: FloorOf
}

/** Faults on the other floors of the building, in the list beside the map. */
export function OtherFloors({ floors, shown, by, onFloor }: OtherFloorsProps) {
  const others = floors.flatMap((floor) => {
    const worst = floor.floor === shown.floor ? undefined : worstOf(floor, by)
    return worst && worst.tone !== 'passed' ? [{ floor, worst }] : []
  })
  if (!others.length) return undefined
  return (
    <section className={classes.rows} aria-label="On other floors">
      <h3>On other floors</h3>
      <ul aria-label="On other floors">
        {others.map(({ floor, worst }) => (
          <li key={floor.floor}>
            <button type="button" onClick={() => onFloor(floor.index)}>
              <ToneIcon tone={worst.tone} size={18} />
              <span className={classes.rowName}>
                <b>{called(floor.name)}</b>
              </span>
              <span className={classes.worst} data-tone={worst.tone}>
                {worst.count.toLocaleString('en-GB')} {worst.word}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
