import { useState } from 'react'
import { Button } from '@mantine/core'
import type { CodecTrial, CodecVersion, TriedMessage } from '@caretaker/contract/connections.ts'
import { Json } from '../../../device-page/messages/json.tsx'
import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconInfoCircle,
  IconPlayerPlay,
} from '../../../icons/index.ts'
import { dateTimeText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { Chip } from '../chips.tsx'
import { numberText } from '../words.ts'
import classes from './model.module.css'

interface CodecTrialCardProps {
  /** The trial of the shown version; undefined until it has been tried on this page. */
  trial: CodecTrial | undefined
  /** The version that would be tried; undefined while the source is not saved. */
  version: CodecVersion | undefined
  active: CodecVersion | undefined
  isBusy: boolean
  onTry: () => void
}

/** The trial of a version on the last stored messages, beside the active decoder. */
export function CodecTrialCard({ trial, version, active, isBusy, onTry }: CodecTrialCardProps) {
  return (
    <Card
      title="Last 100 messages"
      actions={
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          disabled={!version}
          title={version ? undefined : 'Save the version first'}
          loading={isBusy}
          onClick={onTry}
        >
          Try on the last 100 messages
        </Button>
      }
      footer={
        <span className={classes.note}>
          <IconInfoCircle size={16} aria-hidden />
          {stayText(version, active)}
        </span>
      }
    >
      {trial ? (
        <Result trial={trial} />
      ) : (
        <p className={classes.sub}>
          {version ? 'The result appears here, compared with the active decoder.' : 'Save the version, then try it.'}
        </p>
      )}
    </Card>
  )
}

function stayText(version: CodecVersion | undefined, active: CodecVersion | undefined): string {
  const stored = 'A trial run stores nothing.'
  if (!active || !version || version.isActive) return stored
  return `${stored} Version ${active.version} stays active until you activate version ${version.version}.`
}

function Result({ trial }: { trial: CodecTrial }) {
  const zone = useZone()
  const [opened, open] = useState<TriedMessage>()
  const { tried, decoded, warnings, notDecoded, slowest, compared, messages } = trial
  const toCheck = messages.filter(({ result }) => result !== 'Decoded')
  if (tried === 0) return <p className={classes.sub}>No messages of this model are kept.</p>
  const shares = [
    { tone: 'passed', count: decoded },
    { tone: 'warning', count: warnings },
    { tone: 'failed', count: notDecoded },
  ]
  return (
    <div className={classes.trial}>
      <span className={classes.shares} aria-hidden>
        {shares.map(({ tone, count }) => count > 0 && <i key={tone} data-tone={tone} style={{ flexGrow: count }} />)}
      </span>
      <p className={classes.counts} role="status">
        <span data-tone="passed">
          <IconCircleCheckFilled size={14} aria-hidden />
          <b>{decoded}</b> decoded
        </span>
        <span data-tone="warning">
          <IconAlertTriangleFilled size={14} aria-hidden />
          <b>{warnings}</b> with a warning
        </span>
        <span data-tone="failed">
          <IconCircleXFilled size={14} aria-hidden />
          <b>{notDecoded}</b> not decoded
        </span>
      </p>
      <p className={classes.sub}>Slowest message: {numberText(Math.ceil(slowest))} ms of 50 ms</p>
      <h3>
        {compared.version === null ? 'Compared with the current decoder' : `Compared with version ${compared.version}`}
      </h3>
      <dl className={classes.compared}>
        <Line label="Same values" count={compared.same} />
        {compared.added.map(({ path, count }) => (
          <Line
            key={`new ${path}`}
            label={
              <>
                New value: <code>{path}</code>
              </>
            }
            count={count}
          />
        ))}
        {compared.changed.map(({ path, count, before, after }) => (
          <Line
            key={`changed ${path}`}
            label={
              <>
                Changed: <code>{path}</code> {String(before)} is now {String(after)}
              </>
            }
            count={count}
          />
        ))}
        <Line label="No longer decoded" count={compared.noLongerDecoded} />
      </dl>
      {toCheck.length > 0 && (
        <>
          <h3>
            Messages to check <span className={classes.dimmed}>{toCheck.length}</span>
          </h3>
          <ul className={classes.checks}>
            {toCheck.map((message) => (
              <li key={message.messageId}>
                <button type="button" onClick={() => open(message)}>
                  <span className="tabular">{dateTimeText(message.receivedAt, zone)}</span>
                  <Chip word={message.result} />
                  <span>{message.reason}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {opened && <TriedDialog message={opened} trial={trial} onClose={() => open(undefined)} />}
    </div>
  )
}

const Line = ({ label, count }: { label: React.ReactNode; count: number }) => (
  <div>
    <dt>{label}</dt>
    <dd data-zero={count === 0 || undefined}>{count.toLocaleString('en-GB')}</dd>
  </div>
)

interface TriedDialogProps {
  message: TriedMessage
  trial: CodecTrial
  onClose: () => void
}

/** The old and the new result of one message side by side. */
function TriedDialog({ message, trial, onClose }: TriedDialogProps) {
  const zone = useZone()
  const sides = [
    {
      title: trial.compared.version === null ? 'Current decoder' : `Version ${trial.compared.version}`,
      values: message.before,
    },
    { title: `Version ${trial.version}`, values: message.after },
  ]
  return (
    <Dialog
      title={`Message of ${dateTimeText(message.receivedAt, zone)}`}
      wide
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {message.reason && <p>{message.reason}</p>}
      <div className={classes.sides}>
        {sides.map(({ title, values }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            {values ? (
              <pre className={classes.block}>
                <Json value={values} />
              </pre>
            ) : (
              <p className={classes.sub}>Not decoded</p>
            )}
          </section>
        ))}
      </div>
    </Dialog>
  )
}
