import type { KeyboardEvent } from 'react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { ActionIcon, Button, Switch, TextInput, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronUp,
  IconDownload,
  IconSearch,
} from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { endOfDay, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { saveFile } from '../../api/save-file.ts'
import { useToday } from '../../ui/age-view.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { useZone } from '../../ui/zone.tsx'
import { byQuarter, counts, hitsIn, nextHit, passes } from './found.ts'
import { Marked } from './marked.tsx'
import { DayStep } from './day-step.tsx'
import { MessagePanel } from './message-panel.tsx'
import type { MessageFilter, MessagesSearch } from './messages-place.ts'
import { validMessagesSearch } from './messages-place.ts'
import { useMessages } from './use-messages.ts'
import type { WindowHandle } from './window-list.tsx'
import { WindowList } from './window-list.tsx'
import classes from './messages.module.css'

/** The messages from and to a device on a day, raw and in words, for developers. */
export function Messages({ device }: { device: Device }) {
  const { deviceId } = device
  const today = useToday()
  const place = validMessagesSearch(useSearch({ strict: false }), today)
  const navigate = useNavigate()
  const go = (change: MessagesSearch, replace = true) =>
    void navigate({
      to: '.',
      search: (now) => {
        const { date: _date, topic: _topic, find: _find, message: _message, ...others } = now as Record<string, unknown>
        return { ...others, ...validMessagesSearch({ ...place, ...change }, today) } as never
      },
      replace,
      resetScroll: false,
    })
  const { date = today, topic, find = '' } = place
  const [follows, setFollows] = useState(true)
  const isFollowed = follows && date === today
  const { messages: all, isError, retry, isLoadingMore, loadMore, reload } = useMessages(deviceId, date, isFollowed)
  const shown = useMemo(() => (all ?? []).filter((one) => passes(one, topic)), [all, topic])
  const wanted = useDeferredValue(find)
  const hits = useMemo(() => hitsIn(shown, wanted), [shown, wanted])
  const chosen = shown.findIndex(({ messageId }) => messageId === place.message)
  const list = useRef<WindowHandle>(null)
  const newest = all?.[0]?.messageId
  useEffect(() => {
    if (isFollowed && newest !== undefined) list.current?.show(0)
  }, [isFollowed, newest])

  const choose = (at: number | undefined) => {
    if (at === undefined || !shown[at]) return
    setFollows(false)
    go({ message: shown[at].messageId })
    list.current?.show(at)
  }
  const jump = (forward: boolean) => choose(nextHit(hits, chosen, forward))
  const onKey = (event: KeyboardEvent) => {
    const step = ['ArrowDown', 'j'].includes(event.key) ? 1 : ['ArrowUp', 'k'].includes(event.key) ? -1 : 0
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    choose(Math.min(shown.length - 1, Math.max(0, chosen + step)))
  }
  const message = shown[chosen]
  return (
    <div className={classes.card}>
      <div className={classes.bar}>
        <DayStep day={date} today={today} onChange={(day) => go({ date: day, message: '' }, false)} />
        <TextInput
          type="search"
          className={classes.find}
          leftSection={<IconSearch size={16} aria-hidden />}
          aria-label="Find in messages"
          placeholder="Find in messages"
          value={find}
          maxLength={200}
          onChange={(event) => go({ find: event.currentTarget.value })}
          onKeyDown={(event) => event.key === 'Enter' && jump(!event.shiftKey)}
        />
        {find.trim() && (
          <span className={classes.hits}>
            <span role="status">
              {hits.length === 0
                ? 'Nothing found'
                : `${hits.includes(chosen) ? `${hits.indexOf(chosen) + 1} of ` : ''}${hits.length.toLocaleString('en-GB')} found`}
            </span>
            <ActionIcon variant="default" size="lg" aria-label="Previous hit" onClick={() => jump(false)}>
              <IconChevronUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="default" size="lg" aria-label="Next hit" onClick={() => jump(true)}>
              <IconChevronDown size={16} aria-hidden />
            </ActionIcon>
          </span>
        )}
        <span className={classes.end}>
          {date === today && (
            <Switch label="Follow" checked={follows} onChange={(event) => setFollows(event.currentTarget.checked)} />
          )}
          <Tooltip label="Download">
            <ActionIcon
              variant="default"
              size="lg"
              aria-label="Download"
              disabled={!shown.length}
              onClick={() => download(device, date, shown)}
            >
              <IconDownload size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </span>
      </div>
      {all && all.length > 0 && (
        <>
          <Chips all={all} topic={topic} onChange={(next) => go({ topic: next as MessageFilter, message: '' })} />
          <Hours messages={all} date={date} />
        </>
      )}
      {reload && (
        <p className={classes.gap} role="alert">
          <IconAlertTriangle size={16} aria-hidden />
          Too many messages arrived to show them all.
          <Button variant="default" size="xs" onClick={reload}>
            Load again
          </Button>
        </p>
      )}
      {isError ? (
        <Failed onRetry={retry} />
      ) : !all ? (
        <Loading label="Loading the messages">
          <LoadingLines lines={8} />
        </Loading>
      ) : shown.length === 0 ? (
        <Empty text="No Messages" />
      ) : (
        <div className={classes.split} data-open={message ? true : undefined}>
          <div className={classes.main}>
            <div className={classes.columns} aria-hidden>
              <span>Time</span>
              <span />
              <span>Source</span>
              <span>Message</span>
              <span>Parsed message</span>
            </div>
            <Rows
              list={list}
              messages={shown}
              chosen={chosen}
              find={wanted}
              onChoose={choose}
              onKey={onKey}
              onLeave={() => setFollows(false)}
            />
          </div>
          {message && <MessagePanel deviceId={deviceId} message={message} find={wanted} />}
        </div>
      )}
      <footer className={classes.foot}>
        {isLoadingMore && <span role="status">Loading older messages…</span>}
        {loadMore && (
          <Button variant="default" size="xs" onClick={loadMore}>
            Load older
          </Button>
        )}
        <span>
          Readings are rebuilt from stored data, one message per time of measurement. Other messages are kept unchanged
          for seven days, rejected messages for one day.
        </span>
      </footer>
    </div>
  )
}

function download({ serialNumber }: Device, date: Day, messages: readonly DeviceMessage[]): void {
  const lines = messages.map((one) => JSON.stringify(one)).join('\n')
  saveFile(new File([`${lines}\n`], `messages-${serialNumber}-${date}.jsonl`, { type: 'application/x-ndjson' }))
}

interface ChipsProps {
  all: readonly DeviceMessage[]
  topic: MessageFilter | undefined
  onChange: (topic: MessageFilter | '') => void
}

/** The number of messages per topic; a click filters the list. */
function Chips({ all, topic, onChange }: ChipsProps) {
  const found = useMemo(() => counts(all), [all])
  const chips = [{ filter: undefined, count: all.length }, ...found]
  return (
    <div className={classes.chips} role="group" aria-label="Topics">
      {chips.map(({ filter, count }) => (
        <button
          key={filter ?? ''}
          type="button"
          aria-pressed={topic === filter}
          data-worry={filter === 'refused' || filter === 'not understood' || undefined}
          onClick={() => onChange(topic === filter ? '' : (filter ?? ''))}
        >
          {(filter === 'refused' || filter === 'not understood') && <IconAlertTriangle size={14} aria-hidden />}
          {filter ?? 'All'} <b>{count.toLocaleString('en-GB')}</b>
        </button>
      ))}
    </div>
  )
}

/** The distribution of messages over the day, by quarter of an hour; the list has the same data. */
function Hours({ messages, date }: { messages: readonly DeviceMessage[]; date: Day }) {
  const zone = useZone()
  const [from, to] = [startOfDay(date, zone), endOfDay(date, zone)]
  const numbers = useMemo(() => byQuarter(messages, from, to), [messages, from, to])
  const needsAttention = useMemo(
    () =>
      byQuarter(
        messages.filter((one) => one.refused),
        from,
        to,
      ),
    [messages, from, to],
  )
  const most = Math.max(1, ...numbers)
  return (
    <div className={classes.hours} aria-hidden>
      <div>
        {numbers.map((number, at) => (
          <i
            // oxlint-disable-next-line react/no-array-index-key -- quarters of an hour have fixed positions
            key={at}
            data-worry={needsAttention[at]! > 0 || undefined}
            style={{ height: `${number === 0 ? 3 : 12 + (88 * number) / most}%` }}
          />
        ))}
      </div>
      <p>
        {['00:00', '06:00', '12:00', '18:00', '24:00'].map((time) => (
          <span key={time}>{time}</span>
        ))}
      </p>
    </div>
  )
}

interface RowsProps {
  list: React.Ref<WindowHandle>
  messages: readonly DeviceMessage[]
  chosen: number
  find: string
  onChoose: (at: number) => void
  onKey: (event: KeyboardEvent) => void
  onLeave: () => void
}

function Rows({ list, messages, chosen, find, onChoose, onKey, onLeave }: RowsProps) {
  const zone = useZone()
  // On touch screens a row is as high as a button.
  const isTouched = useMediaQuery('(max-width: 48em)')
  const clock = useMemo(
    () =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        fractionalSecondDigits: 3,
        hourCycle: 'h23',
      }),
    [zone],
  )
  return (
    <WindowList
      ref={list}
      label="Messages"
      count={messages.length}
      height={isTouched ? 44 : 26}
      chosen={chosen}
      idOf={(at) => messages[at]!.messageId}
      onChoose={onChoose}
      onKey={onKey}
      onLeave={onLeave}
      renderRow={(at) => {
        const { time, channel, source, message, parsedMessage, refused, notUnderstood } = messages[at]!
        return (
          <span className={classes.cells} data-worry={refused !== null || notUnderstood > 0 || undefined}>
            <time dateTime={time}>{clock.format(Date.parse(time))}</time>
            {channel === 'commands' ? (
              <IconArrowDown size={14} aria-label="to the device" />
            ) : (
              <IconArrowUp size={14} aria-label="from the device" />
            )}
            <b>
              <Marked text={channel ?? source} find={find} />
            </b>
            <code>
              <Marked text={message.slice(0, 300)} find={find} />
            </code>
            <span>
              <Marked text={parsedMessage.slice(0, 300)} find={find} />
            </span>
          </span>
        )
      }}
    />
  )
}
