import { useCallback, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { IconPlus } from '../../../icons/index.ts'
import type { WebhookEndpoint } from '@caretaker/contract/webhooks.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../../api/actor.ts'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import { SecretDialog } from '../../../ui/secret-dialog.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { EndpointState, stateOf } from './endpoint-state.tsx'
import { WebhookLog } from './webhook-log.tsx'
import { webhooksQuery } from './queries.ts'
import classes from '../integrations.module.css'

const none: WebhookEndpoint[] = []
const secretHint = 'Your software uses it to verify that messages come from Caretaker (Standard Webhooks).'

/** The webhooks of the client; the log of one if the address names it. */
export function Webhooks() {
  const { tenant } = useActor()
  const { webhook } = useSearch({ strict: false }) as { webhook?: unknown }
  const { data, isError, refetch } = useQuery(webhooksQuery(tenant))
  const [adding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const phoneRow = useCallback(
    (row: WebhookEndpoint) => (
      <span className={classes.phoneRow}>
        <span>
          <b>{row.name}</b>
          <EndpointState endpoint={row} />
        </span>
        <span className={`${classes.dimmed} ${classes.address}`}>{row.url}</span>
      </span>
    ),
    [],
  )
  const opened = data?.find(({ id }) => id === webhook)
  return (
    <>
      {opened ? (
        <WebhookLog key={opened.id} endpoint={opened} onSecret={setSecret} />
      ) : (
        <GenericTable
          label="Webhooks"
          columns={columns}
          rows={data ?? none}
          rowId={(row) => row.id}
          rowHref={(row) => logAddress(tenant, row.id)}
          status={data ? 'ready' : isError ? 'failed' : 'loading'}
          onRetry={() => void refetch()}
          empty={
            <Empty
              text="No webhooks"
              hint="A webhook sends results, faults and alerts to your own software as they happen."
            />
          }
          phoneRow={phoneRow}
          actions={
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)} disabled={!data}>
              Add webhook
            </Button>
          }
        />
      )}
      {adding && (
        <WebhookDialog
          onSaved={(made) => {
            setAdding(false)
            setSecret(made)
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {secret && <SecretDialog title="Secret" secret={secret} hint={secretHint} onClose={() => setSecret(undefined)} />}
    </>
  )
}

const logAddress = (tenant: string, id: string) => `${pathTo(tenant, 'Settings', 'webhooks')}?webhook=${id}`

const eventsText = ({ events }: WebhookEndpoint) => (events.length === 1 ? '1 event' : `${events.length} events`)

const columns: GenericColumn<WebhookEndpoint>[] = [
  { id: 'name', header: 'Name', width: 200, link: true, value: (row) => row.name, cell: (row) => row.name },
  {
    id: 'url',
    header: 'Address',
    width: 340,
    value: (row) => row.url,
    cell: (row) => row.url,
  },
  { id: 'events', header: 'Events', width: 110, value: (row) => row.events.length, cell: eventsText },
  {
    id: 'state',
    header: 'State',
    width: 130,
    value: (row) => stateOf(row).word,
    cell: (row) => <EndpointState endpoint={row} />,
  },
]
