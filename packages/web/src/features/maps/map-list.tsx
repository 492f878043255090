import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { MapCounts, MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { visibleShares } from '../../ui/shares.ts'
import { idOf, isDevice, nameOf, type Shown } from './shown.ts'
import { lookOf, sharesOf, ToneIcon } from './pins.tsx'
import classes from './maps.module.css'

interface MapListProps {
  title: string
  data: { list: readonly Shown[]; inFrame: number; total: number; counts: MapCounts }
  by: MapStatusFilter
  chosen: string | undefined
  onChoose: (one: Shown) => void
}

/** What the map shows in words, the worst first: the way in for the keyboard and for those who do not see the map. */
export function MapList({ title, data, by, chosen, onChoose }: MapListProps) {
  const { list, inFrame, total, counts } = data
  const shares = sharesOf(counts, by)
  const widths = visibleShares(
    shares.map(({ count }) => count),
    0.03,
  )
  const number = (count: number) => count.toLocaleString('en-GB')
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
      </header>
      {list.length === 0 ? (
        <p className={classes.none}>Nothing is in this part of the map.</p>
      ) : (
        <ul className={classes.rows} aria-label={title}>
          {list.map((one) => (
            <li key={idOf(one)}>
              <button
                type="button"
                aria-current={idOf(one) === chosen ? 'location' : undefined}
                onClick={() => onChoose(one)}
              >
                <Row one={one} by={by} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {inFrame > list.length && list.length > 0 && (
        <p className={classes.none}>The {number(list.length)} worst are listed. Zoom in for the others.</p>
      )}
    </>
  )
}

function Row({ one, by }: { one: Shown; by: MapStatusFilter }) {
  if (isDevice(one)) {
    const group = displayGroup(one.deviceStatus) ?? 'NotInstalled'
    const look = lookOf(by, group, one.connectionStatus)
    const other = lookOf(by === 'device' ? 'connection' : 'device', group, one.connectionStatus)
    return (
      <>
        <ToneIcon tone={look.tone} size={18} />
        <span className={classes.rowName}>
          <b>{nameOf(one)}</b>
          <small>{[look.word, other.word.toLowerCase()].join(', ')}</small>
        </span>
        <span className={classes.rowEnd}>
          <span className={classes.serial}>{one.serialNumber}</span>
          <small>{[one.floor, one.building].filter(Boolean).join(', ')}</small>
        </span>
      </>
    )
  }
  const look = lookOf(by, one.deviceStatus, one.connectionStatus)
  const worst = sharesOf(one.counts, by)[0]
  return (
    <>
      <ToneIcon tone={look.tone} size={18} />
      <span className={classes.rowName}>
        <b>{one.name}</b>
        <small>{look.word}</small>
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
