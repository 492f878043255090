import { IconPlug, IconWaveSquare, IconWifi, IconWifiOff } from '../icons/index.ts'
import { connectionStates, connectionWords, type ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { Age } from './age-view.tsx'
import type { Instant } from './age.ts'
import classes from './connection.module.css'

const looks = {
  [connectionStates.online]: { Icon: IconWifi, colour: 'var(--status-passed-solid)', word: 'var(--text-2)' },
  [connectionStates.offline]: { Icon: IconWifiOff, colour: 'var(--status-failed-solid)', word: 'var(--text)' },
  [connectionStates.intermittent]: { Icon: IconWaveSquare, colour: 'var(--status-warning-solid)', word: 'var(--text)' },
  [connectionStates.neverconnected]: {
    Icon: IconPlug,
    colour: 'var(--status-not-installed-solid)',
    word: 'var(--dimmed)',
  },
} as const

interface ConnectionProps {
  /** The connection state as received; an unknown one counts as never connected. */
  state: string
  /** The last contact, shown as an age after the text. */
  heardAt?: Instant | null
}

/** The connection as icon and text, without a tint, so that it does not compete with the status chip. */
export function Connection({ state, heardAt }: ConnectionProps) {
  const known = state in looks ? (state as ConnectionStatus) : connectionStates.neverconnected
  const { Icon, colour, word } = looks[known]
  return (
    <span className={classes.connection}>
      <span className={classes.state}>
        <Icon size={16} stroke={1.9} aria-hidden style={{ color: colour, flex: 'none' }} />
        <span style={{ color: word }}>{connectionWords[known]}</span>
      </span>
      {heardAt != null && (
        <span className={classes.age}>
          <Age at={heardAt} />
        </span>
      )}
    </span>
  )
}
