import { IconAlertTriangleFilled, IconBuilding } from '../icons/index.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionWords } from '@caretaker/rules/devices/connection.ts'
import type { DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { displayGroupWords } from '@caretaker/rules/devices/status.ts'
import type { MapCounts, MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { worstConnectionFirst, worstGroupFirst } from '@caretaker/rules/maps/status.ts'
import { visibleShares } from '../ui/shares.ts'
import { toneOfGroup } from '../ui/status-icon.tsx'
import type { StatusTone } from '../ui/tokens.ts'
import classes from './pins.module.css'

/** The colour and text of a state on the map. */
export interface Look {
  tone: StatusTone
  word: string
}

const toneOfState: Record<ConnectionStatus, StatusTone> = {
  Connected: 'passed',
  NotConnected: 'failed',
  intermittent: 'warning',
  neverconnected: 'not-installed',
}

const unknown: Look = { tone: 'not-installed', word: 'No devices' }

const lookOfGroup = (group: DisplayGroup): Look => ({ tone: toneOfGroup[group], word: displayGroupWords[group] })
const lookOfState = (state: ConnectionStatus): Look => ({ tone: toneOfState[state], word: connectionWords[state] })

/** The look by device status or connection, depending on the map's setting. */
export function lookOf(by: MapStatusFilter, group: DisplayGroup | null, state: ConnectionStatus | null): Look {
  if (by === 'device') return group ? lookOfGroup(group) : unknown
  return state ? lookOfState(state) : unknown
}

export interface Share extends Look {
  id: string
  count: number
}

/** The count of each look, worst first, without zeros. */
export function sharesOf(counts: MapCounts, by: MapStatusFilter): Share[] {
  const all =
    by === 'device'
      ? worstGroupFirst.map((group) => ({ id: group, count: counts.device[group], ...lookOfGroup(group) }))
      : worstConnectionFirst.map((state) => ({ id: state, count: counts.connection[state], ...lookOfState(state) }))
  return all.filter(({ count }) => count > 0)
}

interface PinProps {
  look: Look
  size: number
  selected: boolean
}

/** A building is a square. */
export const BuildingPin = ({ look, size, selected }: PinProps) => (
  <span
    className={classes.square}
    data-tone={look.tone}
    data-selected={selected || undefined}
    style={{ width: size, height: size }}
    aria-hidden
  >
    <IconBuilding size={size * 0.62} stroke={1.8} aria-hidden />
  </span>
)

/** A device is a disc with a mark, upright whatever the rotation of its plan; one without connection has a slash. */
export const DevicePin = ({ look, size, selected, unreached }: PinProps & { unreached: boolean }) => (
  <span
    className={classes.disc}
    data-tone={look.tone}
    data-mark
    data-selected={selected || undefined}
    style={{ width: size, height: size }}
    aria-hidden
  >
    {unreached && <span className={classes.slash} />}
  </span>
)

/** A stack of overlapping items with their count; square or round like its items. */
export const StackPin = ({
  look,
  size,
  count,
  square,
}: Omit<PinProps, 'selected'> & { count: number; square: boolean }) => (
  <span
    className={`${square ? classes.square : classes.disc} ${classes.stack}`}
    data-tone={look.tone}
    style={{ width: size, height: size }}
    aria-hidden
  >
    {count.toLocaleString('en-GB')}
  </span>
)

export const clusterSize = (count: number) => Math.min(64, 40 + 5 * Math.log10(count))

/** A cluster is a ring of shares, healthy ones thin and the worst thick, with the worst and its count at the edge. */
export function ClusterRing({
  counts,
  by,
  count,
  size,
}: {
  counts: MapCounts
  by: MapStatusFilter
  count: number
  size: number
}) {
  const shares = sharesOf(counts, by)
  const radius = size / 2 - 4
  const around = 2 * Math.PI * radius
  const parts = visibleShares(
    shares.map((share) => share.count),
    0.06,
  )
  const worst = shares[0]
  return (
    <span className={classes.cluster} style={{ width: size, height: size }} aria-hidden>
      <svg viewBox={`0 0 ${size} ${size}`} aria-hidden>
        <circle cx={size / 2} cy={size / 2} r={size / 2 - 1} fill="var(--surface)" />
        {shares.map(({ id, tone }, index) => (
          <circle
            key={id}
            cx={size / 2}
            cy={size / 2}
            r={radius}
            fill="none"
            stroke={`var(--status-${tone}-solid)`}
            strokeWidth={tone === 'passed' || tone === 'not-installed' ? 3 : 6}
            strokeDasharray={`${parts[index]! * around} ${around}`}
            strokeDashoffset={-parts.slice(0, index).reduce((sum, part) => sum + part, 0) * around}
            transform={`rotate(-90 ${size / 2} ${size / 2})`}
          />
        ))}
      </svg>
      <span className={classes.number}>{count.toLocaleString('en-GB')}</span>
      {worst && worst.tone !== 'passed' && (
        <span className={classes.badge} data-tone={worst.tone} data-count={worst.count.toLocaleString('en-GB')}>
          <ToneIcon tone={worst.tone} />
        </span>
      )}
    </span>
  )
}

/** The icon of a status in its colour, beside a text. */
export const ToneIcon = ({ tone, size = 16 }: { tone: StatusTone; size?: number }) =>
  tone === 'warning' ? (
    <IconAlertTriangleFilled size={size} aria-hidden className={classes.toneIcon} data-tone={tone} />
  ) : (
    <span className={classes.toneDisc} data-tone={tone} data-mark style={{ width: size, height: size }} aria-hidden />
  )

/** The mark of a device without connection, whatever its status. */
export const UnreachedIcon = () => (
  <span className={classes.unreached} aria-hidden>
    <span className={classes.slash} />
  </span>
)
