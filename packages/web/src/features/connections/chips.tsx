import type { ConnectionState, MessageResult } from '@caretaker/rules/connections/connections.ts'
import {
  IconAlertTriangleFilled,
  IconBan,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconClock,
  IconCopy,
  IconPlayerPauseFilled,
} from '../../icons/index.ts'
import classes from './connections.module.css'

const states = {
  Working: { group: 'passed', Icon: IconCircleCheckFilled },
  Errors: { group: 'warning', Icon: IconAlertTriangleFilled },
  'No messages': { group: 'failed', Icon: IconCircleXFilled },
  Paused: { group: 'none', Icon: IconPlayerPauseFilled },
} as const satisfies Record<ConnectionState, object>

const results = {
  Stored: { group: 'passed', Icon: IconCircleCheckFilled },
  Partial: { group: 'warning', Icon: IconAlertTriangleFilled },
  'Not decoded': { group: 'failed', Icon: IconCircleXFilled },
  Duplicate: { group: 'none', Icon: IconCopy },
  Waiting: { group: 'none', Icon: IconClock },
  Ignored: { group: 'none', Icon: IconBan },
} as const satisfies Record<MessageResult, object>

const trials = {
  Decoded: { group: 'passed', Icon: IconCircleCheckFilled },
  Warning: { group: 'warning', Icon: IconAlertTriangleFilled },
  'Not decoded': { group: 'failed', Icon: IconCircleXFilled },
} as const

const all = { ...states, ...results, ...trials }

/** The state of a connection, or the result of a message: colour, icon and word. */
export function Chip({ word }: { word: keyof typeof all }) {
  const { group, Icon } = all[word]
  return (
    <span className={classes.chip} data-group={group}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  )
}
