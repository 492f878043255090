import { CloseButton } from '@mantine/core'
import { IconWifiOff } from '../../icons/index.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { AppLink } from '../../ui/link.tsx'
import type { OpenedMapBuilding } from '@caretaker/contract/maps.ts'
import { floorWords, worstOf, type FloorOf } from './floors.ts'
import { ToneIcon } from '../../map/pins.tsx'
import { notPlacedText } from '../../plans/device-look.tsx'
import classes from './maps.module.css'

interface BuildingCardProps {
  actor: Actor
  building: OpenedMapBuilding
  by: MapStatusFilter
  /** The floor on which the building opens. */
  opening: FloorOf | undefined
  onFloor: (index: number) => void
  onClose: () => void
}

/** A tile shows a short floor name; its full name is the accessible name. */
const shortName = (name: string) =>
  /^ground( floor)?$/i.test(name) ? 'G' : name.replace(/^floor (?=\S)| floor$/gi, '')

/** The opened building: its status, and a tile per floor with its worst status. */
export function BuildingCard({ actor, building, by, opening, onFloor, onClose }: BuildingCardProps) {
  const { floors } = building
  const sum = (of: (floor: FloorOf) => number) => floors.reduce((all, floor) => all + of(floor), 0)
  const unplaced = sum(({ notPlaced }) => notPlaced)
  const facts = [
    { sign: <ToneIcon tone="failed" />, word: 'failed', count: sum(({ failed }) => failed) },
    { sign: <ToneIcon tone="warning" />, word: 'warnings', count: sum(({ warning }) => warning) },
    {
      sign: <IconWifiOff size={16} stroke={1.9} aria-hidden className={classes.offline} />,
      word: 'not connected',
      count: sum(({ offline }) => offline),
    },
  ].filter(({ count }) => count > 0)
  return (
    <section className={classes.card} aria-label={building.name}>
      <header>
        <h2>{building.name}</h2>
        <CloseButton aria-label="Close" onClick={onClose} />
      </header>
      {building.address && <p className={classes.sub}>{building.address}</p>}
      <p className={classes.facts}>
        {facts.map(({ sign, word, count }) => (
          <span key={word} className={classes.worst}>
            {sign} {count} {word}
          </span>
        ))}
        <span>{sum(({ devices }) => devices).toLocaleString('en-GB')} devices</span>
        {unplaced > 0 && (
          <span>
            {notPlacedText(
              unplaced,
              sum(({ notPlacedFailed }) => notPlacedFailed),
            )}
          </span>
        )}
      </p>
      <ul className={classes.tiles} aria-label="Floors of this building">
        {floors.map((floor) => (
          <li key={floor.floor}>
            <button type="button" aria-label={floorWords(floor, by)} onClick={() => onFloor(floor.index)}>
              <b>{shortName(floor.name)}</b>
              <ToneIcon tone={worstOf(floor, by)?.tone ?? 'not-installed'} />
            </button>
          </li>
        ))}
      </ul>
      <footer>
        {opening && (
          <button type="button" className={classes.link} onClick={() => onFloor(opening.index)}>
            Open floor plan
          </button>
        )}
        {can(actor, 'be led to buildings') && (
          <AppLink href={pathTo(actor.tenant, 'Buildings', building.building)}>Building</AppLink>
        )}
      </footer>
    </section>
  )
}
