import { useState } from 'react'
import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { IconClock, IconSearch } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import type { DeviceDebug } from '@caretaker/contract/messages.ts'
import { getDeviceDebug } from '@caretaker/contract/calls/messages.ts'
import { clockText } from '@caretaker/rules/calendar/days.ts'
import { awaitsConfirmation, desiredState, statusAt, withState } from '@caretaker/rules/commands/life.ts'
import { isMetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import { commandsQuery } from '../../api/device-commands.ts'
import { Age, useClock } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { useZone } from '../../ui/zone.tsx'
import { Json } from '../messages/json.tsx'
import { Copy } from '../messages/message-panel.tsx'
import type { StatePair } from './fields.ts'
import { hasText, sideBySide } from './fields.ts'
import classes from './debug.module.css'

const debugQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'debug'],
    meta: { shows: { subjects: ['device', 'device state', 'device commands'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceDebug, { body: { tenant, deviceId } }, { signal }),
  })

/** The stored data of a device: desired and reported state, ids, connection and commands. */
export function Debug({ device: { deviceId } }: { device: Device }) {
  const { tenant } = useActor()
  const { data: debug, isError, refetch } = useQuery(debugQuery(tenant, deviceId))
  const { data: commands = [] } = useQuery(commandsQuery(tenant, deviceId))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!debug)
    return (
      <Loading label="Loading what is stored">
        <LoadingLines lines={8} />
      </Loading>
    )
  return (
    <div className={classes.page}>
      <State debug={debug} commands={commands} />
      <div className={classes.side}>
        <Link debug={debug} />
        <Commands commands={commands} />
      </div>
    </div>
  )
}

/** The desired state: the stored one plus values of pending commands. */
function desiredIn({ desired, reported }: DeviceDebug, commands: readonly Command[]): Record<string, unknown> {
  return commands.toReversed().reduce<Record<string, unknown>>((state, command) => {
    const asked = desiredState(command)
    return asked && awaitsConfirmation(command, reported) ? withState(state, asked) : state
  }, desired)
}

function State({ debug, commands }: { debug: DeviceDebug; commands: readonly Command[] }) {
  const [text, setText] = useState('')
  const [view, setView] = useState('Fields')
  const [onlyDifferences, setOnlyDifferences] = useState(false)
  const desired = desiredIn(debug, commands)
  const rows = sideBySide(desired, debug.reported)
  const differences = rows.filter(({ differs }) => differs).length
  const shown = rows.filter((row) => (!onlyDifferences || row.differs) && hasText(row, text))
  const record = Object.entries(debug.record).map(([key, value]): StatePair => ({
    ...{ key, desired: undefined, reported: value, differs: false },
  }))
  const whole = { desired, reported: debug.reported, record: debug.record }
  return (
    <section className={classes.card} aria-label="State">
      <div className={classes.bar}>
        <TextInput
          type="search"
          aria-label="Key or value"
          placeholder="Key or value"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <SegmentedControl aria-label="Show as" data={['Fields', 'JSON']} value={view} onChange={setView} />
        <Button
          variant={onlyDifferences ? 'light' : 'default'}
          aria-pressed={onlyDifferences}
          onClick={() => setOnlyDifferences(!onlyDifferences)}
        >
          Only differences {differences}
        </Button>
        <span className={classes.end}>
          <Copy text={JSON.stringify(whole, null, 2)} label="Copy all" />
        </span>
      </div>
      {view === 'JSON' ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys
        <pre className={classes.json} tabIndex={0}>
          <Json value={whole} find={text} />
        </pre>
      ) : (
        <div className={classes.scroll}>
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Desired</th>
                <th scope="col">Reported</th>
              </tr>
            </thead>
            <Group
              title="Settings"
              rows={shown.filter((row) => row.desired !== undefined)}
              commands={commands}
              isBeside
            />
            <Group title="State" rows={shown.filter((row) => row.desired === undefined)} commands={commands} isBeside />
            {!onlyDifferences && (
              <Group title="Record" rows={record.filter((row) => hasText(row, text))} commands={commands} />
            )}
          </table>
        </div>
      )}
    </section>
  )
}

interface GroupProps {
  title: string
  rows: readonly StatePair[]
  commands: readonly Command[]
  /** Whether the group's values can have a desired state. */
  isBeside?: boolean
}

function Group({ title, rows, commands, isBeside }: GroupProps) {
  if (!rows.length) return undefined
  return (
    <tbody>
      <tr>
        <th colSpan={3} scope="colgroup" className={classes.title}>
          {title}
        </th>
      </tr>
      {rows.map(({ key, desired, reported, differs }) => (
        <tr key={key} data-differs={differs || undefined}>
          <th scope="row">{key}</th>
          <td>{desired === undefined ? isBeside && '–' : JSON.stringify(desired)}</td>
          <td>
            <span>{reported === undefined ? '–' : JSON.stringify(reported)}</span> <Instant value={reported} />
            {differs && <Waiting name={key} commands={commands} />}
          </td>
        </tr>
      ))}
    </tbody>
  )
}

/** Shows the time beside a value that looks like a timestamp. */
function Instant({ value }: { value: unknown }) {
  const zone = useZone()
  const at = typeof value === 'number' && value > 946_684_800_000 && value < 4_102_444_800_000 ? value : Number.NaN
  return Number.isNaN(at) ? undefined : <small>{clockText(at, zone)}</small>
}

/** The progress of the command that requested a value. */
function Waiting({ name, commands }: { name: string; commands: readonly Command[] }) {
  const now = useClock()
  const command = commands.find((one) => {
    const asked = desiredState(one)
    return asked && sideBySide(asked, {}).some(({ key }) => key === name)
  })
  if (!command) return undefined
  const status = statusAt(command, now)
  return (
    <small className={classes.waiting}>
      <IconClock size={14} aria-hidden />
      {status === 'sent' ? (
        <>
          Sent <Age at={command.sentAt ?? command.createdAt} />, waiting
        </>
      ) : (
        statusWords[status]
      )}
    </small>
  )
}

const statusWords: Record<Command['status'], string> = {
  queued: 'Queued',
  sent: 'Sent',
  confirmed: 'Confirmed',
  failed: 'Failed',
  expired: 'Expired',
  withdrawn: 'Taken back',
}

function Link({ debug: { link, reported, refused } }: { debug: DeviceDebug }) {
  const zone = useZone()
  const signal = reported['gsmSignal']
  const all = refused.reduce((sum, { count }) => sum + count, 0)
  const facts: [label: string, value: React.ReactNode, needsAttention?: boolean][] = [
    ['Session', link.hasOwnKey ? (link.connected ? 'Open' : 'None') : 'Through its parent'],
    ['Last contact', link.heardAt ? <Age key="age" at={link.heardAt} /> : 'Never'],
    ['Reports every', `${link.reportingInterval.toLocaleString('en-GB')} s`],
    ...(typeof signal === 'number' && isMetricKey('gsmSignal')
      ? [['Signal', `${signal} dBm`] as [string, React.ReactNode]]
      : []),
    [
      'Drops in 24 h',
      link.drops.length ? `${link.drops.length}, last ${clockText(Date.parse(link.drops[0]!), zone)}` : '0',
    ],
    ['Messages today', link.messagesToday.toLocaleString('en-GB')],
    ['Rejected in 24 h', all.toLocaleString('en-GB'), all > 0],
  ]
  return (
    <Card title="Link">
      <dl className={classes.facts}>
        {facts.map(([label, value, needsAttention]) => (
          <div key={label} data-worry={needsAttention || undefined}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {refused.map(({ reason, count }) => (
          <div key={reason} data-worry className={classes.part}>
            <dt>{reason}</dt>
            <dd>{count.toLocaleString('en-GB')}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function Commands({ commands }: { commands: readonly Command[] }) {
  const zone = useZone()
  const now = useClock()
  return (
    <Card title="Commands">
      {commands.length === 0 && <p className={classes.quiet}>No commands sent.</p>}
      <ol className={classes.commands}>
        {commands.slice(0, 20).map((command) => {
          const status = statusAt(command, now)
          const args = Object.values(command.args).map(String).join(' ')
          return (
            <li key={command.commandId}>
              <code>
                <b>
                  {command.name} {args}
                </b>
              </code>
              <span data-status={status}>
                {statusWords[status]}
                {status === 'confirmed' && command.answeredAt && ` in ${secondsOf(command)} s`}
              </span>
              <code>{command.commandId}</code>
              <span>{clockText(Date.parse(command.createdAt), zone)}</span>
              <Copy text={JSON.stringify(command, null, 2)} label={`Copy ${command.name}`} />
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

const secondsOf = ({ createdAt, answeredAt }: Command) =>
  ((Date.parse(answeredAt!) - Date.parse(createdAt)) / 1000).toFixed(1)
