import type { KeyboardEvent } from 'react'
import { useRef } from 'react'
import { Button, Select, TextInput } from '@mantine/core'
import type { SensorMessage } from '@caretaker/contract/connections.ts'
import { messageResults } from '@caretaker/rules/connections/connections.ts'
import { IconSearch } from '../../../icons/index.ts'
import { dateSecondText } from '../../../ui/age.ts'
import { Empty, Failed, Loading, LoadingLines } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { Chip } from '../chips.tsx'
import type { MessageSearch } from './message-place.ts'
import { searchLength } from './message-place.ts'
import classes from './messages.module.css'

interface MessageListProps {
  messages: SensorMessage[] | undefined
  isFailed: boolean
  onRetry: () => void
  withRejected: number
  place: MessageSearch
  chosen: string | undefined
  /** Whether each row names its sensor. */
  namesSensors: boolean
  onPlace: (part: MessageSearch & { rejected?: true | undefined; result?: MessageSearch['result'] | undefined }) => void
  /** Loads older messages; undefined if there are none. */
  onOlder: (() => void) | undefined
  isLoadingOlder: boolean
}

/** The messages, newest first, with search and filters. */
export function MessageList(props: MessageListProps) {
  const { messages, isFailed, onRetry, withRejected, place, chosen, namesSensors, onPlace, onOlder } = props
  const zone = useZone()
  const list = useRef<HTMLUListElement>(null)
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const next = buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + step]
    if (!next) return
    event.preventDefault()
    next.focus()
    next.click()
  }
  const isNarrowed = place.rejected || place.result || place.search
  return (
    <div className={classes.list}>
      <div className={classes.filters}>
        <TextInput
          type="search"
          aria-label="Search messages"
          placeholder="Search messages"
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={searchLength}
          value={place.search ?? ''}
          onChange={(event) => onPlace({ search: event.currentTarget.value })}
        />
        <div className={classes.chips} role="group" aria-label="Messages shown">
          <button type="button" aria-pressed={!place.rejected} onClick={() => onPlace({ rejected: undefined })}>
            All
          </button>
          <button
            type="button"
            aria-pressed={place.rejected ?? false}
            onClick={() => onPlace({ rejected: place.rejected ? undefined : true })}
          >
            Rejected values <b data-worry={withRejected > 0 || undefined}>{withRejected.toLocaleString('en-GB')}</b>
          </button>
        </div>
        <Select
          aria-label="Result"
          placeholder="Any result"
          clearable
          clearButtonProps={{ 'aria-label': 'Any result' }}
          data={[...messageResults]}
          value={place.result ?? null}
          onChange={(result) => onPlace({ result: (result ?? undefined) as MessageSearch['result'] })}
        />
      </div>
      {!messages && isFailed && <Failed onRetry={onRetry} />}
      {!messages && !isFailed && (
        <div className={classes.waits}>
          <Loading label="Loading the messages">
            <LoadingLines lines={8} />
          </Loading>
        </div>
      )}
      {messages?.length === 0 && (
        <Empty
          text={isNarrowed ? 'No messages match' : 'No messages kept'}
          hint={isNarrowed ? 'Change the search or the filters.' : 'Messages appear here as they arrive.'}
        />
      )}
      {messages && messages.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys move between the buttons
        <ul ref={list} className={classes.rows} aria-label="Messages" onKeyDown={onKey}>
          {messages.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                aria-current={one.id === chosen ? 'true' : undefined}
                onClick={() => onPlace({ message: one.id })}
              >
                <span>
                  <b className="tabular">{dateSecondText(one.receivedAt, zone)}</b>
                  <Chip word={one.result} />
                </span>
                <span className={classes.dimmed}>{rowText(one, namesSensors)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {onOlder && (
        <Button variant="default" className={classes.older} loading={props.isLoadingOlder} onClick={onOlder}>
          Load older
        </Button>
      )}
    </div>
  )
}

const kinds: Partial<Record<SensorMessage['kind'], string>> = {
  join: 'Join',
  status: 'Status',
  log: 'Log',
  ack: 'Acknowledgement',
  availability: 'Availability',
  'device-list': 'Device list',
}

function rowText({ deviceName, deviceKey, counter, fPort, kind }: SensorMessage, namesSensors: boolean): string {
  return [
    namesSensors && (deviceName || deviceKey),
    kinds[kind],
    counter !== null && `counter ${counter.toLocaleString('en-GB')}`,
    fPort !== null && `port ${fPort}`,
  ]
    .filter(Boolean)
    .join(', ')
    .replace(/^c(?=ounter)/, 'C')
    .replace(/^p(?=ort)/, 'P')
}
