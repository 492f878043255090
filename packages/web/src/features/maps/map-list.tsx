import type { ReactNode } from 'react'
import { Button, CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '../../icons/index.ts'
import type { MapBuilding } from '@caretaker/contract/maps.ts'
import type { MapCounts, MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { visibleShares } from '../../ui/shares.ts'
import { idOf, isDevice, lookAlone, nameOf, type Shown } from './shown.ts'
import { sharesOf, ToneIcon } from '../../map/pins.tsx'
import classes from './maps.module.css'

interface MapListProps {
  title: string
  data: { list: readonly Shown[]; inFrame: number; total: number; counts: MapCounts }
  by: MapStatusFilter
  chosen: string | undefined
  onChoose: (one: Shown) => void
  /** The search text while typing. */
  find: string
  onFind: (find: string) => void
  /** The placeholder of the search, for example 'Find a building or postcode'. */
  finds: string
  /** The list shows search results from everywhere instead of the visible map. */
  found: boolean
  /** Rows are grouped by building and floor; 'known' if all have the same one, which is shown above. */
  places: 'above' | 'known' | 'beside'
  /** Requests more rows; undefined at the limit. */
  onMore: (() => void) | undefined
  isFetching: boolean
  /** The number of requested rows. */
  most: number
  /** Content below the rows. */
  children?: ReactNode
}

/** Rows of one floor grouped by severity, in list order. */
function gravitiesOf(list: readonly Shown[], by: MapStatusFilter): { place: string; rows: Shown[] }[] {
  const of = (one: Shown) => {
    const { tone } = lookAlone(one, by)
    if (tone === 'failed' || tone === 'failed-device') return by === 'device' ? 'Failed' : 'Not connected'
    if (tone === 'warning') return by === 'device' ? 'Warnings' : 'Intermittent'
    return 'Others'
  }
  return [...Map.groupBy(list, of)].map(([gravity, rows]) => ({ place: `${gravity} on this floor`, rows }))
}

/** Rows grouped by building and floor, in list order: the place with the worst device comes first. */
function placesOf(list: readonly Shown[]): { place: string; rows: Shown[] }[] {
  const of = (one: Shown) => (isDevice(one) ? [one.building, one.floor].filter(Boolean).join(', ') : '')
  return [...Map.groupBy(list, of)].map(([place, rows]) => ({ place: place || 'No building', rows }))
}

/** The content of the map as a list, worst first: for keyboard users and screen readers. */
export function MapList({
  title,
  data,
  by,
  chosen,
  onChoose,
  find,
  onFind,
  finds,
  found,
  places,
  onMore,
  isFetching,
  most,
  children,
}: MapListProps) {
  const { list, inFrame, total, counts } = data
  const shares = sharesOf(counts, by)
  const widths = visibleShares(
    shares.map(({ count }) => count),
    0.03,
  )
  const number = (count: number) => count.toLocaleString('en-GB')
  const row = (one: Shown) => (
    <li key={idOf(one)}>
      <button type="button" aria-current={idOf(one) === chosen ? 'location' : undefined} onClick={() => onChoose(one)}>
        <Row one={one} by={by} placed={places === 'beside'} />
      </button>
    </li>
  )
  const isMore = found ? list.length >= most : inFrame > list.length && list.length > 0
  const none = found ? 'No matches on the map.' : 'Nothing in this part of the map.'
  return (
    <>
      <header className={classes.sideHead}>
        <h2>{title}</h2>
        <span>
          {number(inFrame)} of {number(total)}
        </span>
        <div className={classes.shares} aria-hidden>
          {shares.map(({ id, tone }, index) => (
            <span key={id} data-tone={tone} style={{ flexGrow: widths[index] }} />
          ))}
        </div>
        <p className={classes.facts}>
          {shares.map(({ id, tone, word, count }) => (
            <span key={id} data-tone={tone} className={classes.worst}>
              <ToneIcon tone={tone} /> {number(count)} {word.toLowerCase()}
            </span>
          ))}
        </p>
        <TextInput
          className={classes.find}
          type="search"
          size="sm"
          aria-label={finds}
          placeholder={finds}
          maxLength={100}
          value={find}
          onChange={(event) => onFind(event.currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={find && <CloseButton size="sm" aria-label="Clear" onClick={() => onFind('')} />}
        />
      </header>
      {list.length === 0 ? (
        <p className={classes.none}>{none}</p>
      ) : (
        <ul className={classes.rows} aria-label={title}>
          {places !== 'beside'
            ? (places === 'above' ? placesOf(list) : gravitiesOf(list, by)).map(({ place, rows }) => (
                <li key={place}>
                  <h3>{place}</h3>
                  <ul aria-label={place}>{rows.map(row)}</ul>
                </li>
              ))
            : list.map(row)}
        </ul>
      )}
      {isMore && (
        <p className={classes.none}>
          The {number(list.length)} worst are listed.{' '}
          {onMore ? (
            <Button size="compact-sm" variant="subtle" loading={isFetching} onClick={onMore}>
              Show more
            </Button>
          ) : found ? (
            'Type more to narrow the results.'
          ) : (
            'Zoom in to see the others.'
          )}
        </p>
      )}
      {children}
    </>
  )
}

/** The worst status of a building and its count; all failures are one number, as in the list of buildings. */
function worstShare({ counts }: MapBuilding, by: MapStatusFilter) {
  const failed = counts.device.Failed + counts.device.FailedDevice
  if (by === 'device' && failed > 0) return { tone: 'failed' as const, word: 'Failed', count: failed }
  return sharesOf(counts, by)[0]
}

/** A row of the list; `placed` if no heading above states its place. */
export function Row({ one, by, placed = true }: { one: Shown; by: MapStatusFilter; placed?: boolean }) {
  if (isDevice(one)) {
    const look = lookAlone(one, by)
    const other = lookAlone(one, by === 'device' ? 'connection' : 'device')
    const words = [look, other].map(({ word }, at) => (at === 0 ? word : word.toLowerCase()))
    // The reason for the status follows it.
    words.splice(by === 'device' ? 1 : 2, 0, ...(one.deviceStatusReason ? [one.deviceStatusReason] : []))
    return (
      <>
        <ToneIcon tone={look.tone} size={18} />
        <span className={classes.rowName}>
          <b>{nameOf(one)}</b>
          <small>{words.join(', ')}</small>
        </span>
        <span className={classes.rowEnd}>
          <span className={classes.serial}>{one.serialNumber}</span>
          {placed && <small>{[one.floor, one.building].filter(Boolean).join(', ')}</small>}
        </span>
      </>
    )
  }
  const look = lookAlone(one, by)
  const worst = worstShare(one, by)
  return (
    <>
      <ToneIcon tone={look.tone} size={18} />
      <span className={classes.rowName}>
        <b>{one.name}</b>
        <small>{[(!worst || worst.tone === 'passed') && look.word, one.address].filter(Boolean).join(', ')}</small>
      </span>
      <span className={classes.rowEnd}>
        {worst && worst.tone !== 'passed' && (
          <span className={classes.worst} data-tone={worst.tone}>
            {worst.count.toLocaleString('en-GB')} {worst.word.toLowerCase()}
          </span>
        )}
        <small>{one.devices.toLocaleString('en-GB')} devices</small>
      </span>
    </>
  )
}
