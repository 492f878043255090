import { useInfiniteQuery } from '@tanstack/react-query'
import type { Connection, SensorMessage } from '@caretaker/contract/connections.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { dateSecondText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useZone } from '../../ui/zone.tsx'
import { messagesPath } from './addresses.ts'
import { Chip } from './chips.tsx'
import { connectionMessagesQuery } from './queries.ts'
import { stateText } from './state-text.ts'
import { countText } from './words.ts'
import classes from './connections.module.css'

/** Messages in the card; all of them are on their own page. */
const shownMessages = 6

/** The errors and the last messages of the selected connection. */
export function ConnectionCards({ connection }: { connection: Connection }) {
  const zone = useZone()
  const state = stateText(connection, zone)
  return (
    <div className={classes.cards}>
      <Card title="Errors by reason" aside={<span className={classes.dimmed}>{connection.name}, 24 h</span>}>
        {connection.state !== 'Errors' && state && (
          <p className={classes.standing}>
            <Chip word={connection.state} /> {state}
          </p>
        )}
        {connection.broker?.error && <p className={classes.standing}>The broker: {connection.broker.error}</p>}
        <Errors connection={connection} />
      </Card>
      <LastMessages connection={connection} />
    </div>
  )
}

function Errors({ connection: { errors, errorsByReason, keyEnding } }: { connection: Connection }) {
  const zone = useZone()
  return (
    <>
      {errorsByReason.length === 0 && <p className={classes.dimmed}>No errors in the last 24 h.</p>}
      {errorsByReason.length > 0 && (
        <ul className={classes.reasons}>
          {errorsByReason.map(({ reason, text, count, last, detail }) => (
            <li key={reason}>
              <p>
                <b>{text}</b>
                <b>{count.toLocaleString('en-GB')}</b>
              </p>
              <span className={classes.track} aria-hidden>
                <i style={{ width: `${(100 * count) / Math.max(1, errors)}%` }} />
              </span>
              <p className={classes.dimmed}>
                {detail && `${detail.replace(/\.?$/, '.')} `}Last at {dateSecondText(last, zone)}.
              </p>
            </li>
          ))}
        </ul>
      )}
      {keyEnding && <p className={classes.dimmed}>The key ends in {keyEnding}.</p>}
    </>
  )
}

function LastMessages({ connection: { id, name } }: { connection: Connection }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data, isError, refetch } = useInfiniteQuery(connectionMessagesQuery(tenant, id, {}))
  const rows = data?.pages[0]?.results.slice(0, shownMessages)
  return (
    <Card
      title="Last messages"
      aside={<span className={classes.dimmed}>{name}</span>}
      actions={
        <AppLink className={classes.link} href={messagesPath(tenant, id)}>
          All messages
        </AppLink>
      }
    >
      {!rows && (isError ? <Failed onRetry={() => void refetch()} /> : <Loading />)}
      {rows?.length === 0 && <Empty text="No messages kept" hint="Messages appear here as they arrive." />}
      {rows && rows.length > 0 && (
        <ul className={classes.last}>
          {rows.map((message) => (
            <li key={message.id}>
              <time dateTime={message.receivedAt} className="tabular">
                {dateSecondText(message.receivedAt, zone)}
              </time>
              <span className={classes.cut}>
                <Sensor message={message} />
              </span>
              <Chip word={message.result} />
              <span className={classes.dimmed}>{outcomeText(message)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** The sensor of a message, with a link to its page once it has a property. */
function Sensor({ message: { deviceId, deviceName, deviceKey } }: { message: SensorMessage }) {
  const actor = useActor()
  if (deviceId === null || !can(actor, 'see third party')) return deviceName || deviceKey
  return (
    <AppLink className={classes.link} href={pathTo(actor.tenant, 'ThirdParty', deviceId, 'sensorMessages')}>
      {deviceName || deviceKey}
    </AppLink>
  )
}

/** The results for a message's values, in a few words. */
export function outcomeText({ result, reason, readings, rejected }: SensorMessage): string {
  if (result === 'Stored') return countText(readings.length, 'value')
  if (result === 'Partial')
    return `${readings.length} of ${countText(readings.length + rejected.length, 'value')} stored`
  return reason ?? ''
}
