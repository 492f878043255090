import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, CopyButton, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { SensorMessage } from '@caretaker/contract/connections.ts'
import { zoneName } from '@caretaker/rules/calendar/days.ts'
import { Json, jsonOf } from '../../../device-page/messages/json.tsx'
import { IconArrowLeft, IconCheck, IconCircleCheckFilled, IconCircleXFilled, IconCopy } from '../../../icons/index.ts'
import { dateSecondText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { InfoMessage } from '../../../ui/info-message.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { numberText, valueText } from '../words.ts'
import { outcomeOf, piecesOf, summaryOf } from './parts.ts'
import classes from './messages.module.css'

interface MessageDetailProps {
  message: SensorMessage
  /** The link to the mapping of the message's model; undefined if the user may not see it. */
  mappingHref: string | undefined
  /** Returns to the list, where there is room for only one of the two. */
  onBack: (() => void) | undefined
}

const views = ['Readings', 'Decoded object', 'Raw bytes'] as const

/** One message: raw bytes, decoded object and stored readings side by side. */
export function MessageDetail({ message, mappingHref, onBack }: MessageDetailProps) {
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const [view, setView] = useState<string>(views[0])
  const marks = useMarks()
  const parts: Record<string, ReactNode> = {
    'Raw bytes': <RawBytes message={message} marks={marks} />,
    'Decoded object': <DecodedObject message={message} marks={marks} />,
    Readings: <Readings message={message} marks={marks} mappingHref={mappingHref} />,
  }
  return (
    <section className={classes.detail} aria-label="Message">
      {onBack && (
        <Button variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />} onClick={onBack}>
          All messages
        </Button>
      )}
      <Head message={message} />
      <Standing message={message} />
      {isPhone ? (
        <>
          <SegmentedControl
            aria-label="Part of the message"
            fullWidth
            data={[...views]}
            value={view}
            onChange={setView}
          />
          {parts[view]}
        </>
      ) : (
        <div className={classes.columns}>
          {parts['Raw bytes']}
          {parts['Decoded object']}
          {parts['Readings']}
        </div>
      )}
    </section>
  )
}

function Head({ message }: { message: SensorMessage }) {
  const zone = useZone()
  const { counter, receivedAt, measuredAt, decoder, radio, payload } = message
  const signal = [
    radio.rssi !== null && `${numberText(radio.rssi).replace('-', '−')} dBm`,
    radio.snr !== null && `SNR ${numberText(radio.snr).replace('-', '−')} dB`,
    radio.linkQuality !== null && `Link quality ${radio.linkQuality}`,
  ].filter(Boolean)
  return (
    <header className={classes.head}>
      <h2>{counter === null ? 'Message' : `Message ${counter.toLocaleString('en-GB')}`}</h2>
      <time dateTime={receivedAt} className="tabular">
        {dateSecondText(receivedAt, zone)} {zoneName(Date.parse(receivedAt), zone)}
      </time>
      {measuredAt && measuredAt !== receivedAt && <span>Measured {dateSecondText(measuredAt, zone)}</span>}
      {decoder && <span>Decoder: {decoder}</span>}
      {signal.length > 0 && <span>{signal.join(', ')}</span>}
      <CopyButton value={payload}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            className={classes.copy}
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy message'}
          </Button>
        )}
      </CopyButton>
    </header>
  )
}

const results: Partial<Record<SensorMessage['result'], string>> = {
  Duplicate: 'This message arrived before. Nothing was stored again.',
  Waiting: 'The sensor has no property yet. Its values are stored when it is added to one.',
  Ignored: 'The sensor is ignored. Nothing was stored.',
  'Not decoded': 'The payload was not decoded. It can be decoded again after a codec is added.',
}

/** The result of the message, unless all of it was stored. */
function Standing({ message }: { message: SensorMessage }) {
  const { result, reason, rejected, warnings } = message
  if (result === 'Stored' && warnings.length === 0) return undefined
  const isPartial = result === 'Partial'
  return (
    <InfoMessage type="warning">
      <p>
        <b>{isPartial ? summaryOf(message) : result === 'Stored' ? 'Warning' : result}</b>
      </p>
      {isPartial && rejected.length > 0
        ? rejected.map(({ path, label, value, reason: why }) => (
            <p key={path}>
              {label}: {valueText({ value })}. {why}.
            </p>
          ))
        : result !== 'Stored' && <p>{reason ?? results[result]}</p>}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </InfoMessage>
  )
}

/** The marked values: under the pointer or focused, otherwise the pressed ones. */
interface Marks {
  has: (paths: readonly string[]) => boolean
  /** Handlers of an element that represents these values. */
  of: (paths: readonly string[]) => object
}

function useMarks(): Marks {
  const [pointed, setPointed] = useState<readonly string[]>([])
  const [pressed, setPressed] = useState<readonly string[]>([])
  const marked = pointed.length > 0 ? pointed : pressed
  const has = (paths: readonly string[]) => paths.some((path) => marked.includes(path))
  return {
    has,
    of: (paths) => ({
      onMouseEnter: () => setPointed(paths),
      onMouseLeave: () => setPointed([]),
      onFocus: () => setPointed(paths),
      onBlur: () => setPointed([]),
      onClick: () => setPressed((now) => (now === paths || now.join() === paths.join() ? [] : paths)),
      'aria-pressed': paths.length > 0 && paths.join() === pressed.join(),
      'data-marked': has(paths) || undefined,
    }),
  }
}

interface PartProps {
  message: SensorMessage
  marks: Marks
}

function RawBytes({ message, marks }: PartProps) {
  const { bytes, fPort, payload, segments } = message
  if (!bytes) {
    const json = jsonOf(payload)
    return (
      <Card title="Raw message">
        <p className={classes.sub}>The message has no binary payload.</p>
        <pre className={classes.raw}>{json ? <Json value={json.json} /> : payload}</pre>
      </Card>
    )
  }
  const count = bytes.length / 2
  return (
    <Card title="Raw bytes">
      <p className={classes.sub}>
        {count} {count === 1 ? 'byte' : 'bytes'}
        {fPort !== null && `, port ${fPort}`}
      </p>
      <ul className={classes.pieces} aria-label="Bytes">
        {piecesOf(message).map((piece) => (
          <li key={piece.start}>
            {piece.paths.length > 0 ? (
              <button
                type="button"
                data-outcome={piece.outcome}
                title={piece.paths.join(', ')}
                {...marks.of(piece.paths)}
              >
                {piece.bytes}
              </button>
            ) : (
              <span>{piece.bytes}</span>
            )}
          </li>
        ))}
      </ul>
      {!segments?.length && <p className={classes.sub}>The decoder does not show which bytes a value comes from.</p>}
    </Card>
  )
}

function DecodedObject({ message, marks }: PartProps) {
  const { decoded, object, decoder } = message
  const values = Object.entries(decoded ?? {})
  return (
    <Card title="Decoded object">
      <p className={classes.sub}>{decoder ?? 'Not decoded'}</p>
      {values.length > 0 ? (
        <ul className={classes.object} aria-label="Decoded values">
          {values.map(([path, value]) => (
            <li key={path}>
              <button type="button" data-outcome={outcomeOf(message, path)} {...marks.of([path])}>
                "{path}": <b>{JSON.stringify(value)}</b>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        object !== null &&
        object !== undefined && (
          <pre className={classes.raw}>
            <Json value={object} />
          </pre>
        )
      )}
    </Card>
  )
}

/** Whether a reading was stored: a waiting sensor's readings are stored only when it is added to a property. */
function ReadingState({ result }: Pick<SensorMessage, 'result'>) {
  if (result === 'Stored' || result === 'Partial')
    return (
      <span className={classes.stored}>
        <IconCircleCheckFilled size={14} aria-hidden />
        Stored
      </span>
    )
  return <span className={classes.unstored}>{result === 'Waiting' ? 'Not stored yet' : 'Not stored'}</span>
}

function Readings({ message, marks, mappingHref }: PartProps & { mappingHref: string | undefined }) {
  const { result, readings, rejected, unused } = message
  const isStored = result === 'Stored' || result === 'Partial'
  return (
    <Card title={isStored ? 'Stored readings' : 'Readings'}>
      {readings.length === 0 && rejected.length === 0 && <p className={classes.sub}>Nothing was stored.</p>}
      <ul className={classes.readings} aria-label="Readings">
        {readings.map(({ path, metric, label, unit, value, at }) => (
          <li key={`${path} ${metric} ${at}`}>
            <button type="button" {...marks.of([path])}>
              <span>{label}</span>
              <b>{valueText({ value, unit })}</b>
              <ReadingState result={result} />
            </button>
          </li>
        ))}
        {rejected.map(({ path, label, value, reason }) => (
          <li key={`rejected ${path}`}>
            <button type="button" data-outcome="rejected" {...marks.of([path])}>
              <span>{label}</span>
              <b>{valueText({ value })}</b>
              <span className={classes.rejected}>
                <IconCircleXFilled size={14} aria-hidden />
                Rejected
              </span>
              <small>{reason}</small>
            </button>
          </li>
        ))}
      </ul>
      {unused.length > 0 && (
        <p className={classes.sub}>
          {unused.length === 1 ? '1 value is not used.' : `${unused.length} values are not used.`}{' '}
          {mappingHref && <AppLink href={mappingHref}>Open mapping</AppLink>}
        </p>
      )}
    </Card>
  )
}
