import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '../../icons/index.ts'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import { clockText } from '@caretaker/rules/calendar/days.ts'
import { parsed, refusedText } from '@caretaker/rules/messages/parsed.ts'
import { useZone } from '../../ui/zone.tsx'
import { Json, jsonOf } from './json.tsx'
import { Marked } from './marked.tsx'
import classes from './messages.module.css'

interface MessagePanelProps {
  deviceId: string
  message: DeviceMessage
  find: string
}

/** One message in full: topic and time, its parts in words, and the raw payload. */
export function MessagePanel({ deviceId, message, find }: MessagePanelProps) {
  const zone = useZone()
  const { channel, source, time, bytes, refused, was, command, message: raw } = message
  const payload = jsonOf(raw)
  const commandId = (payload?.json as { commandId?: unknown } | null | undefined)?.commandId
  const parts =
    channel && payload && !refused
      ? parsed(channel, payload.json, {
          time: (at) => clockText(at, zone),
          was: was ?? undefined,
          ...(command && { commands: { [String(commandId).toLowerCase()]: command } }),
        })
      : undefined
  return (
    <section className={classes.panel} aria-label="Message">
      <header>
        <h3>{source}</h3>
        <Copy text={raw} label="Copy message" />
      </header>
      <p className={classes.topic}>{channel ? `devices/${deviceId}/${channel}` : source}</p>
      <p className={classes.facts}>
        <b>
          {clockText(Date.parse(time), zone)}.{time.slice(20, 23)}
        </b>{' '}
        {bytes.toLocaleString('en-GB')} bytes
      </p>
      {refused && <p className={classes.refusal}>{refusedText(refused)}</p>}
      {!refused && !parts && <p className={classes.refusal}>{message.parsedMessage}</p>}
      {parts && parts.length > 0 && (
        <dl className={classes.parts}>
          {parts.map(({ words, value, was: before, notUnderstood }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- parts of one message, which never change
            <div key={at} data-unknown={notUnderstood}>
              <dt>
                <Marked text={words || source} find={find} />
              </dt>
              <dd>
                {before !== undefined && (
                  <>
                    <s aria-label={`was ${before}`}>{before}</s> <span aria-hidden>→</span>{' '}
                  </>
                )}
                <Marked text={value} find={find} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <pre className={classes.raw}>{payload ? <Json value={payload.json} find={find} /> : raw}</pre>
    </section>
  )
}

/** Copies a text and shows a short confirmation. */
export function Copy({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon variant="default" aria-label={label} onClick={copy}>
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
