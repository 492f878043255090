import { useState } from 'react'
import { Button, Loader } from '@mantine/core'
import { IconRefresh } from '../icons/index.ts'
import type { CommandAnswer } from '@caretaker/rules/commands/answers.ts'
import { answerWords } from '@caretaker/rules/commands/answers.ts'
import { StatusIcon } from '../ui/status-icon.tsx'
import { AnswerIcon } from './answer-icon.tsx'
import type { Outcome } from './bulk-run.ts'
import type { SelectedDevice } from './picked.ts'
import classes from './actions.module.css'

export interface DeviceAnswer {
  answer: CommandAnswer
  message: string | null
}

interface DeviceLinesProps {
  devices: readonly SelectedDevice[]
  outcomeOf: (deviceId: string) => Outcome
  /** The status texts of one device: in progress and done. */
  words: { ongoing: string; done: string }
  /** For a command: a device's answer. */
  answerOf?: ((deviceId: string) => DeviceAnswer) | undefined
  onRetry: (deviceId: string) => void
}

/** The height of a row in pixels, and the number of extra rows drawn outside the viewport. */
const lineHeight = 52
const beyond = 8
/** Up to this number, all rows are drawn. */
const few = 60

/** One row per device of a bulk action. Long lists draw only the visible rows. */
export function DeviceLines({ devices, ...rest }: DeviceLinesProps) {
  const [top, setTop] = useState(0)
  const isLong = devices.length > few
  const first = isLong ? Math.max(0, Math.floor(top / lineHeight) - beyond) : 0
  const last = isLong ? first + 2 * beyond + 12 : devices.length
  return (
    <div
      className={classes.lines}
      tabIndex={0}
      role="group"
      aria-label="Devices"
      onScroll={(event) => isLong && setTop(event.currentTarget.scrollTop)}
    >
      <ul style={isLong ? { height: devices.length * lineHeight, paddingBlockStart: first * lineHeight } : {}}>
        {devices.slice(first, last).map((device, index) => (
          <Line key={device.deviceId} device={device} {...rest} position={first + index + 1} count={devices.length} />
        ))}
      </ul>
    </div>
  )
}

interface LineProps extends Omit<DeviceLinesProps, 'devices'> {
  device: SelectedDevice
  position: number
  count: number
}

function Line({ device, outcomeOf, words, answerOf, onRetry, position, count }: LineProps) {
  const { state, message: outcomeMessage } = outcomeOf(device.deviceId)
  const deviceAnswer = state === 'success' ? answerOf?.(device.deviceId) : undefined
  const message = deviceAnswer?.message ?? outcomeMessage
  return (
    <li
      className={classes.line}
      data-state={state}
      data-device={device.deviceId}
      aria-setsize={count}
      aria-posinset={position}
    >
      {state === 'loading' ? (
        <Loader size={16} aria-hidden />
      ) : deviceAnswer ? (
        <AnswerIcon answer={deviceAnswer.answer} />
      ) : (
        <StatusIcon tone={state === 'success' ? 'passed' : 'failed'} />
      )}
      <span className={classes.device}>
        <span className={classes.who}>
          <b>{device.deviceSerial}</b> <span>{device.deviceDisplayName}</span>
        </span>
        {message !== undefined && (
          <span className={classes.message} title={message}>
            {message}
          </span>
        )}
      </span>
      {state === 'error' ? (
        <Button
          className={classes.retry}
          variant="default"
          aria-label={`Retry ${device.deviceSerial}`}
          onClick={() => onRetry(device.deviceId)}
        >
          <IconRefresh size={16} aria-hidden />
          <span className={classes.word}>Retry</span>
        </Button>
      ) : (
        <span className={classes.outcome}>
          {state === 'loading' ? words.ongoing : deviceAnswer ? answerWords[deviceAnswer.answer].one : words.done}
        </span>
      )}
    </li>
  )
}
