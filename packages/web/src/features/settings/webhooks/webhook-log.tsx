import { useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { IconBan, IconCircleCheckFilled, IconCircleXFilled, IconClock } from '../../../icons/index.ts'
import type { WebhookDelivery, WebhookEndpoint } from '@caretaker/contract/webhooks.ts'
import {
  deleteWebhook,
  rotateWebhookSecret,
  sendWebhookAgain,
  tryWebhook,
  updateWebhook,
} from '@caretaker/contract/calls/webhooks.ts'
import type { WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { eventTexts, trialEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError, textsOf } from '../../../api/errors.ts'
import { dateSecondText } from '../../../ui/age.ts'
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { AppLink, useGoTo } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { deliveriesQuery, webhooksQuery } from './queries.ts'
import { WebhookDialog } from './webhook-dialog.tsx'
import classes from '../integrations.module.css'

interface LogProps {
  endpoint: WebhookEndpoint
  onSecret: (secret: string) => void
}

/** One endpoint: state, actions and message log. */
export function WebhookLog({ endpoint, onSecret }: LogProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    deliveriesQuery(tenant, endpoint.id),
  )
  const [shown, setShown] = useState<string>()
  const rows = useMemo(() => data?.pages.flatMap(({ results }) => results) ?? [], [data])
  const columns = useMemo(() => columnsFor(zone, setShown), [zone])
  const phoneRow = useCallback(
    (row: WebhookDelivery) => (
      <span className={classes.phoneRow}>
        <span>
          <b>{textOfEvent(row.event)}</b>
          <DeliveryState delivery={row} />
        </span>
        <span>
          <span className={classes.dimmed}>{dateSecondText(row.at, zone)}</span>
          <DetailsButton delivery={row} zone={zone} onPress={setShown} />
        </span>
      </span>
    ),
    [zone],
  )
  const opened = rows.find(({ messageId }) => messageId === shown)
  return (
    <div className={classes.log}>
      <Head endpoint={endpoint} onSecret={onSecret} />
      <GenericTable
        label={`Log of ${endpoint.name}`}
        columns={columns}
        rows={rows}
        rowId={(row) => row.messageId}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={<Empty text="No messages sent yet" hint="Send a test message to check the connection." />}
        phoneRow={phoneRow}
        actions={
          hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Load older
            </Button>
          )
        }
      />
      {opened && <DeliveryDialog endpoint={endpoint} delivery={opened} onClose={() => setShown(undefined)} />}
    </div>
  )
}

const textOfEvent = (event: WebhookEvent) => (event === trialEvent ? 'Test message' : eventTexts[event])

function Head({ endpoint, onSecret }: LogProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const goTo = useGoTo()
  const queryClient = useQueryClient()
  const [asked, ask] = useState<'edit' | 'rotate' | 'delete'>()
  const all = pathTo(tenant, 'Settings', 'webhooks')
  const params = { tenant, endpointId: endpoint.id }
  const { disabled, failingSince, formerSecretUntil } = endpoint
  const refresh = () => queryClient.invalidateQueries({ queryKey: webhooksQuery(tenant).queryKey })
  const attempt = (what: Promise<unknown>, done: string) =>
    void what.then(refresh).then(() => showSuccess(done), showCallError)
  const { name, url, events } = endpoint
  const switched = { name, url, events, enabled: disabled !== null }
  const rotate = async () => {
    const { secret } = await call(rotateWebhookSecret, { params })
    await refresh()
    ask(undefined)
    onSecret(secret)
    return true as const
  }
  const remove = async () => {
    await call(deleteWebhook, { params })
    await refresh()
    goTo(all)
    return true as const
  }
  return (
    <div className={classes.head}>
      <AppLink className={classes.link} href={all}>
        Webhooks
      </AppLink>
      <h2>{name}</h2>
      <EndpointState endpoint={endpoint} />
      <div className={classes.buttons}>
        <Button
          variant="default"
          disabled={disabled !== null}
          onClick={() => attempt(call(tryWebhook, { params }), 'Test message queued')}
        >
          Send test message
        </Button>
        <Button variant="default" onClick={() => ask('edit')}>
          Edit
        </Button>
        <Button variant="default" onClick={() => ask('rotate')}>
          New secret
        </Button>
        <Button
          variant="default"
          onClick={() =>
            attempt(call(updateWebhook, { params, body: switched }), disabled ? 'Webhook enabled' : 'Webhook disabled')
          }
        >
          {disabled ? 'Enable' : 'Disable'}
        </Button>
        <Button variant="default" onClick={() => ask('delete')}>
          Delete
        </Button>
      </div>
      <p className={`${classes.dimmed} ${classes.address}`}>
        {url}
        {disabled && `. Disabled since ${dateSecondText(disabled.at, zone)}: ${disabled.reason}`}
        {failingSince && !disabled && `. No message accepted since ${dateSecondText(failingSince, zone)}.`}
        {formerSecretUntil && ` The previous secret signs until ${dateSecondText(formerSecretUntil, zone)}.`}
      </p>
      {asked === 'edit' && (
        <WebhookDialog endpoint={endpoint} onSaved={() => ask(undefined)} onClose={() => ask(undefined)} />
      )}
      {asked === 'rotate' && (
        <ConfirmDialog
          title={`New secret for ${name}`}
          verb="Create new secret"
          onConfirm={() => rotate().catch(textsOf)}
          onClose={() => ask(undefined)}
        >
          <p>Messages are also signed with the previous secret for 24 hours, so that your software can switch over.</p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={`Delete webhook ${name}`}
          verb="Delete"
          danger
          onConfirm={() => remove().catch(textsOf)}
          onClose={() => ask(undefined)}
        >
          <p>Its log is deleted too, and pending messages are not sent.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

const states = {
  waiting: { word: 'Waiting', group: 'none', Icon: IconClock },
  delivered: { word: 'Delivered', group: 'passed', Icon: IconCircleCheckFilled },
  failed: { word: 'Failed', group: 'failed', Icon: IconCircleXFilled },
  suppressed: { word: 'Not sent', group: 'none', Icon: IconBan },
} as const

function DeliveryState({ delivery }: { delivery: WebhookDelivery }) {
  const { word, group, Icon } = states[delivery.state]
  return (
    <span className={classes.chip} data-group={group}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  )
}

interface DetailsProps {
  delivery: WebhookDelivery
  zone: string
  onPress: (messageId: string) => void
}

function DetailsButton({ delivery, zone, onPress }: DetailsProps) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Details: ${textOfEvent(delivery.event)}, ${dateSecondText(delivery.at, zone)}`}
      onClick={() => onPress(delivery.messageId)}
    >
      Details
    </Button>
  )
}

const answerText = ({ status, fault }: WebhookDelivery) => (status === null ? (fault ?? '–') : String(status))

const columnsFor = (zone: string, onPress: (id: string) => void): GenericColumn<WebhookDelivery>[] => [
  {
    id: 'at',
    header: 'Time',
    width: 160,
    value: (row) => row.at,
    cell: (row) => dateSecondText(row.at, zone),
  },
  {
    id: 'event',
    header: 'Event',
    width: 280,
    link: true,
    value: (row) => textOfEvent(row.event),
    cell: (row) => textOfEvent(row.event),
  },
  {
    id: 'state',
    header: 'State',
    width: 120,
    value: (row) => states[row.state].word,
    cell: (row) => <DeliveryState delivery={row} />,
  },
  { id: 'answer', header: 'Response', width: 200, value: answerText, cell: answerText },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 90,
    align: 'end',
    value: (row) => row.attempts,
    cell: (row) => row.attempts,
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 100,
    align: 'end',
    value: (row) => row.duration ?? -1,
    cell: (row) => (row.duration === null ? '–' : `${row.duration.toLocaleString('en-GB')} ms`),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 100,
    align: 'end',
    cell: (row) => <DetailsButton delivery={row} zone={zone} onPress={onPress} />,
  },
]

interface DeliveryDialogProps {
  endpoint: WebhookEndpoint
  delivery: WebhookDelivery
  onClose: () => void
}

/** One message: request, response and resend. */
function DeliveryDialog({ endpoint, delivery, onClose }: DeliveryDialogProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const queryClient = useQueryClient()
  const [sending, setSending] = useState(false)
  const { messageId, body, answer, triedAt, nextAt, attempts } = delivery
  const again = async () => {
    setSending(true)
    try {
      await call(sendWebhookAgain, { params: { tenant, endpointId: endpoint.id, messageId } })
      await queryClient.invalidateQueries({ queryKey: deliveriesQuery(tenant, endpoint.id).queryKey })
      showSuccess('Queued again')
      onClose()
    } catch (error) {
      showCallError(error)
    }
    setSending(false)
  }
  const facts = [
    ['Id', messageId],
    ['State', states[delivery.state].word],
    ['Attempts', String(attempts)],
    ['Last attempt', triedAt ? dateSecondText(triedAt, zone) : '–'],
    ...(nextAt && triedAt ? [['Next attempt', dateSecondText(nextAt, zone)]] : []),
    ['Response', [delivery.status, delivery.fault].filter((one) => one !== null).join(': ') || '–'],
  ] as const
  return (
    <Dialog
      title={textOfEvent(delivery.event)}
      wide
      onClose={onClose}
      busy={sending}
      actions={
        <>
          <Button variant="default" onClick={onClose} disabled={sending}>
            Close
          </Button>
          <Button
            onClick={() => void again()}
            loading={sending}
            disabled={delivery.state === 'waiting' || endpoint.disabled !== null}
          >
            Send again
          </Button>
        </>
      }
    >
      <dl className={classes.facts}>
        {facts.map(([label, text]) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <h3 className={classes.heading}>Sent</h3>
      <pre className={classes.block} tabIndex={0}>
        {JSON.stringify(JSON.parse(body), null, 2)}
      </pre>
      {answer && (
        <>
          <h3 className={classes.heading}>Response</h3>
          <pre className={classes.block} tabIndex={0}>
            {answer}
          </pre>
        </>
      )}
    </Dialog>
  )
}
